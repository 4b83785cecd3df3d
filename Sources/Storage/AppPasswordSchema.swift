import SQL

extension Migration {
  /// Part of the first release: passwords that people have for single apps.
  static let appPasswords: [Statement] = [
    """
    CREATE TABLE app_password (
      id            text   NOT NULL PRIMARY KEY,
      account_id    text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      client_id     text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      connection_id text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      code          blob   NOT NULL,
      pepper_id     text   NOT NULL,
      session_hash  blob   NOT NULL UNIQUE,
      created_at    bigint NOT NULL,
      last_used_at  bigint,
      UNIQUE (account_id, client_id, connection_id)
    )
    """,
    "CREATE INDEX app_password_by_connection ON app_password (connection_id)",
  ]
}
