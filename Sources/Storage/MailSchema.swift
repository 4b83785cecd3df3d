import SQL

extension Migration {
  /// Part of the first release: where people are reached by mail, and the mails that wait.
  static let mail: [Statement] = [
    """
    CREATE TABLE contact (
      account_id text NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      email      text,
      language   text
    )
    """,
    """
    CREATE TABLE email_change (
      account_id text   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      email      text   NOT NULL,
      hash       blob   UNIQUE,
      expires_at bigint NOT NULL
    )
    """,
    """
    CREATE TABLE outgoing_mail (
      id              text   NOT NULL PRIMARY KEY,
      account_id      text   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      subject         text   NOT NULL,
      notice_id       text   REFERENCES notice (id) ON DELETE CASCADE,
      recipient       text   NOT NULL,
      attempts        bigint NOT NULL,
      next_attempt_at bigint NOT NULL,
      expires_at      bigint NOT NULL
    )
    """,
    "CREATE INDEX outgoing_mail_by_attempt ON outgoing_mail (next_attempt_at)",
    "CREATE INDEX outgoing_mail_by_notice ON outgoing_mail (notice_id) WHERE notice_id IS NOT NULL",
  ]
}
