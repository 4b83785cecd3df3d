public import Domain
import SQL

extension Transaction {
  /// Keeps the link of an account; the one that it got before by the same way counts no longer.
  ///
  /// What anybody can have mailed leaves the one alone that an administrator handed out.
  public func insertPasswordLink(
    _ hash: TokenHash, of account: AccountID, isMailed: Bool, expiresAt: Timestamp
  ) throws {
    try session.run(
      """
      INSERT INTO password_link (hash, account_id, is_mailed, expires_at)
      VALUES (\(hash), \(account), \(isMailed), \(expiresAt))
      ON CONFLICT (account_id, is_mailed) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
      """)
  }

  /// Ends the links that were mailed to somebody, and those that are about to be.
  public func deleteMailedPasswordLinks(of account: AccountID) throws {
    try session.run("DELETE FROM password_link WHERE account_id = \(account) AND is_mailed = 1")
    try deleteMails(.passwordLink, of: account)
  }

  /// Ends every link that lets somebody change how the account is reached: by its password or its address.
  public func deleteLinks(of account: AccountID) throws {
    try session.run("DELETE FROM password_link WHERE account_id = \(account)")
    try deleteMails(.passwordLink, of: account)
    try deleteEmailChange(of: account)
    try deleteMails(.confirmation, of: account)
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
      DELETE FROM password_link WHERE hash IN
        (SELECT hash FROM password_link WHERE expires_at <= \(now) ORDER BY expires_at, hash LIMIT 500)
      """)
  }
}
