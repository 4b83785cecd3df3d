public import Domain
import SQL

extension Transaction {
  /// Keeps the link of an account; the one that it had before counts no longer.
  public func insertPasswordLink(_ hash: TokenHash, of account: AccountID, expiresAt: Timestamp) throws {
    try session.run(
      """
      INSERT INTO password_link (account_id, hash, expires_at) VALUES (\(account), \(hash), \(expiresAt))
      ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
      """)
  }

  /// Whose password a link sets; `nil` when it is unknown or over.
  ///
  /// Looking does not use it.
  public func accountOfPasswordLink(_ hash: TokenHash, at now: Timestamp) throws -> Account? {
    let row = try session.first("SELECT account_id FROM password_link WHERE hash = \(hash) AND expires_at > \(now)")
    return try row.flatMap { try account($0.identifier("account_id")) }
  }

  /// Uses up a link; `false` when it is unknown, over, or was used before.
  public func consumePasswordLink(_ hash: TokenHash, at now: Timestamp) throws -> Bool {
    try session.first("DELETE FROM password_link WHERE hash = \(hash) AND expires_at > \(now) RETURNING account_id")
      != nil
  }

  /// Deletes at most 500 links that are over; how many.
  public func deletePasswordLinks(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM password_link WHERE account_id IN
        (SELECT account_id FROM password_link WHERE expires_at <= \(now) ORDER BY expires_at, account_id LIMIT 500)
      """)
  }
}
