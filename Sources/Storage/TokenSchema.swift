import SQL

extension Migration {
  /// Part of the first release: what apps are given, and what they are told.
  static let tokens: [Statement] = [
    """
    CREATE TABLE authorization_request (
      hash           blob   NOT NULL PRIMARY KEY,
      client_id      text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      redirect_uri   text,
      state          text,
      response_mode  text   NOT NULL,
      device_hash    blob,
      scope          text   NOT NULL,
      code_challenge text,
      prompt         text,
      openid         text   NOT NULL,
      dpop_key       text,
      lasts          bigint,
      created_at     bigint NOT NULL,
      expires_at     bigint NOT NULL,
      finished_at    bigint
    )
    """,
    """
    CREATE TABLE device_authorization (
      hash             blob   NOT NULL PRIMARY KEY,
      user_code        blob   NOT NULL UNIQUE,
      client_id        text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      scope            text   NOT NULL,
      address          text   NOT NULL,
      created_at       bigint NOT NULL,
      expires_at       bigint NOT NULL,
      poll_interval    bigint NOT NULL,
      asked_at         bigint,
      state            text   NOT NULL,
      account_id       text   REFERENCES account (id) ON DELETE CASCADE,
      session_hash     blob,
      authenticated_at bigint
    )
    """,
    """
    CREATE TABLE token_family (
      id               text   NOT NULL PRIMARY KEY,
      client_id        text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id       text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      session_hash     blob   NOT NULL,
      scope            text   NOT NULL,
      openid           text   NOT NULL,
      binding          text,
      generation       bigint NOT NULL,
      authenticated_at bigint NOT NULL,
      expires_at       bigint NOT NULL,
      revoked_at       bigint
    )
    """,
    "CREATE INDEX token_family_by_account ON token_family (account_id)",
    "CREATE INDEX token_family_by_session ON token_family (session_hash)",
    """
    CREATE TABLE authorization_code (
      hash             blob   NOT NULL PRIMARY KEY,
      client_id        text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id       text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      session_hash     blob   NOT NULL,
      redirect_uri     text   NOT NULL,
      scope            text   NOT NULL,
      code_challenge   text,
      openid           text   NOT NULL,
      dpop_key         text,
      lasts            bigint,
      authenticated_at bigint NOT NULL,
      expires_at       bigint NOT NULL,
      family_id        text   NOT NULL,
      consumed_at      bigint
    )
    """,
    """
    CREATE TABLE refresh_chain (
      id         blob   NOT NULL PRIMARY KEY,
      family_id  text   NOT NULL UNIQUE REFERENCES token_family (id) ON DELETE CASCADE,
      hash       blob   NOT NULL,
      expires_at bigint NOT NULL,
      former     blob,
      rotated_at bigint,
      successor  blob,
      replays    bigint NOT NULL
    )
    """,
    "CREATE INDEX refresh_chain_with_successor ON refresh_chain (rotated_at) WHERE successor IS NOT NULL",
    "CREATE TABLE revoked_token (jti text NOT NULL PRIMARY KEY, expires_at bigint NOT NULL)",
  ]

  /// Apps that have to be told that a session has ended.
  static let notices: [Statement] = [
    """
    CREATE TABLE logout_notice (
      id              text   NOT NULL PRIMARY KEY,
      client_id       text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id      text   NOT NULL,
      session_id      text   NOT NULL,
      attempts        bigint NOT NULL,
      next_attempt_at bigint NOT NULL,
      expires_at      bigint NOT NULL
    )
    """
  ]
}
