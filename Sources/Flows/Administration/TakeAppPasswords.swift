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
    let now = here.clock.now()
    let changed = here.recording(
      AuditEvent(
        .connectionChanged, at: now, origin: visitor.origin, account: administrator, connection: id,
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
      if client == nil {
        try tx.revokeFamilies(ofAppPasswordsAt: id, at: now)
      } else if connection.appPasswordClient == nil {
        // Those that a crash left over when they were taken the last time do not come back.
        while try !tx.endUntakenAppPasswords(at: id, limit: Self.batch, visitor.origin, at: now).isEmpty {}
      }
      connection.portal.appPasswordClient = client
      try tx.setOptions(of: connection)
      try changed(tx)
      return nil
    }
    if let refusal { throw refusal }
    if client == nil { try await endPasswords(at: id, visitor) }
  }

  /// They give nothing any more; this takes the rows away, too, and says so in the log.
  private func endPasswords(at id: ConnectionID, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    var ended: [AppPassword]
    repeat {
      ended = try await here.store.writeInBackground { tx in
        guard try tx.connection(id)?.appPasswordClient == nil else { return [] }
        return try tx.endUntakenAppPasswords(at: id, limit: Self.batch, visitor.origin, at: now)
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

extension Transaction {
  /// Ends some of the passwords at a connection, where none are taken any more, and returns them.
  func endUntakenAppPasswords(
    at connection: ConnectionID, limit: Int64, _ origin: AuditEvent.Origin, at now: Timestamp
  ) throws -> [AppPassword] {
    let passwords = try appPasswords(at: connection, limit: limit)
    for password in passwords {
      try endAppPassword(password.id, at: now)
      try insert(
        AuditEvent(
          .appPasswordEnded, at: now, origin: origin, account: password.account, client: password.client,
          connection: connection, detail: "\(password.id), app passwords are not taken any more"))
    }
    return passwords
  }
}
