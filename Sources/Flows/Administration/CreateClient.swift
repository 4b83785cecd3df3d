public import Domain
import Storage

/// Registers a client app.
public struct CreateClient: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the administrator chose.
  public struct Draft: Sendable {
    public var name: String
    public var kind: Client.Kind
    public var grants: [Client.Grant]
    public var redirectURIs: [RedirectURI]
    public var scope: Scope
    public var permissions: [Client.Permission]

    public init(
      name: String, kind: Client.Kind, grants: [Client.Grant], redirectURIs: [RedirectURI], scope: Scope,
      permissions: [Client.Permission]
    ) {
      self.name = name
      self.kind = kind
      self.grants = grants
      self.redirectURIs = redirectURIs
      self.scope = scope
      self.permissions = permissions
    }
  }

  /// - Returns: The client and, unless it is public, its secret, which is shown this once and never again.
  /// - Throws: `Refusal` with a sentence for the administrator.
  public func callAsFunction(
    _ draft: Draft, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> (client: Client, secret: Secret?) {
    let now = here.clock.now()
    let client = Client(
      id: .random(), name: draft.name, kind: draft.kind, redirectURIs: draft.redirectURIs, grants: draft.grants,
      scope: draft.scope, permissions: draft.permissions, createdAt: now)
    if let objection = client.objection { throw Refusal(.invalidRequest, objection) }
    let secret = draft.kind == .confidential ? NewToken() : nil
    let created = here.recording(
      AuditEvent(.clientCreated, at: now, origin: visitor.origin, account: administrator, client: client.id))
    let refusal: Refusal? = try await here.store.write { tx in
      for permission in client.permissions where try tx.connection(permission.connection) == nil {
        return Refusal(.invalidRequest, "There is no connection called \(permission.connection).")
      }
      try tx.insert(client)
      if let secret { try tx.setSecret(secret.hash, of: client.id, at: now) }
      try created(tx)
      return nil
    }
    if let refusal { throw refusal }
    return (client, secret?.secret)
  }
}

/// Disables, enables or deletes a client, or gives it a new secret.
public struct ChangeClient: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Change: String, Sendable {
    case disable
    case enable
    case delete
  }

  /// - Throws: `Refusal` `not_found`.
  public func callAsFunction(
    _ change: Change, _ id: ClientID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    let now = here.clock.now()
    let event = here.recording(
      AuditEvent(
        change == .delete ? .clientDeleted : .clientChanged, at: now, origin: visitor.origin, account: administrator,
        client: id, detail: change.rawValue))
    let isFound = try await here.store.write { tx in
      let isFound =
        switch change {
        case .disable: try tx.setClient(id, disabled: true, at: now)
        case .enable: try tx.setClient(id, disabled: false, at: now)
        case .delete: try tx.deleteClient(id)
        }
      if isFound { try event(tx) }
      return isFound
    }
    guard isFound else { throw Refusal(.notFound, "There is no client called \(id).") }
  }

  /// Replaces the secret; the old one stops working at once.
  ///
  /// - Throws: `Refusal` when there is no such client, or it is public and has none.
  public func rotateSecret(of id: ClientID, by administrator: AccountID?, _ visitor: Visitor) async throws -> Secret {
    let (now, secret) = (here.clock.now(), NewToken())
    let event = here.recording(
      AuditEvent(
        .clientChanged, at: now, origin: visitor.origin, account: administrator, client: id, detail: "secret rotated"))
    let refusal: Refusal? = try await here.store.write { tx in
      guard let client = try tx.client(id) else { return Refusal(.notFound, "There is no client called \(id).") }
      guard client.kind == .confidential else { return Refusal(.invalidRequest, "A public client has no secret.") }
      try tx.setSecret(secret.hash, of: id, at: now)
      try event(tx)
      return nil
    }
    if let refusal { throw refusal }
    return secret.secret
  }
}
