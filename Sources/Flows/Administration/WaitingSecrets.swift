import Crypto
public import Domain
import Synchronization

/// New secrets that wait for the one page that shows them.
///
/// The form that makes a secret is answered with a redirect, and the page that follows takes the secret away; so
/// reloading either makes nothing again. Kept in memory, for five minutes at most.
final class WaitingSecrets: Sendable {
  /// In seconds.
  static let lifetime: Int64 = 5 * 60
  private static let capacity = 1000

  private struct Waiting {
    let secret: Secret
    let purpose: String
    let expiresAt: Timestamp
  }

  private let waiting = Mutex<[TokenHash: Waiting]>([:])

  func put(_ secret: Secret, for purpose: String, at now: Timestamp) -> Secret {
    let ticket = NewToken()
    waiting.withLock { waiting in
      waiting = waiting.filter { $0.value.expiresAt > now }
      if waiting.count >= Self.capacity { waiting.removeAll() }
      waiting[ticket.hash] = Waiting(secret: secret, purpose: purpose, expiresAt: now + Self.lifetime)
    }
    return ticket.secret
  }

  func take(_ ticket: String, for purpose: String, at now: Timestamp) -> Secret? {
    waiting.withLock { waiting in
      let hash = TokenHash(of: ticket)
      guard let found = waiting[hash], found.purpose == purpose, found.expiresAt > now else { return nil }
      waiting[hash] = nil
      return found.secret
    }
  }
}

extension Installation {
  /// Keeps a new secret until the administrator's next page takes it.
  ///
  /// `purpose` says which page. Returns the ticket with which it is taken.
  public func keep(_ secret: Secret, for administrator: AccountID, _ purpose: String) -> Secret {
    waitingSecrets.put(secret, for: "\(administrator) \(purpose)", at: clock.now())
  }

  /// Gives out what ``keep(_:for:_:)`` kept, once.
  public func take(_ ticket: String, for administrator: AccountID, _ purpose: String) -> Secret? {
    waitingSecrets.take(ticket, for: "\(administrator) \(purpose)", at: clock.now())
  }
}
