import Domain
import Flows
import Glibc
import Synchronization

/// A wall clock that stands still until a test moves it.
final class TestClock: Sendable {
  private let seconds: Atomic<Int64>

  /// Starts at the machine's time, which the simulator keeps.
  init() { seconds = Atomic(Int64(time(nil))) }

  var clock: Clock { Clock(wall: { [self] in seconds.load(ordering: .sequentiallyConsistent) }) }

  var now: Timestamp { Timestamp(seconds: seconds.load(ordering: .sequentiallyConsistent)) }

  /// Moves by a number of seconds, also back.
  func advance(by more: Int64) { seconds.add(more, ordering: .sequentiallyConsistent) }
}
