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
    """
    CREATE TABLE passkey (
      id           text   NOT NULL PRIMARY KEY,
      account_id   text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      credential   blob   NOT NULL UNIQUE,
      name         text   NOT NULL,
      algorithm    text   NOT NULL,
      public_key   blob   NOT NULL,
      counter      bigint NOT NULL,
      is_copied    bigint NOT NULL,
      created_at   bigint NOT NULL,
      last_used_at bigint
    )
    """,
    "CREATE INDEX passkey_by_account ON passkey (account_id)",
    """
    CREATE TABLE password_link (
      hash       blob   NOT NULL PRIMARY KEY,
      account_id text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      is_mailed  bigint NOT NULL,
      expires_at bigint NOT NULL,
      UNIQUE (account_id, is_mailed)
    )
    """,
    """
    CREATE TABLE used_challenge (
      hash       blob   NOT NULL PRIMARY KEY,
      expires_at bigint NOT NULL
    )
    """,
  ]
}
