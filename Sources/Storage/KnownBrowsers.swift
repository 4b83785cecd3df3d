public import Domain
import SQL

extension Transaction {
  public func hasKnownBrowser(_ account: AccountID) throws -> Bool {
    try session.first("SELECT hash FROM known_browser WHERE account_id = \(account) LIMIT 1") != nil
  }

  /// Notes a sign-in to an account in a browser; whether none was known there before.
  public func noteBrowser(_ hash: TokenHash, of account: AccountID, at now: Timestamp) throws -> Bool {
    let known = try session.run(
      "UPDATE known_browser SET last_seen_at = \(now) WHERE account_id = \(account) AND hash = \(hash)")
    if known > 0 { return false }
    try session.run(
      "INSERT INTO known_browser (account_id, hash, last_seen_at) VALUES (\(account), \(hash), \(now))")
    try session.run(
      """
      DELETE FROM known_browser WHERE account_id = \(account) AND hash IN
        (SELECT hash FROM known_browser WHERE account_id = \(account)
         ORDER BY last_seen_at DESC, hash LIMIT 500 OFFSET \(KnownBrowser.mostOfAccount))
      """)
    return true
  }

  /// Forgets at most 500 that were not seen since `limit`, but for the latest of each account; how many.
  public func deleteKnownBrowsers(before limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM known_browser WHERE hash IN
        (SELECT k.hash FROM known_browser k WHERE k.last_seen_at < \(limit)
           AND k.last_seen_at < (SELECT max(l.last_seen_at) FROM known_browser l WHERE l.account_id = k.account_id)
         ORDER BY k.last_seen_at, k.hash LIMIT 500)
      """)
  }
}
