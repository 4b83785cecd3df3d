public import Domain
import Storage

/// Lets apps at the ArcGIS portal of a connection sign people in with app passwords, or takes that back.
public struct TakeAppPasswords: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// `client` stands for the apps that name none of ours; `nil` takes no app passwords any more, and ends those that there
  /// are.
  ///
  /// - Throws: `Refusal` with a sentence for the administrator, who is `nil` on the command line.
  public func callAsFunction(
    _ client: ClientID?, at id: ConnectionID, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    let changed = here.recording(
      AuditEvent(
        .connectionChanged, at: here.clock.now(), origin: visitor.origin, account: administrator, connection: id,
        detail: client.map { "app passwords for \($0)" } ?? "no app passwords"))
    let refusal: Refusal? = try await here.store.write { tx in
      guard var connection = try tx.connection(id) else {
        return Refusal(.notFound, "There is no connection called \(id).")
      }
      guard connection.kind.isPortal, !connection.kind.isServiceOwned else {
        return Refusal(.invalidRequest, "\(connection.name) is no ArcGIS portal to which people sign in.")
      }
      if let client {
        guard let found = try tx.client(client) else {
          return Refusal(.invalidRequest, "There is no client called \(client).")
        }
        if let text = found.appPasswordObjection(at: connection) { return Refusal(.invalidRequest, text) }
      }
      connection.portal.appPasswordClient = client
      try tx.setOptions(of: connection)
      try changed(tx)
      return nil
    }
    if let refusal { throw refusal }
    if client == nil { try await endPasswords(at: id, visitor) }
  }

  private func endPasswords(at id: ConnectionID, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    var ended: [AppPassword]
    repeat {
      ended = try await here.store.writeInBackground { tx in
        let passwords = try tx.appPasswords(at: id, limit: Self.batch)
        for password in passwords {
          try tx.endAppPassword(password.id, at: now)
          try tx.insert(
            AuditEvent(
              .appPasswordEnded, at: now, origin: visitor.origin, account: password.account, client: password.client,
              connection: id, detail: "\(password.id), app passwords are not taken any more"))
        }
        return passwords
      }
      for password in ended { here.proxyPlaces.end(.consent(password.client, of: password.account)) }
    } while !ended.isEmpty
  }

  /// How many rows are changed in one transaction.
  private static let batch: Int64 = 100

  /// The clients that can stand for apps which name none of ours.
  public func eligible(at connection: Connection) async throws -> [Client] {
    try await here.store.read { try $0.clients() }.filter { $0.appPasswordObjection(at: connection) == nil }
  }
}
