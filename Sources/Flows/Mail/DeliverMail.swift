import Domain
import Logging
import Mail
import Pages
import Storage

/// Empties the outbox of mails: each is tried until the server takes it, or two days have passed.
public struct DeliverMail: Sendable {
  private let here: Installation
  /// Seconds for which a batch belongs to whoever took it: more than twenty mails take.
  private static let lease: Int64 = 15 * 60

  public init(_ here: Installation) { self.here = here }

  /// Sends what is due.
  public func callAsFunction() async throws {
    guard let mailing = here.mailing else { return }
    let now = here.clock.now()
    let due = try await here.store.write { try $0.takeDueMails(at: now, until: now + Self.lease) }
    var ready: [(OutgoingMail, MailMessage)] = []
    for mail in due {
      if let message = try await message(of: mail, mailing, at: now) { ready.append((mail, message)) }
    }
    guard !ready.isEmpty else { return }
    let outcomes = await mailing.client.send(ready.map(\.1))
    for ((mail, _), failure) in zip(ready, outcomes) { try await settle(mail, failure) }
  }

  /// Makes what an earlier run of the program left behind due at once.
  public func takeOver() async throws {
    let now = here.clock.now()
    try await here.store.write { try $0.makeMailsDue(at: now) }
  }

  /// The mail as it is sent; `nil` when there is nothing to send any more.
  private func message(of mail: OutgoingMail, _ mailing: Mailing, at now: Timestamp) async throws -> MailMessage? {
    let found = try await here.store.read { tx in
      try tx.account(mail.account).map { ($0, try tx.language(of: $0.id) ?? "en") }
    }
    guard now < mail.expiresAt else {
      try await giveUp(mail, at: now)
      return nil
    }
    guard let (account, language) = found, !account.isDisabled, let text = try await text(of: mail, account, at: now)
    else {
      try await here.store.write { _ = try $0.deleteMail(mail.id) }
      return nil
    }
    return MailMessage(
      id: mail.id.text, from: mailing.sender, to: mail.recipient,
      subject: mailing.catalogues.text(of: text.subject, in: language),
      body: text.body(of: mailing.sender.name, mailing.catalogues, in: language), date: now.mailDate)
  }

  /// What it says; a link in it is made now, so that none rests in the outbox, and takes the place of an earlier one.
  private func text(of mail: OutgoingMail, _ account: Account, at now: Timestamp) async throws -> MailText? {
    switch mail.subject {
    case .notice(let id):
      return try await here.store.read { try $0.notice(id) }.map { MailText($0, at: here.issuer) }
    case .formerAddress: return MailText(leaving: account, at: here.issuer)
    case .confirmation:
      let (token, change) = (NewToken(), EmailChange(account: account.id, address: mail.recipient))
      let isWanted = try await here.store.write {
        try $0.setLink(token.hash, of: change, expiresAt: now + EmailChange.lifetime)
      }
      guard isWanted else { return nil }
      let link = Secret("\(here.issuer)/email?ticket=\(token.secret.revealedText)")
      return MailText(confirming: link, at: here.issuer)
    case .passwordLink:
      let token = NewToken()
      let made = here.recording(
        AuditEvent(.passwordLinkMade, at: now, origin: .system, account: account.id, detail: "by mail"))
      let isWanted = try await here.store.write { tx in
        guard try tx.emailAddress(of: account.id) == mail.recipient else { return false }
        try tx.insertPasswordLink(
          token.hash, of: account.id, isMailed: true, expiresAt: now + PasswordLink.mailedLifetime)
        try made(tx)
        return true
      }
      guard isWanted else { return nil }
      let link = Secret("\(here.issuer)/password?ticket=\(token.secret.revealedText)")
      return MailText(resetting: link, for: account, at: here.issuer)
    }
  }

  private func settle(_ mail: OutgoingMail, _ failure: MailFailure?) async throws {
    guard let failure else {
      try await here.store.write { _ = try $0.deleteMail(mail.id) }
      return
    }
    here.log.warning(
      "a mail was not taken", ["mail": .string(mail.id.text), "why": .string(failure.description)])
    let next = here.clock.now() + DeliveryPause.seconds(afterAttempts: mail.attempts)
    try await here.store.write { try $0.postpone(mail.id, until: next) }
  }

  private func giveUp(_ mail: OutgoingMail, at now: Timestamp) async throws {
    here.log.error("a mail was given up after two days", ["mail": .string(mail.id.text)])
    let event = here.recording(
      AuditEvent(.mailGivenUp, .failure, at: now, origin: .system, account: mail.account, detail: mail.id.text))
    try await here.store.write { tx in
      if try tx.deleteMail(mail.id) { try event(tx) }
    }
  }
}
