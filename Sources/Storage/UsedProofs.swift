public import Domain
import SQL

extension Store {
  /// Whether other instances may have the same database open.
  public var isShared: Bool { database.isShared }

  /// Uses up the proof of a key until nobody would believe it any more; `false` when it was used before.
  ///
  /// ``changeVersion`` stays: nothing that is kept in memory depends on it.
  public func useProof(_ hash: TokenHash, until end: Timestamp, at now: Timestamp) async throws -> Bool {
    try await database.write { try Transaction(session: $0, marks: nil).useProof(hash, until: end, at: now) }
  }
}

extension Transaction {
  func useProof(_ hash: TokenHash, until end: Timestamp, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      INSERT INTO used_proof (hash, expires_at) VALUES (\(hash), \(end))
      ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE used_proof.expires_at <= \(now)
      """) > 0
  }

  /// Forgets used proofs that have expired, at most 500.
  public func deleteUsedProofs(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM used_proof WHERE hash IN
        (SELECT hash FROM used_proof WHERE expires_at <= \(now) ORDER BY expires_at, hash LIMIT 500)
      """)
  }
}
