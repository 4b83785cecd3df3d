public import Domain
import Storage

/// Gives a local account another password, to whoever knows the present one.
public struct ChangePassword: Sendable {
  private let here: Installation
  private let throttle = SignInThrottle()

  public init(_ here: Installation) { self.here = here }

  public struct Draft: Sendable {
    let present: Secret
    let new: Secret
    /// The sessions that stay when all others end; `nil` ends none.
    let onlyKeeping: Set<TokenHash>?

    public init(present: Secret, new: Secret, onlyKeeping: Set<TokenHash>?) {
      self.present = present
      self.new = new
      self.onlyKeeping = onlyKeeping
    }

    /// What is wrong with the new password of `account`, or `nil`.
    public func objection(for account: Account) -> String? {
      if new == present { return "This is the present password. Choose another one." }
      return LocalPassword.objection(to: new.revealedText, username: account.username ?? "")
    }
  }

  public enum Outcome: Sendable {
    /// The device token takes the place of the one before, which ended with the password.
    case changed(sessionsEnded: Int, deviceToken: Secret)
    /// The present password is another one.
    case wrong
    case wait(seconds: Int64)
  }

  /// - Throws: `Refusal` when the account has no password, or the draft an objection.
  public func callAsFunction(_ draft: Draft, of account: Account, _ visitor: Visitor) async throws -> Outcome {
    let now = here.clock.now()
    guard let stored = try await here.store.read({ try $0.password(of: account.id) }) else { throw Self.noPassword }
    if let objection = draft.objection(for: account) { throw Refusal(.invalidRequest, objection) }
    if let seconds = throttle.begin(account.id.text, from: visitor.network, at: now) { return .wait(seconds: seconds) }
    guard try await isRight(draft.present, stored.hash, account, visitor) else {
      here.store.submit(
        AuditEvent(.passwordChangeFailed, .failure, at: now, origin: visitor.origin, account: account.id))
      return .wrong
    }
    throttle.forgive(account.id.text, from: visitor.network)
    let hash = try await here.passwords.hash(draft.new, for: visitor.network)
    return try await replace(
      stored, by: StoredPassword(hash: hash, changedAt: here.clock.now()), draft, account, visitor)
  }

  private func isRight(
    _ present: Secret, _ hash: String, _ account: Account, _ visitor: Visitor
  ) async throws -> Bool {
    guard present.revealed.count <= LocalPassword.maximumBytes else { return false }
    do {
      return try await here.passwords.matches(present, hash, for: visitor.network, isKnownDevice: true)
    } catch {
      // Nothing was checked, so nothing was guessed.
      throttle.takeBack(account.id.text, from: visitor.network)
      throw error
    }
  }

  private func replace(
    _ before: StoredPassword, by new: StoredPassword, _ draft: Draft, _ account: Account, _ visitor: Visitor
  ) async throws -> Outcome {
    let end = draft.onlyKeeping.map { EndSessions(here).ending(.allBut($0), of: account.id, visitor) }
    let changed = here.recording(
      AuditEvent(.passwordChanged, at: new.changedAt, origin: visitor.origin, account: account.id))
    let news = here.telling(.passwordChanged, account.id, visitor.facts, at: new.changedAt)
    let ended = try await here.store.write { tx -> (count: Int, notices: [LogoutNotice])? in
      // Somebody else may have changed it while this one was hashed.
      guard try tx.password(of: account.id)?.hash == before.hash else { return nil }
      try tx.setPasswordHash(new.hash, of: account.id, at: new.changedAt)
      try changed(tx)
      try news(tx)
      return try end?(tx) ?? (0, [])
    }
    guard let ended else { return .wrong }
    await NotifyClients(here).tell(ended.notices)
    return .changed(sessionsEnded: ended.count, deviceToken: here.deviceToken(for: account.id, new))
  }

  static let noPassword = Refusal(
    .notFound, "Your account has no password here: you sign in through a service.")
}
