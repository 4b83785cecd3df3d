public import Domain
import SQL
import Storage
import Upstream

/// Adds a connection, after it was checked against the live upstream.
public struct CreateConnection: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Parameters:
  ///   - draft: What the administrator typed; origin and resources may be in any form that people use.
  ///   - clientSecret: Our secret at the upstream, if it gave one.
  ///   - administrator: `nil` on the command line.
  /// - Returns: The connection as stored, with what the upstream corrected.
  /// - Throws: `Refusal` with a sentence for the administrator.
  public func callAsFunction(
    _ draft: Connection, clientSecret: Secret?, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> Connection {
    if let objection = Self.objection(to: draft) { throw Refusal(.invalidRequest, objection) }
    var checked: Connection
    do {
      checked = try await here.upstreams.kind(of: draft).inspect(draft)
    } catch { throw Refusal(.invalidRequest, error.text) }
    checked.hasClientSecret = clientSecret != nil
    let connection = checked
    let sealed = try clientSecret.map { try here.vault.seal($0, in: connection.secretContext) }
    let created = here.recording(
      AuditEvent(
        .connectionCreated, at: here.clock.now(), origin: visitor.origin, account: administrator,
        connection: connection.id))
    do {
      try await here.store.write { tx in
        try tx.insert(connection, clientSecret: sealed)
        try created(tx)
      }
    } catch DatabaseError.duplicate {
      throw Refusal(.invalidRequest, "There is a connection called \(connection.id) already. Choose another id.")
    }
    return connection
  }

  private static func objection(to draft: Connection) -> String? {
    if draft.name.isEmpty || draft.name.utf8.count > 100 { return "Give the connection a name of 1 to 100 bytes." }
    if draft.clientID.isEmpty || draft.clientID.utf8.count > 200 {
      return "Enter the client id that the upstream gave Gatehouse."
    }
    let reserved = ["admin", "account", "callback", "oauth2", "signin", "signout", "setup", "v1", "health", "assets"]
    if reserved.contains(draft.id.text) { return "The id \(draft.id) is used by Gatehouse itself. Choose another." }
    return nil
  }
}

/// Disables, enables or deletes a connection.
public struct ChangeConnection: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Change: String, Sendable {
    case disable
    case enable
    case delete
  }

  /// - Throws: `Refusal` `not_found`.
  public func callAsFunction(
    _ change: Change, _ id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    let now = here.clock.now()
    let event = here.recording(
      AuditEvent(
        change == .delete ? .connectionDeleted : .connectionChanged, at: now, origin: visitor.origin,
        account: administrator, connection: id, detail: change.rawValue))
    let isFound = try await here.store.write { tx in
      let isFound =
        switch change {
        case .disable: try tx.setConnection(id, disabled: true, at: now)
        case .enable: try tx.setConnection(id, disabled: false, at: now)
        case .delete: try tx.deleteConnection(id)
        }
      if isFound { try event(tx) }
      return isFound
    }
    guard isFound else { throw Refusal(.notFound, "There is no connection called \(id).") }
  }
}
