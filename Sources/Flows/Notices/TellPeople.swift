import Crypto
import Domain
import Storage

extension Installation {
  /// A function that tells a person of something, inside the transaction that does it.
  ///
  /// The service itself is told nothing.
  func telling(
    _ kind: Notice.Kind, _ account: AccountID, _ facts: Notice.Facts = Notice.Facts(), at now: Timestamp
  ) -> @Sendable (Transaction) throws -> Void {
    let notice = Notice(id: .random(), account: account, kind: kind, facts: facts, at: now)
    return { tx in
      guard account != Account.service else { return }
      try tx.insert(notice)
      try self.mail(notice, tx)
    }
  }

  /// Sends a notice to where its person wants it, unless so many were sent that something repeats itself.
  private func mail(_ notice: Notice, _ tx: Transaction) throws {
    guard canMail, let address = try tx.emailAddress(of: notice.account),
      try tx.countNotices(of: notice.account, from: notice.at - 60 * 60) <= OutgoingMail.mostNoticesAnHour
    else { return }
    let mail = OutgoingMail(
      id: .random(), account: notice.account, .notice(notice.id), to: address,
      expiresAt: notice.at + OutgoingMail.lifetime)
    try tx.insert(mail, nextAttemptAt: notice.at)
  }

  /// Tells the owner of a credential, once, that nothing but their signing in mends it.
  func tellBroken(_ credential: Credential, _ tx: Transaction, at now: Timestamp) throws {
    guard try tx.noteBroken(credential.id, at: now) else { return }
    try announce(
      .credentialBroken, WebhookFacts(account: credential.account, connection: credential.connection), tx, at: now)
    try telling(.serviceBroken, credential.account, service(credential.connection, tx), at: now)(tx)
  }

  /// Tells the owner of a credential that it works again; what was told before is read.
  func tellRecovered(_ account: AccountID, _ connection: ConnectionID, _ tx: Transaction, at now: Timestamp) throws {
    try tx.markRead(.serviceBroken, about: connection, of: account, at: now)
    try announce(.credentialRecovered, WebhookFacts(account: account, connection: connection), tx, at: now)
    try telling(.serviceRecovered, account, service(connection, tx), at: now)(tx)
  }

  private func service(_ connection: ConnectionID, _ tx: Transaction) throws -> Notice.Facts {
    var facts = Notice.Facts()
    (facts.connection, facts.service) = (connection, try tx.connection(connection)?.name ?? connection.text)
    return facts
  }
}

extension Visitor {
  /// In which browser, and where, the person did it; nothing when it was somebody else's act.
  var facts: Notice.Facts {
    var facts = Notice.Facts()
    guard origin.administrator == nil, !userAgent.isEmpty else { return facts }
    (facts.userAgent, facts.address) = (userAgent, origin.address)
    return facts
  }
}
