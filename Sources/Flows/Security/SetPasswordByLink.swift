public import Domain
import Storage

/// Sets the password of a local account, for whoever has the link that an administrator made.
public struct SetPasswordByLink: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Whose password the link sets; `nil` when it is unknown, over or was used.
  public func account(_ link: String) async throws -> Account? {
    let (hash, now) = (TokenHash(of: link), here.clock.now())
    return try await here.store.read { tx in
      guard let account = try tx.accountOfPasswordLink(hash, at: now), !account.isDisabled else { return nil }
      return account
    }
  }

  /// What is wrong with a password for `account`, or `nil`.
  public func objection(to password: Secret, for account: Account) -> String? {
    LocalPassword.objection(to: password.revealedText, username: account.username ?? "")
  }

  /// Sets it, uses the link up, and ends every session of the account; a second step stays, and is asked for as before.
  ///
  /// - Returns: `false` when the link does not count any more.
  public func callAsFunction(_ link: String, _ password: Secret, _ visitor: Visitor) async throws -> Bool {
    // Strangers without a link must not make us hash.
    guard let account = try await account(link) else { return false }
    if let objection = objection(to: password, for: account) { throw Refusal(.invalidRequest, objection) }
    let hash = try await here.passwords.hash(password, for: visitor.network)
    let (now, linkHash) = (here.clock.now(), TokenHash(of: link))
    let end = EndSessions(here).ending(.allBut([]), of: account.id, visitor)
    let changed = here.recording(
      AuditEvent(.passwordChanged, at: now, origin: visitor.origin, account: account.id, detail: "link"))
    let news = here.telling(.passwordSetByLink, account.id, visitor.facts, at: now)
    let notices: [LogoutNotice]? = try await here.store.write { tx in
      guard try tx.consumePasswordLink(linkHash, at: now) else { return nil }
      try tx.setPasswordHash(hash, of: account.id, at: now)
      try changed(tx)
      try news(tx)
      return try end(tx).notices
    }
    guard let notices else { return false }
    await NotifyClients(here).tell(notices)
    return true
  }
}
