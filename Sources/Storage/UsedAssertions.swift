public import Domain
import SQL

extension Store {
  /// Uses up what a client signed to prove who it is, until it expires; `false` when it was used before.
  ///
  /// ``changeVersion`` stays: nothing that is kept in memory depends on it.
  public func useAssertion(
    _ hash: TokenHash, of client: ClientID, until end: Timestamp, at now: Timestamp
  ) async throws -> Bool {
    try await database.write {
      try Transaction(session: $0, marks: nil).useAssertion(hash, of: client, until: end, at: now)
    }
  }
}

extension Transaction {
  func useAssertion(_ hash: TokenHash, of client: ClientID, until end: Timestamp, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      INSERT INTO used_assertion (client_id, hash, expires_at) VALUES (\(client), \(hash), \(end))
      ON CONFLICT (client_id, hash) DO UPDATE SET expires_at = excluded.expires_at
      WHERE used_assertion.expires_at <= \(now)
      """) > 0
  }

  /// Forgets used assertions that have expired, at most 500.
  public func deleteUsedAssertions(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM used_assertion WHERE (client_id, hash) IN
        (SELECT client_id, hash FROM used_assertion WHERE expires_at <= \(now)
         ORDER BY expires_at, client_id, hash LIMIT 500)
      """)
  }
}
