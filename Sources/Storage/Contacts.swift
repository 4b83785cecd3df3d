public import Domain
import SQL

extension Transaction {
  /// Where mail for an account goes; `nil` when it has no address.
  public func emailAddress(of account: AccountID) throws -> EmailAddress? {
    try session.first("SELECT email FROM contact WHERE account_id = \(account)")?.optionalText("email")
      .flatMap(EmailAddress.init)
  }

  /// Whom a user name belongs to that signs in here and has an address; one look, whoever it is.
  public func recipient(username: String) throws -> (AccountID, EmailAddress)? {
    let row = try session.first(
      """
      SELECT a.id, c.email FROM account a JOIN contact c ON c.account_id = a.id
      WHERE a.username = \(username) AND a.disabled_at IS NULL AND c.email IS NOT NULL
      """)
    return try row.flatMap { row in
      try EmailAddress(row.text("email")).map { (try row.identifier("id"), $0) }
    }
  }

  public func setEmailAddress(_ address: EmailAddress?, of account: AccountID) throws {
    try session.run(
      """
      INSERT INTO contact (account_id, email) VALUES (\(account), \(address?.text))
      ON CONFLICT (account_id) DO UPDATE SET email = excluded.email
      """)
  }

  /// The language in which the account was used last.
  public func language(of account: AccountID) throws -> String? {
    try session.first("SELECT language FROM contact WHERE account_id = \(account)")?.optionalText("language")
  }

  public func setLanguage(_ language: String, of account: AccountID) throws {
    try session.run(
      """
      INSERT INTO contact (account_id, language) VALUES (\(account), \(language))
      ON CONFLICT (account_id) DO UPDATE SET language = excluded.language
      """)
  }

  /// Notes which address an account wants, in place of what it wanted before.
  public func put(_ change: EmailChange, expiresAt: Timestamp) throws {
    try session.run(
      """
      INSERT INTO email_change (account_id, email, expires_at)
      VALUES (\(change.account), \(change.address.text), \(expiresAt))
      ON CONFLICT (account_id) DO UPDATE SET email = excluded.email, hash = NULL, expires_at = excluded.expires_at
      """)
  }

  /// Gives the change of an account to `address` the link that is sent there; `false` when it wants that no more.
  public func setLink(_ hash: TokenHash, of change: EmailChange, expiresAt: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE email_change SET hash = \(hash), expires_at = \(expiresAt)
      WHERE account_id = \(change.account) AND email = \(change.address.text)
      """) > 0
  }

  /// The address that an account waits for.
  public func waitingEmailChange(of account: AccountID, at now: Timestamp) throws -> EmailChange? {
    try session.first(
      "SELECT account_id, email FROM email_change WHERE account_id = \(account) AND expires_at > \(now)"
    ).map(EmailChange.init(row:))
  }

  /// What a link agrees to; `nil` when it is unknown or over.
  ///
  /// Looking does not use it.
  public func emailChange(_ hash: TokenHash, at now: Timestamp) throws -> EmailChange? {
    try session.first("SELECT account_id, email FROM email_change WHERE hash = \(hash) AND expires_at > \(now)")
      .map(EmailChange.init(row:))
  }

  /// Uses up a link; `nil` when it is unknown, over, or was used before.
  public func consumeEmailChange(_ hash: TokenHash, at now: Timestamp) throws -> EmailChange? {
    try session.first(
      "DELETE FROM email_change WHERE hash = \(hash) AND expires_at > \(now) RETURNING account_id, email"
    ).map(EmailChange.init(row:))
  }

  public func deleteEmailChange(of account: AccountID) throws {
    try session.run("DELETE FROM email_change WHERE account_id = \(account)")
  }

  /// Deletes at most 500 that are over; how many.
  public func deleteEmailChanges(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM email_change WHERE account_id IN
        (SELECT account_id FROM email_change WHERE expires_at <= \(now) ORDER BY expires_at, account_id LIMIT 500)
      """)
  }
}

extension EmailChange {
  init(row: Row) throws {
    self.init(account: try row.identifier("account_id"), address: try row.parsed("email", EmailAddress.init))
  }
}
