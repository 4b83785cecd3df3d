import Domain
import Synchronization

/// Slows down guessing: after five wrong passwords for one account from one network, each further try has to wait.
///
/// A device that signed in before is never slowed, so nobody can lock the owner out (reference: WEB-50).
final class SignInThrottle: Sendable {
  private struct Failures {
    var count: Int64
    var blockedUntil: Timestamp
  }

  private struct Key: Hashable {
    let username: String
    let network: String
  }

  static let freeTries: Int64 = 5
  /// In seconds.
  static let longestDelay: Int64 = 15 * 60
  private static let capacity = 10_000

  private let failures = Mutex<[Key: Failures]>([:])

  /// Seconds to wait before the next try, or `nil` when it may be made now.
  func delay(for username: String, from network: String, at now: Timestamp) -> Int64? {
    failures.withLock { failures in
      guard let found = failures[Key(username: username, network: network)], found.blockedUntil > now else {
        return nil
      }
      return found.blockedUntil - now
    }
  }

  /// Counts a wrong password.
  func fail(_ username: String, from network: String, at now: Timestamp) {
    failures.withLock { failures in
      if failures.count >= Self.capacity {
        failures = failures.filter { now - $0.value.blockedUntil < Self.longestDelay }
      }
      let key = Key(username: username, network: network)
      let count = (failures[key]?.count ?? 0) + 1
      let over = min(count - Self.freeTries, 10)
      let delay = over > 0 ? min(1 << over, Self.longestDelay) : 0
      failures[key] = Failures(count: count, blockedUntil: now + delay)
    }
  }

  /// Forgets the failures after the right password.
  func succeed(_ username: String, from network: String) {
    failures.withLock { _ = $0.removeValue(forKey: Key(username: username, network: network)) }
  }
}
