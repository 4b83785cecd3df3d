public import Domain
import SQL

extension Transaction {
  /// The clients that a session signed in to, each once, with their accounts; those that have no live tokens any more
  /// also want to know.
  public func clients(signedInBy session: TokenHash) throws -> [(client: ClientID, account: AccountID)] {
    try self.session.rows(
      """
      SELECT DISTINCT client_id, account_id FROM token_family WHERE session_hash = \(session) ORDER BY client_id
      """
    ).map { (try $0.identifier("client_id"), try $0.identifier("account_id")) }
  }

  /// Ends what a session gave to apps, but for what they were allowed beyond it (OpenID Connect Back-Channel Logout §2.7).
  public func revokeFamilies(ofSession session: TokenHash, at now: Timestamp) throws {
    let ids = try self.session.rows(
      "SELECT \(.familyColumns) FROM token_family WHERE session_hash = \(session) AND revoked_at IS NULL ORDER BY id"
    ).map(TokenFamily.init(row:)).filter { !$0.scope.contains(Scope.offlineAccess) }.map(\.id)
    for id in ids { try revokeFamily(id, at: now) }
    try self.session.run(
      """
      UPDATE authorization_code SET consumed_at = \(now) WHERE session_hash = \(session) AND consumed_at IS NULL
      """)
  }

  public func insert(_ notice: LogoutNotice, nextAttemptAt: Timestamp) throws {
    try session.run(
      """
      INSERT INTO logout_notice (id, client_id, account_id, session_id, attempts, next_attempt_at, expires_at)
      VALUES (\(notice.id), \(notice.client), \(notice.account), \(notice.sessionID), \(notice.attempts),
        \(nextAttemptAt), \(notice.expiresAt))
      """)
  }

  /// Takes up to 20 notices that are due, and puts off their next attempt so that nobody else takes them meanwhile.
  public func takeDueLogoutNotices(at now: Timestamp, until lease: Timestamp) throws -> [LogoutNotice] {
    try session.rows(
      """
      UPDATE logout_notice SET next_attempt_at = \(lease), attempts = attempts + 1
      WHERE next_attempt_at <= \(now)
        AND id IN (SELECT id FROM logout_notice WHERE next_attempt_at <= \(now) ORDER BY next_attempt_at, id LIMIT 20)
      RETURNING id, client_id, account_id, session_id, attempts, expires_at
      """
    ).map(LogoutNotice.init(row:)).sorted { $0.id.text < $1.id.text }
  }

  public func postpone(_ id: LogoutNoticeID, until next: Timestamp) throws {
    try session.run("UPDATE logout_notice SET next_attempt_at = \(next) WHERE id = \(id)")
  }

  @discardableResult
  public func deleteLogoutNotice(_ id: LogoutNoticeID) throws -> Bool {
    try session.run("DELETE FROM logout_notice WHERE id = \(id)") > 0
  }
}

extension LogoutNotice {
  init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), client: try row.identifier("client_id"), account: try row.identifier("account_id"),
      sessionID: try row.text("session_id"), attempts: try row.integer("attempts"),
      expiresAt: try row.time("expires_at"))
  }
}
