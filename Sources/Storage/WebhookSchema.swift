import SQL

extension Migration {
  /// Part of the first release: systems of administrators that are told what happens.
  static let webhooks: [Statement] = [
    """
    CREATE TABLE webhook (
      id          text   NOT NULL PRIMARY KEY,
      url         text   NOT NULL,
      events      text   NOT NULL,
      created_at  bigint NOT NULL,
      kek_id      text   NOT NULL REFERENCES kek (id),
      wrapped_key blob   NOT NULL,
      box         blob   NOT NULL
    )
    """,
    """
    CREATE TABLE webhook_delivery (
      id              text   NOT NULL PRIMARY KEY,
      webhook_id      text   NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
      event           text   NOT NULL,
      body            text   NOT NULL,
      created_at      bigint NOT NULL,
      attempts        bigint NOT NULL,
      state           text   NOT NULL,
      answer          text,
      next_attempt_at bigint
    )
    """,
    "CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery (webhook_id, created_at)",
    "CREATE INDEX webhook_delivery_by_attempt ON webhook_delivery (next_attempt_at) WHERE next_attempt_at IS NOT NULL",
  ]
}
