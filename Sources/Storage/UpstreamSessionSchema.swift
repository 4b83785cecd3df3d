import SQL

extension Migration {
  /// Part of the first release: what a provider ends when it says that somebody has signed out there.
  static let upstreamSessions: [Statement] = [
    """
    CREATE TABLE upstream_session (
      session_hash  blob NOT NULL PRIMARY KEY REFERENCES session (hash) ON DELETE CASCADE,
      connection_id text NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      issuer        text NOT NULL,
      subject       text NOT NULL,
      sid           text
    )
    """,
    "CREATE INDEX upstream_session_by_subject ON upstream_session (connection_id, subject)",
    "CREATE INDEX upstream_session_by_sid ON upstream_session (connection_id, sid) WHERE sid IS NOT NULL",
    "CREATE INDEX credential_by_sid ON credential (connection_id, sid) WHERE sid IS NOT NULL",
    """
    CREATE TABLE used_logout_token (
      connection_id text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      hash          blob   NOT NULL,
      expires_at    bigint NOT NULL,
      PRIMARY KEY (connection_id, hash)
    )
    """,
  ]
}
