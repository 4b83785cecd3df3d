import SQL

extension Migration {
  /// Part of the first release: how much is vended, by day.
  ///
  /// Who takes what stands once, whatever the number of days; what is not told apart is empty there.
  static let vendUses: [Statement] = [
    """
    CREATE TABLE vend_use (
      id            bigint NOT NULL PRIMARY KEY,
      client_id     text   NOT NULL,
      key_id        text   NOT NULL,
      connection_id text   NOT NULL,
      account_id    text   NOT NULL,
      resource      text   NOT NULL,
      last_day      bigint NOT NULL
    )
    """,
    """
    CREATE TABLE vend_use_day (
      use_id   bigint NOT NULL REFERENCES vend_use (id) ON DELETE CASCADE,
      day      bigint NOT NULL,
      calls    bigint NOT NULL,
      refusals bigint NOT NULL,
      PRIMARY KEY (use_id, day)
    )
    """,
    "CREATE INDEX vend_use_by_last_day ON vend_use (last_day)",
    // A year is read by this index alone.
    "CREATE INDEX vend_use_day_counts ON vend_use_day (use_id, day, calls, refusals)",
    "CREATE INDEX vend_use_day_by_day ON vend_use_day (day)",
  ]
}
