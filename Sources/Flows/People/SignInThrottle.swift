import Domain
import Synchronization

/// Slows down guessing: after some wrong passwords for one account from one network, each further try has to wait.
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

  private let freeTries: Int64
  /// In seconds.
  static let longestDelay: Int64 = 15 * 60
  private static let capacity = 10_000

  private let failures = Mutex<[Key: Failures]>([:])

  init(freeTries: Int64 = 5) { self.freeTries = freeTries }

  /// Counts a try before its password is checked, so that tries sent all at once are not free.
  ///
  /// - Returns: Seconds to wait if the try may not be made; it is not counted then.
  func begin(_ username: String, from network: String, at now: Timestamp) -> Int64? {
    failures.withLock { failures in
      let key = Key(username: Self.cut(username), network: network)
      let found = failures[key]
      if let found, found.blockedUntil > now { return found.blockedUntil - now }
      if failures.count >= Self.capacity {
        failures = failures.filter { now - $0.value.blockedUntil < Self.longestDelay }
        if failures.count >= Self.capacity { failures = failures.filter { $0.value.blockedUntil > now } }
        if failures.count >= Self.capacity { failures.removeAll() }
      }
      let count = (found?.count ?? 0) + 1
      let over = min(count - freeTries, 10)
      let delay = over > 0 ? min(1 << over, Self.longestDelay) : 0
      failures[key] = Failures(count: count, blockedUntil: now + delay)
      return nil
    }
  }

  /// Uncounts a try whose password was not checked.
  func takeBack(_ username: String, from network: String) {
    failures.withLock { failures in
      let key = Key(username: Self.cut(username), network: network)
      failures[key]?.count -= 1
      if failures[key]?.count == 0 { failures[key] = nil }
    }
  }

  /// How many pairs of a name and a network are remembered.
  var count: Int { failures.withLock { $0.count } }

  /// Forgets the tries once a password was right.
  func forgive(_ username: String, from network: String) {
    failures.withLock { _ = $0.removeValue(forKey: Key(username: Self.cut(username), network: network)) }
  }

  /// In 64 bytes, as no account has a longer name: what strangers send must not fill the memory.
  private static func cut(_ username: String) -> String { String(decoding: username.utf8.prefix(64), as: UTF8.self) }
}
