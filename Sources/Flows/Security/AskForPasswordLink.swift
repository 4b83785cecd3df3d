import Domain
import Storage
import Synchronization

/// Mails a link to whoever has forgotten their password; nobody learns whether there is such an account.
public struct AskForPasswordLink: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Outcome: Sendable, Equatable {
    /// If there is somebody to send it to, a link is on its way.
    case taken
    case wait(seconds: Int64)
  }

  /// Takes a wish and looks nothing up, so that the time of the answer is the same for every name.
  public func callAsFunction(_ username: String, _ visitor: Visitor) -> Outcome {
    let now = here.clock.now()
    if let seconds = here.passwordWishes.networks.take(visitor.network, at: now) { return .wait(seconds: seconds) }
    here.passwordWishes.append(.init(username: Username.folded(username), origin: visitor.origin))
    return .taken
  }

  /// Puts the mails of the wishes that came into the outbox, where there is somebody to send them to.
  ///
  /// - Throws: What went wrong with one wish, which is gone then; the others keep for the next time.
  func carryOut() async throws {
    var wishes = here.passwordWishes.takeAll()[...]
    defer { here.passwordWishes.putBack(wishes) }
    while let wish = wishes.popFirst() { try await carryOut(wish, at: here.clock.now()) }
  }

  private func carryOut(_ wish: PasswordWishes.Wish, at now: Timestamp) async throws {
    guard let (account, address) = try await here.store.read({ try $0.recipient(username: wish.username) }),
      here.passwordWishes.accounts.take(account.text, at: now) == nil
    else { return }
    let mail = OutgoingMail(
      id: .random(), account: account, .passwordLink, to: address, expiresAt: now + PasswordLink.mailedLifetime)
    try await here.store.write { tx in
      try tx.deleteMails(.passwordLink, of: account)
      try tx.insert(mail, nextAttemptAt: now)
      try tx.insert(AuditEvent(.passwordForgotten, at: now, origin: wish.origin, account: account))
    }
  }
}

/// The names that links were asked for lately; a crash loses those of the last second.
final class PasswordWishes: Sendable {
  struct Wish: Sendable {
    let username: String
    let origin: AuditEvent.Origin
  }

  /// Links that one network asks for in an hour.
  let networks = Quota(each: 10, inAll: 1000, window: 60 * 60)
  /// Links that are mailed to one account in an hour, so that nobody's mailbox is filled.
  let accounts = Quota(each: 3, inAll: 1000, window: 60 * 60)
  private let waiting = Mutex<[Wish]>([])

  func append(_ wish: Wish) { waiting.withLock { $0.append(wish) } }

  func takeAll() -> [Wish] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  /// Keeps what could not be carried out for the next time.
  func putBack(_ wishes: ArraySlice<Wish>) { waiting.withLock { $0.insert(contentsOf: wishes, at: 0) } }
}
