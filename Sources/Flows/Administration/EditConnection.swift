public import Domain
import Storage

/// Changes what a connection was made with, but for what the credentials of people rest on: its kind, its address and our
/// registration there.
public struct EditConnection: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Takes of what `change` makes of the connection what can be changed; `clientSecret` replaces the one before.
  ///
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line; `not_found`.
  @discardableResult
  public func callAsFunction(
    _ id: ConnectionID, clientSecret: Secret? = nil, by administrator: AccountID?, _ visitor: Visitor,
    _ change: @escaping @Sendable (inout Connection) -> Void
  ) async throws -> Connection {
    let (here, now) = (here, here.clock.now())
    let result: Result<(Connection, isChanged: Bool), Refusal> = try await here.store.write { tx in
      guard let before = try tx.connection(id) else {
        return .failure(Refusal(.notFound, "There is no connection called \(id)."))
      }
      let after = before.edited(change)
      if let refusal = try Self.refusal(of: after, hasNewSecret: clientSecret != nil, tx) { return .failure(refusal) }
      let changes = before.differences(from: after) + (clientSecret == nil ? [] : ["client secret"])
      guard !changes.isEmpty else { return .success((before, false)) }
      try tx.update(after)
      if let clientSecret { try tx.setSecret(try here.vault.seal(clientSecret, in: after.secretContext), of: id) }
      try here.recording(
        AuditEvent(
          .connectionChanged, at: now, origin: visitor.origin, account: administrator, connection: id,
          detail: "edited: \(changes.joined(separator: ", "))"))(tx)
      return .success((try tx.connection(id) ?? after, true))
    }
    let (connection, isChanged) = try result.get()
    // What is under way by the proxy may not be covered any more.
    if isChanged { here.proxyPlaces.end(.connection(id)) }
    return connection
  }

  private static func refusal(of draft: Connection, hasNewSecret: Bool, _ tx: Transaction) throws -> Refusal? {
    if let objection = CreateConnection.objections(to: draft).first { return Refusal(.invalidRequest, objection.text) }
    if draft.resources.isEmpty {
      return Refusal(.invalidRequest, "Name what it covers: without a resource nothing gets a token of it.")
    }
    if hasNewSecret, !draft.kind.connectsInBrowser {
      return Refusal(
        .invalidRequest, "Only a connection at which people sign in themselves gets another client secret.")
    }
    let others = try tx.connections().filter { $0.id != draft.id }
    return others.contains { DisplayName.areAlike($0.name, draft.name) }
      ? CreateConnection.nameTaken(draft.name) : nil
  }
}

extension Connection {
  /// With what can be changed of what `change` makes of it.
  fileprivate func edited(_ change: (inout Connection) -> Void) -> Connection {
    var (wish, new) = (self, self)
    change(&wish)
    new.name = wish.name
    new.resources = wish.resources
    (new.admission, new.admitted) = (wish.admission, wish.admission == .listed ? wish.admitted : [])
    (new.reach.networks, new.reach.allowsHTTP) = (wish.reach.networks, wish.reach.allowsHTTP)
    if kind == .oidc { new.scopes = wish.scopes }
    guard kind.isPortal else { return new }
    new.portal = wish.portal
    (new.portal.tokenURL, new.portal.appPasswordClient) = (portal.tokenURL, portal.appPasswordClient)
    return new
  }

  /// What differs, in words for the audit.
  fileprivate func differences(from other: Connection) -> [String] {
    [
      ("name", name == other.name), ("resources", resources == other.resources),
      ("admission", admission == other.admission && admitted == other.admitted),
      ("reach", reach == other.reach), ("scopes", scopes == other.scopes), ("portal options", portal == other.portal),
    ].filter { !$0.1 }.map(\.0)
  }
}
