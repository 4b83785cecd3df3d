import SQL

extension Migration {
  /// Part of the first release: the API keys of clients.
  static let apiKeys: [Statement] = [
    """
    CREATE TABLE api_key (
      id             text   NOT NULL PRIMARY KEY,
      client_id      text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      name           text   NOT NULL,
      kind           text   NOT NULL,
      connections    text   NOT NULL,
      resources      text   NOT NULL,
      methods        text   NOT NULL,
      longest_answer bigint,
      referrers      text   NOT NULL,
      networks       text   NOT NULL,
      per_minute     bigint,
      per_day        bigint,
      created_at     bigint NOT NULL,
      revoked_at     bigint
    )
    """,
    "CREATE INDEX api_key_by_client ON api_key (client_id)",
    """
    CREATE TABLE api_key_slot (
      key_id       text   NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
      number       bigint NOT NULL,
      code         blob   NOT NULL,
      pepper_id    text   NOT NULL,
      made_at      bigint NOT NULL,
      expires_at   bigint NOT NULL,
      ended_at     bigint,
      last_used_at bigint,
      PRIMARY KEY (key_id, number)
    )
    """,
    """
    CREATE TABLE api_key_day (
      key_id   text   NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
      day      bigint NOT NULL,
      calls    bigint NOT NULL,
      refusals bigint NOT NULL,
      PRIMARY KEY (key_id, day)
    )
    """,
  ]
}
