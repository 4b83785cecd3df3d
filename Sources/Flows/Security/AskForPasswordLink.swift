import Domain
import Storage

/// Mails a link to whoever has forgotten their password; nobody learns whether there is such an account.
public struct AskForPasswordLink: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Outcome: Sendable, Equatable {
    /// If there is somebody to send it to, a link is on its way.
    case taken
    case wait(seconds: Int64)
  }

  /// What is looked up, and how long the answer takes, is the same for every name: what comes of it is written without
  /// anybody waiting, and mailed later.
  public func callAsFunction(_ username: String, _ visitor: Visitor) async throws -> Outcome {
    let (now, folded) = (here.clock.now(), Username.folded(username))
    if let seconds = here.passwordWishes.take("network \(visitor.network)", at: now) { return .wait(seconds: seconds) }
    let found = try await here.store.read { try $0.recipient(username: folded) }
    guard here.canMail, let (account, address) = found,
      here.passwordWishesOfAccounts.take(account.text, at: now) == nil
    else { return .taken }
    let mail = OutgoingMail(
      id: .random(), account: account, .passwordLink, to: address, expiresAt: now + PasswordLink.mailedLifetime)
    let asked = AuditEvent(.passwordForgotten, at: now, origin: visitor.origin, account: account)
    here.store.submit(mail, inPlaceOfOthers: asked, at: now)
    return .taken
  }
}

extension Quota {
  /// Links that one network asks for.
  static func ofPasswordWishes() -> Quota { Quota(each: 10, inAll: 1000, window: 60 * 60) }

  /// Links that are mailed to one account, so that nobody's mailbox is filled.
  static func ofPasswordWishesOfAccounts() -> Quota { Quota(each: 3, inAll: 1000, window: 60 * 60) }
}
