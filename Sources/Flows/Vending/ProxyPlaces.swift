import Domain
import Synchronization

/// The places for requests that the proxy passes on, so that one caller cannot take those of everybody.
final class ProxyPlaces: Sendable {
  /// For one person, or one client that acts for none; the outbound client has four times as many for one host.
  static let each = 32

  private let taken = Mutex<[String: Int]>([:])

  /// A place that is taken until the last reference to this goes.
  final class Place: Sendable {
    private let holder: String
    private let places: ProxyPlaces

    fileprivate init(_ holder: String, in places: ProxyPlaces) {
      self.holder = holder
      self.places = places
    }

    deinit { places.giveBack(holder) }
  }

  /// - Throws: `Refusal` `slow_down` when the caller has taken all of theirs.
  func take(for caller: AccessTokenClaims) throws(Refusal) -> Place {
    let holder = caller.account?.text ?? caller.client.text
    let isFree = taken.withLock { taken in
      let count = taken[holder, default: 0]
      guard count < Self.each else { return false }
      taken[holder] = count + 1
      return true
    }
    guard isFree else {
      throw Refusal(
        .slowDown, "\(Self.each) requests by the proxy are under way for this account. Wait until one has ended.",
        retryAfter: 1)
    }
    return Place(holder, in: self)
  }

  private func giveBack(_ holder: String) {
    taken.withLock { taken in
      let count = taken[holder, default: 0] - 1
      taken[holder] = count > 0 ? count : nil
    }
  }
}
