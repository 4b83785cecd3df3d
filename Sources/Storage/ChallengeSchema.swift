import SQL

extension Migration {
  /// Part of the first release: the ways through the layers of a URL that people are on.
  static let challenges: [Statement] = [
    """
    CREATE TABLE challenge (
      handle               blob   NOT NULL PRIMARY KEY,
      browser_hash         blob   NOT NULL,
      account_id           text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      resource             text   NOT NULL,
      origin               text   NOT NULL,
      client_id            text   REFERENCES client (id) ON DELETE CASCADE,
      connection_id        text   REFERENCES connection (id) ON DELETE CASCADE,
      authorization_handle text,
      rejected             text   NOT NULL,
      attempts             bigint NOT NULL,
      ending               text,
      words                text,
      told_at              bigint,
      expires_at           bigint NOT NULL
    )
    """,
    "CREATE INDEX challenge_by_account ON challenge (account_id)",
  ]
}
