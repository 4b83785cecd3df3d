import SQL

extension Migration {
  /// Part of the first release: what people prove beside their password.
  static let secondFactors: [Statement] = [
    """
    CREATE TABLE authenticator (
      account_id   text   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      last_step    bigint NOT NULL,
      created_at   bigint NOT NULL,
      confirmed_at bigint,
      kek_id       text   NOT NULL REFERENCES kek (id),
      wrapped_key  blob   NOT NULL,
      box          blob   NOT NULL
    )
    """,
    """
    CREATE TABLE recovery_code (
      account_id text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      mac        blob   NOT NULL,
      PRIMARY KEY (account_id, mac)
    )
    """,
  ]
}
