import SQL

extension Migration {
  /// Part of the first release: what people are told, and what it takes to tell it once.
  static let personalNotices: [Statement] = [
    """
    CREATE TABLE notice (
      id            text   NOT NULL PRIMARY KEY,
      account_id    text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      kind          text   NOT NULL,
      connection_id text,
      service       text,
      app           text,
      passkey       text,
      user_agent    text,
      address       text,
      at            bigint NOT NULL,
      read_at       bigint
    )
    """,
    "CREATE INDEX notice_by_account ON notice (account_id, at)",
    "CREATE INDEX notice_by_time ON notice (at)",
    """
    CREATE TABLE known_browser (
      account_id   text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      hash         blob   NOT NULL,
      last_seen_at bigint NOT NULL,
      PRIMARY KEY (account_id, hash)
    )
    """,
    """
    CREATE TABLE first_use (
      account_id    text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      client_id     text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      connection_id text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      at            bigint NOT NULL,
      PRIMARY KEY (account_id, client_id, connection_id)
    )
    """,
  ]
}
