public import Domain
public import Storage

/// How an installation is doing at one moment, for its administrator.
public struct AdministrationOverview: Sendable {
  public let at: Timestamp
  /// Every connection with the health of its credentials, by name.
  public let connections: [ConnectionEntry]
  public let clients: Int64
  public let accounts: Int64
  public let sessions: Int64
  /// What apps got, and what they were refused, in the last 24 hours.
  public let vends: Int64
  public let refusedVends: Int64
  /// The latest audit rows, newest first.
  public let events: [AuditEntry]

  static let shownEvents: Int64 = 10
}

/// A connection with the health of its credentials.
public struct ConnectionEntry: Sendable {
  public let connection: Connection
  public let health: CredentialHealth
  /// What the upstream has not confirmed yet; `nil` when nothing waits.
  public let waiting: WaitingRevocations?
  /// Whether one of its servers showed another key than the approved one, or the approval has ended.
  public var isDistrusted = false

  init(_ connection: Connection, _ health: [CredentialHealth], _ waiting: [WaitingRevocations]) {
    self.connection = connection
    self.waiting = waiting.first { $0.connection == connection.id }
    self.health =
      health.first { $0.connection == connection.id }
      ?? CredentialHealth(connection: connection.id, healthy: 0, expiring: 0, broken: 0, lastRefresh: nil)
  }
}

extension Installation {
  /// Reads everything on one snapshot.
  public func administrationOverview() async throws -> AdministrationOverview {
    let now = clock.now()
    let yesterday = AuditRecord.firstID(at: now - 24 * 60 * 60)
    return try await store.read { [distrustedServers] tx in
      AdministrationOverview(
        at: now, connections: try tx.connectionEntries(at: now, distrustedServers),
        clients: try tx.countClients(), accounts: try tx.countAccounts(), sessions: try tx.countLiveSessions(at: now),
        vends: try tx.countAuditRecords(of: .vended, from: yesterday),
        refusedVends: try tx.countAuditRecords(of: .vendRefused, from: yesterday),
        events: try tx.named(tx.auditRecords(limit: AdministrationOverview.shownEvents)))
    }
  }

  /// Whether a server of the connection was not the approved one when it was last looked at.
  public func isDistrusted(_ connection: Connection) -> Bool { distrustedServers.contains(connection) }

  /// Every connection with the health of its credentials, by name.
  public func connectionEntries() async throws -> [ConnectionEntry] {
    let now = clock.now()
    return try await store.read { [distrustedServers] in try $0.connectionEntries(at: now, distrustedServers) }
  }

  /// One connection with the health of its credentials, the clients that may use it, and the other connections that
  /// cover the same.
  ///
  /// - Throws: `Refusal` `not_found`.
  public func connectionEntry(
    _ id: ConnectionID
  ) async throws -> (ConnectionEntry, clients: [PermittedClient], overlapping: [Connection]) {
    let now = clock.now()
    let found = try await store.read { tx in
      try tx.connection(id).map { connection in
        (
          ConnectionEntry(connection, try tx.credentialHealth(at: now), try tx.waitingRevocations()),
          try tx.clients(permitted: id),
          try tx.connections().filter(connection.overlaps)
        )
      }
    }
    guard let found else { throw Refusal(.notFound, "There is no connection called \(id).") }
    return found
  }
}

extension Transaction {
  fileprivate func connectionEntries(
    at now: Timestamp, _ distrusted: DistrustedServers
  ) throws -> [ConnectionEntry] {
    let (health, waiting) = (try credentialHealth(at: now), try waitingRevocations())
    return try connections().map { connection in
      var entry = ConnectionEntry(connection, health, waiting)
      entry.isDistrusted = distrusted.contains(connection)
      return entry
    }
  }
}
