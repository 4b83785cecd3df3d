public import Domain
import SQL

/// The sign-ins at providers by which browser sessions began.
extension Transaction {
  /// Notes that a browser session began with a sign-in of `identity`; `sessionID` is the provider's `sid`.
  public func insertUpstreamSession(_ sessionID: String?, of identity: UpstreamIdentity, for session: TokenHash) throws
  {
    try self.session.run(
      """
      INSERT INTO upstream_session (session_hash, connection_id, issuer, subject, sid)
      VALUES (\(session), \(identity.connection), \(identity.issuer), \(identity.subject), \(sessionID))
      """)
  }

  /// Notes that the same person has signed in at the provider once more, from a browser session that began there.
  public func renewUpstreamSession(_ sessionID: String?, of identity: UpstreamIdentity, for session: TokenHash) throws {
    try self.session.run(
      """
      UPDATE upstream_session SET sid = \(sessionID)
      WHERE session_hash = \(session) AND connection_id = \(identity.connection) AND issuer = \(identity.issuer)
        AND subject = \(identity.subject)
      """)
  }

  /// The browser sessions that began with what a provider has ended, with their accounts.
  public func browserSessions(endedBy logout: UpstreamLogout) throws -> [(hash: TokenHash, account: AccountID)] {
    let rows =
      if let sessionID = logout.sessionID {
        try session.rows(
          """
          SELECT s.hash, s.account_id, u.subject FROM upstream_session u JOIN session s ON s.hash = u.session_hash
          WHERE u.connection_id = \(logout.connection) AND u.sid = \(sessionID) AND u.issuer = \(logout.issuer)
          ORDER BY s.hash
          """)
      } else {
        try session.rows(
          """
          SELECT s.hash, s.account_id, u.subject FROM upstream_session u JOIN session s ON s.hash = u.session_hash
          WHERE u.connection_id = \(logout.connection) AND u.subject = \(logout.subject) AND u.issuer = \(logout.issuer)
          ORDER BY s.hash
          """)
      }
    return try rows.filter { logout.isAbout(subject: try $0.text("subject")) }.map {
      (try $0.hash("hash"), try $0.identifier("account_id"))
    }
  }

  /// The credentials that came with what a provider has ended; not what is being closed.
  public func credentials(endedBy logout: UpstreamLogout) throws -> [Credential] {
    let rows =
      if let sessionID = logout.sessionID {
        try session.rows(
          """
          SELECT \(.credentialColumns) FROM credential
          WHERE connection_id = \(logout.connection) AND sid = \(sessionID) AND issuer = \(logout.issuer)
            AND state <> 'closing' ORDER BY id
          """)
      } else {
        try session.rows(
          """
          SELECT \(.credentialColumns) FROM credential
          WHERE connection_id = \(logout.connection) AND subject = \(logout.subject) AND issuer = \(logout.issuer)
            AND state <> 'closing' AND account_id IN
            (SELECT account_id FROM identity WHERE connection_id = \(logout.connection)
               AND issuer = \(logout.issuer) AND subject = \(logout.subject))
          ORDER BY id
          """)
      }
    return try rows.map(Credential.init(row:)).filter { logout.isAbout(subject: $0.identity.subject) }
  }

  /// Uses up a logout token until it would be refused in any case; `false` when it was used before.
  public func useLogoutToken(
    _ hash: TokenHash, of connection: ConnectionID, until end: Timestamp, at now: Timestamp
  ) throws -> Bool {
    try session.run(
      """
      INSERT INTO used_logout_token (connection_id, hash, expires_at) VALUES (\(connection), \(hash), \(end))
      ON CONFLICT (connection_id, hash) DO UPDATE SET expires_at = excluded.expires_at
      WHERE used_logout_token.expires_at <= \(now)
      """) > 0
  }

  /// Forgets used logout tokens that nobody would believe any more, at most 500.
  public func deleteUsedLogoutTokens(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM used_logout_token WHERE (connection_id, hash) IN
        (SELECT connection_id, hash FROM used_logout_token WHERE expires_at <= \(now)
         ORDER BY expires_at, connection_id, hash LIMIT 500)
      """)
  }
}
