import SQL

extension Migration {
  /// Everything that the first release keeps.
  ///
  /// Times are `bigint` seconds; lists are lines or space-separated words, as on the wire; what is sealed stands in the
  /// three columns `kek_id`, `wrapped_key` and `box`. Only the key of the audit log is called `integer`: that makes it
  /// SQLite's own row number, which needs no index beside the table; PostgreSQL is told that it is a `bigint`, too.
  static let initial = Migration(
    number: 1, oldestCompatible: 1,
    statements: keys + people + secondFactors + upstreams + passwordTries + invitations + apps + registrations
      + challenges + tokens
      + apiKeys
      + appPasswords
      + clientLooks
      + vendUses
      + journals
      + notices
      + personalNotices
      + mail
      + webhooks
      + upstreamSessions
      + audit,
    postgreSQL: (
      before: ["CREATE DOMAIN blob AS bytea"],
      after: ["ALTER TABLE audit ALTER COLUMN id TYPE bigint"]
    ))

  private static let keys: [Statement] = [
    "CREATE TABLE setting (name text NOT NULL PRIMARY KEY, value text NOT NULL)",
    """
    CREATE TABLE kek (
      id          text   NOT NULL PRIMARY KEY,
      check_value blob   NOT NULL,
      created_at  bigint NOT NULL
    )
    """,
    """
    CREATE TABLE purpose_key (
      id          text   NOT NULL PRIMARY KEY,
      purpose     text   NOT NULL,
      kek_id      text   NOT NULL REFERENCES kek (id),
      wrapped_key blob   NOT NULL,
      box         blob   NOT NULL,
      created_at  bigint NOT NULL
    )
    """,
    """
    CREATE TABLE signing_key (
      id          text   NOT NULL PRIMARY KEY,
      algorithm   text   NOT NULL,
      public_key  blob   NOT NULL,
      kek_id      text   NOT NULL REFERENCES kek (id),
      wrapped_key blob   NOT NULL,
      box         blob   NOT NULL,
      created_at  bigint NOT NULL,
      signs_from  bigint NOT NULL
    )
    """,
  ]

  private static let people: [Statement] = [
    """
    CREATE TABLE account (
      id          text   NOT NULL PRIMARY KEY,
      name        text   NOT NULL,
      username    text   UNIQUE,
      role        text   NOT NULL,
      disabled_at bigint,
      created_at  bigint NOT NULL
    )
    """,
    """
    CREATE TABLE local_password (
      account_id text   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      hash       text   NOT NULL,
      changed_at bigint NOT NULL
    )
    """,
    """
    CREATE TABLE session (
      hash             blob   NOT NULL PRIMARY KEY,
      account_id       text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      kind             text   NOT NULL,
      authenticated_at bigint NOT NULL,
      last_seen_at     bigint NOT NULL,
      user_agent       text   NOT NULL,
      address          text   NOT NULL,
      methods          text   NOT NULL
    )
    """,
    "CREATE INDEX session_by_account ON session (account_id)",
    """
    CREATE TABLE setup_link (
      hash        blob   NOT NULL PRIMARY KEY,
      expires_at  bigint NOT NULL,
      consumed_at bigint
    )
    """,
  ]

  private static let upstreams: [Statement] = [
    """
    CREATE TABLE connection (
      id             text   NOT NULL PRIMARY KEY,
      name           text   NOT NULL,
      kind           text   NOT NULL,
      origin         text   NOT NULL,
      client_id      text   NOT NULL,
      resources      text   NOT NULL,
      reach_hosts    text   NOT NULL,
      reach_networks text   NOT NULL,
      allows_http    bigint NOT NULL,
      admission      text   NOT NULL,
      admitted       text   NOT NULL,
      scopes         text   NOT NULL,
      options        text   NOT NULL,
      revision       bigint NOT NULL,
      disabled_at    bigint,
      created_at     bigint NOT NULL,
      kek_id         text   REFERENCES kek (id),
      wrapped_key    blob,
      box            blob
    )
    """,
    """
    CREATE TABLE identity (
      connection_id text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      issuer        text   NOT NULL,
      subject       text   NOT NULL,
      account_id    text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      display_name  text   NOT NULL,
      linked_at     bigint NOT NULL,
      PRIMARY KEY (connection_id, issuer, subject)
    )
    """,
    "CREATE INDEX identity_by_account ON identity (account_id)",
    """
    CREATE TABLE credential (
      id                 text   NOT NULL PRIMARY KEY,
      account_id         text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      connection_id      text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      issuer             text   NOT NULL,
      subject            text   NOT NULL,
      display_name       text   NOT NULL,
      state              text   NOT NULL,
      generation         bigint NOT NULL,
      access_expires_at  bigint NOT NULL,
      refresh_expires_at bigint,
      can_refresh        bigint NOT NULL,
      connected_at       bigint NOT NULL,
      refreshed_at       bigint NOT NULL,
      last_used_at       bigint,
      kept_until         bigint,
      kept_session       blob,
      sid                text,
      offline            bigint NOT NULL,
      broken_told_at     bigint,
      ending_told_at     bigint,
      kek_id             text   NOT NULL REFERENCES kek (id),
      wrapped_key        blob   NOT NULL,
      box                blob   NOT NULL,
      UNIQUE (account_id, connection_id)
    )
    """,
    "CREATE INDEX credential_by_kept_until ON credential (kept_until)",
    "CREATE INDEX credential_by_kept_session ON credential (kept_session)",
    """
    CREATE TABLE federated_server (
      connection_id       text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      root                text   NOT NULL,
      connection_revision bigint NOT NULL,
      owning_system_url   text,
      takes_tokens        bigint NOT NULL,
      answered_at         bigint NOT NULL,
      ask_again_at        bigint NOT NULL,
      PRIMARY KEY (connection_id, root)
    )
    """,
    """
    CREATE TABLE server_token (
      credential_id text   NOT NULL REFERENCES credential (id) ON DELETE CASCADE,
      root          text   NOT NULL,
      generation    bigint NOT NULL,
      expires_at    bigint NOT NULL,
      kek_id        text   NOT NULL REFERENCES kek (id),
      wrapped_key   blob   NOT NULL,
      box           blob   NOT NULL,
      PRIMARY KEY (credential_id, root)
    )
    """,
    """
    CREATE TABLE sign_in_attempt (
      state_hash          blob   NOT NULL PRIMARY KEY,
      browser_hash        blob   NOT NULL,
      connection_id       text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      connection_revision bigint NOT NULL,
      account_id          text   REFERENCES account (id) ON DELETE CASCADE,
      invitation_hash     blob,
      return_path         text   NOT NULL,
      kek_id              text   NOT NULL REFERENCES kek (id),
      wrapped_key         blob   NOT NULL,
      box                 blob   NOT NULL,
      expires_at          bigint NOT NULL,
      consumed_at         bigint
    )
    """,
  ]

  private static let passwordTries: [Statement] = [
    """
    CREATE TABLE password_try (
      id            text   NOT NULL PRIMARY KEY,
      connection_id text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      username_hash blob   NOT NULL,
      account_id    text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      tried_at      bigint NOT NULL
    )
    """,
    "CREATE INDEX password_try_by_account ON password_try (account_id)",
    "CREATE INDEX password_try_by_username ON password_try (connection_id, username_hash)",
  ]

  private static let invitations: [Statement] = [
    """
    CREATE TABLE invitation (
      id            text   NOT NULL PRIMARY KEY,
      connection_id text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      hash          blob   NOT NULL UNIQUE,
      name          text,
      username      text,
      created_at    bigint NOT NULL,
      expires_at    bigint NOT NULL,
      finished_at   bigint
    )
    """,
    "CREATE INDEX invitation_by_username ON invitation (connection_id, username)",
  ]

  private static let apps: [Statement] = [
    """
    CREATE TABLE client (
      id            text   NOT NULL PRIMARY KEY,
      name          text   NOT NULL,
      kind          text   NOT NULL,
      redirect_uris text   NOT NULL,
      grants        text   NOT NULL,
      scope         text   NOT NULL,
      options       text   NOT NULL,
      disabled_at   bigint,
      created_at    bigint NOT NULL,
      last_used_at  bigint
    )
    """,
    """
    CREATE TABLE client_secret (
      client_id  text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      hash       blob   NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint,
      PRIMARY KEY (client_id, hash)
    )
    """,
    """
    CREATE TABLE used_assertion (
      client_id  text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      hash       blob   NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (client_id, hash)
    )
    """,
    """
    CREATE TABLE used_proof (
      hash       blob   NOT NULL PRIMARY KEY,
      expires_at bigint NOT NULL
    )
    """,
    """
    CREATE TABLE client_connection (
      client_id     text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      connection_id text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      raw_tokens    bigint NOT NULL,
      unattended    bigint NOT NULL,
      PRIMARY KEY (client_id, connection_id)
    )
    """,
    """
    CREATE TABLE consent (
      account_id  text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      client_id   text   NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      scope       text   NOT NULL,
      connections text   NOT NULL,
      unattended  text   NOT NULL,
      given_at    bigint NOT NULL,
      PRIMARY KEY (account_id, client_id)
    )
    """,
  ]

  private static let journals: [Statement] = [
    """
    CREATE TABLE refresh_attempt (
      id            text   NOT NULL PRIMARY KEY,
      credential_id text   NOT NULL UNIQUE REFERENCES credential (id) ON DELETE CASCADE,
      generation    bigint NOT NULL,
      posts         bigint NOT NULL,
      lease_until   bigint NOT NULL,
      answered_at   bigint,
      kek_id        text,
      wrapped_key   blob,
      box           blob   NOT NULL
    )
    """,
    """
    CREATE TABLE revocation (
      id              text   NOT NULL PRIMARY KEY,
      account_id      text   NOT NULL,
      connection_id   text   NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
      attempts        bigint NOT NULL,
      next_attempt_at bigint NOT NULL,
      expires_at      bigint NOT NULL,
      kek_id          text   NOT NULL REFERENCES kek (id),
      wrapped_key     blob   NOT NULL,
      box             blob   NOT NULL
    )
    """,
  ]

  private static let audit: [Statement] = [
    """
    CREATE TABLE audit (
      id            integer NOT NULL PRIMARY KEY,
      at            bigint NOT NULL,
      name          text   NOT NULL,
      outcome       text   NOT NULL,
      account_id    text,
      client_id     text,
      connection_id text,
      resource      text,
      detail        text,
      request_id    text   NOT NULL,
      address       text   NOT NULL,
      actor_id      text
    )
    """,
    "CREATE INDEX audit_by_actor ON audit (actor_id) WHERE actor_id IS NOT NULL",
    "CREATE INDEX audit_by_account ON audit (account_id, client_id, name, at) WHERE account_id IS NOT NULL",
    """
    CREATE TABLE audit_batch (
      number    bigint NOT NULL PRIMARY KEY,
      last_id   bigint NOT NULL,
      row_count bigint NOT NULL,
      digest    blob   NOT NULL,
      key_id    text   NOT NULL,
      mac       blob   NOT NULL
    )
    """,
  ]
}
