public import Domain
import SQL

extension Transaction {
  public func insert(_ mail: OutgoingMail, nextAttemptAt: Timestamp) throws {
    try session.run(
      """
      INSERT INTO outgoing_mail (id, account_id, subject, notice_id, recipient, attempts, next_attempt_at, expires_at)
      VALUES (\(mail.id), \(mail.account), \(mail.subject.word), \(mail.subject.notice), \(mail.recipient.text),
        \(mail.attempts), \(nextAttemptAt), \(mail.expiresAt))
      """)
  }

  /// Takes up to 20 mails that are due, and puts off their next attempt so that nobody else takes them meanwhile.
  public func takeDueMails(at now: Timestamp, until lease: Timestamp) throws -> [OutgoingMail] {
    try session.rows(
      """
      UPDATE outgoing_mail SET next_attempt_at = \(lease), attempts = attempts + 1
      WHERE next_attempt_at <= \(now)
        AND id IN (SELECT id FROM outgoing_mail WHERE next_attempt_at <= \(now) ORDER BY next_attempt_at, id LIMIT 20)
      RETURNING id, account_id, subject, notice_id, recipient, attempts, expires_at
      """
    ).map(OutgoingMail.init(row:)).sorted { $0.id.text < $1.id.text }
  }

  /// Makes every mail due: whoever was about to send one is dead, and the server may be there again.
  public func makeMailsDue(at now: Timestamp) throws {
    try session.run("UPDATE outgoing_mail SET next_attempt_at = \(now) WHERE next_attempt_at > \(now)")
  }

  public func postpone(_ id: OutgoingMailID, until next: Timestamp) throws {
    try session.run("UPDATE outgoing_mail SET next_attempt_at = \(next) WHERE id = \(id)")
  }

  @discardableResult
  public func deleteMail(_ id: OutgoingMailID) throws -> Bool {
    try session.run("DELETE FROM outgoing_mail WHERE id = \(id)") > 0
  }

  /// Deletes what waits with one subject for an account, since something newer takes its place.
  public func deleteMails(_ subject: OutgoingMail.Subject, of account: AccountID) throws {
    try session.run("DELETE FROM outgoing_mail WHERE account_id = \(account) AND subject = \(subject.word)")
  }
}

extension OutgoingMail.Subject {
  fileprivate var word: String {
    switch self {
    case .notice: "notice"
    case .confirmation: "confirmation"
    case .formerAddress: "former_address"
    case .passwordLink: "password_link"
    }
  }

  fileprivate var notice: NoticeID? { if case .notice(let id) = self { id } else { nil } }

  fileprivate init?(_ word: String, notice: NoticeID?) {
    switch word {
    case "notice":
      guard let notice else { return nil }
      self = .notice(notice)
    case "confirmation": self = .confirmation
    case "former_address": self = .formerAddress
    case "password_link": self = .passwordLink
    default: return nil
    }
  }
}

extension OutgoingMail {
  init(row: Row) throws {
    let notice = try row.optionalText("notice_id").flatMap { NoticeID($0) }
    self.init(
      id: try row.identifier("id"), account: try row.identifier("account_id"),
      try row.parsed("subject") { Subject($0, notice: notice) },
      to: try row.parsed("recipient", EmailAddress.init), attempts: try row.integer("attempts"),
      expiresAt: try row.time("expires_at"))
  }
}
