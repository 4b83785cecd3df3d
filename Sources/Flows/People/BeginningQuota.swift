public import Domain
import Synchronization

/// Bounds the rows that strangers can make us store: authorization requests and trips to upstreams live ten minutes, and
/// so does each count of those who began them.
final class BeginningQuota: Sendable {
  /// Room for thousands of people behind one address, and for an installation that forgot to name its proxy.
  static let mostPerNetwork = 10_000
  static let mostInAll = 100_000
  /// In seconds.
  static let window: Int64 = 10 * 60

  private struct State {
    var ends = Timestamp(seconds: 0)
    var counts: [String: Int] = [:]
    var total = 0
  }

  private let state = Mutex(State())

  /// Counts one more for `network`; the seconds to wait when there have been too many.
  func take(_ network: String, at now: Timestamp) -> Int64? {
    state.withLock { state in
      if state.ends <= now { state = State(ends: now + Self.window) }
      let count = state.counts[network] ?? 0
      guard count < Self.mostPerNetwork, state.total < Self.mostInAll else { return state.ends - now }
      state.counts[network] = count + 1
      state.total += 1
      return nil
    }
  }
}

extension Installation {
  /// Counts that `visitor` begins something whose row nobody may ever finish.
  ///
  /// - Throws: `Refusal` `slow_down` when their network, or all together, began too many within ten minutes.
  public func countBeginning(by visitor: Visitor) throws(Refusal) {
    guard let seconds = beginnings.take(visitor.network, at: clock.now()) else { return }
    throw Refusal(
      .slowDown, "Too many sign-ins were begun from your network. Try again in a few minutes.", retryAfter: seconds)
  }
}
