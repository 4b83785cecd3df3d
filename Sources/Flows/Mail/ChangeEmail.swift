public import Domain
import Storage

/// Gives an account an address for mail: at once by an administrator, else when whoever reads mail there agrees.
public struct ChangeEmail: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// The address of an account, and the one that waits for an answer.
  public func standing(of account: AccountID) async throws -> (address: EmailAddress?, waiting: EmailAddress?) {
    let now = here.clock.now()
    return try await here.store.read { tx in
      (try tx.emailAddress(of: account), try tx.waitingEmailChange(of: account, at: now)?.address)
    }
  }

  /// Sends a link to an address; nothing changes until somebody opens it.
  ///
  /// - Throws: `Refusal` when it was asked too often.
  public func ask(_ address: EmailAddress, for account: AccountID, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    if let seconds = here.emailChanges.take(account.text, at: now) {
      throw Refusal(.slowDown, "Too many links were sent. Try again later.", retryAfter: seconds)
    }
    let mail = OutgoingMail(
      id: .random(), account: account, .confirmation, to: address, expiresAt: now + EmailChange.lifetime)
    try await here.store.write { tx in
      try tx.deleteMails(.confirmation, of: account)
      try tx.put(EmailChange(account: account, address: address), expiresAt: now + EmailChange.lifetime)
      try tx.insert(mail, nextAttemptAt: now)
    }
  }

  /// What a link agrees to; `nil` when it is unknown, over or was used.
  public func change(_ link: String) async throws -> (EmailChange, Account)? {
    let (hash, now) = (TokenHash(of: link), here.clock.now())
    return try await here.store.read { tx in
      guard let change = try tx.emailChange(hash, at: now), let account = try tx.account(change.account),
        !account.isDisabled
      else { return nil }
      return (change, account)
    }
  }

  /// Uses a link up; `false` when it counts no more.
  public func confirm(_ link: String, _ visitor: Visitor) async throws -> Bool {
    let (hash, now) = (TokenHash(of: link), here.clock.now())
    return try await here.store.write { tx in
      guard let change = try tx.consumeEmailChange(hash, at: now), let account = try tx.account(change.account),
        !account.isDisabled
      else { return false }
      try put(change.address, of: change.account, tx, visitor, at: now)
      return true
    }
  }

  /// Sets or removes an address without asking there: whoever may decide it has.
  ///
  /// - Throws: `Refusal` when there is no such account.
  public func set(_ address: EmailAddress?, of account: AccountID, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let isDone = try await here.store.write { tx in
      guard try tx.account(account) != nil else { return false }
      try tx.deleteEmailChange(of: account)
      try put(address, of: account, tx, visitor, at: now)
      return true
    }
    guard isDone else { throw Refusal(.notFound, "There is no account called \(account).") }
  }

  /// Writes an address down, and tells the one before.
  private func put(
    _ address: EmailAddress?, of account: AccountID, _ tx: Transaction, _ visitor: Visitor, at now: Timestamp
  ) throws {
    let former = try tx.emailAddress(of: account)
    guard former != address else { return }
    if let former, here.canMail {
      let mail = OutgoingMail(
        id: .random(), account: account, .formerAddress, to: former, expiresAt: now + OutgoingMail.lifetime)
      try tx.insert(mail, nextAttemptAt: now)
    }
    try tx.deleteMailedPasswordLinks(of: account)
    try tx.setEmailAddress(address, of: account)
    try tx.insert(
      AuditEvent(
        .emailChanged, at: now, origin: visitor.origin, account: account, detail: address == nil ? "removed" : nil))
    try here.telling(.emailChanged, account, visitor.facts, at: now)(tx)
  }
}

extension Quota {
  /// Links that one person has sent to addresses, which may be somebody else's.
  static func ofEmailChanges() -> Quota { Quota(each: 5, inAll: 500, window: 60 * 60) }
}
