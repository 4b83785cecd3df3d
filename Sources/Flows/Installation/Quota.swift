import Domain
import Synchronization

/// Counts what each of many does, and what all do together, until a window of time ends.
final class Quota: Sendable {
  /// The most that one may do within the window.
  let each: Int
  let inAll: Int
  /// In seconds.
  let window: Int64

  private struct State {
    var ends = Timestamp(seconds: 0)
    var counts: [String: Int] = [:]
    var total = 0
  }

  private let state = Mutex(State())

  init(each: Int, inAll: Int, window: Int64) {
    self.each = each
    self.inAll = inAll
    self.window = window
  }

  /// Counts one more for `name`; the seconds to wait when there have been too many.
  func take(_ name: String, at now: Timestamp) -> Int64? {
    state.withLock { state in
      if state.ends <= now { state = State(ends: now + window) }
      let count = state.counts[name] ?? 0
      guard count < each, state.total < inAll else { return state.ends - now }
      state.counts[name] = count + 1
      state.total += 1
      return nil
    }
  }

  /// Takes back what was counted for `name` within the window of `now`: it did no harm.
  func giveBack(_ name: String, at now: Timestamp) {
    state.withLock { state in
      guard now < state.ends, let count = state.counts[name], count > 0 else { return }
      state.counts[name] = count - 1
      state.total -= 1
    }
  }
}
