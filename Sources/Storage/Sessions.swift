public import Domain
import SQL

extension Transaction {
  public func insert(_ session: BrowserSession) throws {
    try self.session.run(
      """
      INSERT INTO session (hash, account_id, kind, authenticated_at, last_seen_at, user_agent, address, methods)
      VALUES (\(session.hash), \(session.account), \(session.kind.rawValue), \(session.authenticatedAt),
        \(session.lastSeenAt), \(session.userAgent), \(session.address), \(session.methods.text))
      """)
  }

  /// The session of a cookie with its account; it may have expired, and the account may be disabled.
  public func session(_ hash: TokenHash) throws -> (session: BrowserSession, account: Account)? {
    try session.first(
      """
      SELECT s.hash, s.account_id, s.kind, s.authenticated_at, s.last_seen_at, s.user_agent, s.address, s.methods,
        a.id, a.name, a.username, a.role, a.disabled_at, a.created_at
      FROM session s JOIN account a ON a.id = s.account_id WHERE s.hash = \(hash)
      """
    ).map { (try BrowserSession(row: $0), try Account(row: $0)) }
  }

  /// The sessions of an account, the latest used first.
  public func sessions(of account: AccountID) throws -> [BrowserSession] {
    try session.rows(
      """
      SELECT hash, account_id, kind, authenticated_at, last_seen_at, user_agent, address, methods FROM session
      WHERE account_id = \(account) ORDER BY last_seen_at DESC, hash
      """
    ).map(BrowserSession.init(row:))
  }

  /// Ends the session that a browser had before `session` began in it; what was to be kept as long as that one is kept as
  /// long as this, if it is the same person's.
  public func end(_ former: TokenHash, succeededBy session: TokenHash, of account: AccountID) throws {
    try self.session.run(
      """
      UPDATE credential SET kept_session = \(session) WHERE kept_session = \(former) AND account_id = \(account)
      """)
    try deleteSession(former)
  }

  @discardableResult
  public func deleteSession(_ hash: TokenHash) throws -> Bool {
    try session.run("DELETE FROM session WHERE hash = \(hash)") > 0
  }

  @discardableResult
  public func deleteSessions(of account: AccountID) throws -> Int {
    try session.run("DELETE FROM session WHERE account_id = \(account)")
  }

  /// Removes sessions that nobody can use any more, at most 500.
  public func deleteSessions(signedInBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM session WHERE hash IN
        (SELECT hash FROM session WHERE authenticated_at < \(limit) ORDER BY authenticated_at, hash LIMIT 500)
      """)
  }
}

extension BrowserSession {
  init(row: Row) throws {
    self.init(
      hash: try row.hash("hash"), account: try row.identifier("account_id"),
      kind: try row.parsed("kind", Kind.init(rawValue:)), authenticatedAt: try row.time("authenticated_at"),
      lastSeenAt: try row.time("last_seen_at"), userAgent: try row.text("user_agent"),
      address: try row.text("address"), methods: AuthenticationMethods(text: try row.text("methods")))
  }
}
