import SQL
import Synchronization

/// How the server does, as far as all threads of one database have noticed.
///
/// When no connection can be had, everybody is refused at once, so that no request waits for a server that is away; one
/// of them tries again after a pause that grows from a tenth of a second to two.
final class ServerCondition: Sendable {
  private struct State {
    var readers = 0
    /// Why the last try to connect failed, until one succeeds.
    var error: DatabaseError?
    var pause = Duration.zero
    var nextTry = ContinuousClock.now
  }

  private static let (firstPause, longestPause) = (Duration.milliseconds(100), Duration.seconds(2))
  private let state = Mutex(State())
  private let full = Atomic<Bool>(false)

  /// Why nothing can be written, as far as is known.
  var refusal: DatabaseError? {
    if full.load(ordering: .relaxed) { return .full }
    return state.withLock { $0.readers == 0 ? $0.error : nil }
  }

  /// Whether any thread that reads has a connection: one that has none then leaves the work to it.
  var hasReaders: Bool { state.withLock { $0.readers > 0 } }

  /// Returns when this caller may try to connect.
  func check() throws(DatabaseError) {
    let now = ContinuousClock.now
    try state.withLock { state throws(DatabaseError) in
      guard let error = state.error else { return }
      guard now >= state.nextTry else { throw error }
      // Others are refused until this try is over.
      state.nextTry = now + Self.longestPause
    }
  }

  func noteFailure(_ error: DatabaseError) {
    state.withLock { state in
      state.pause = min(max(state.pause * 2, Self.firstPause), Self.longestPause)
      state.nextTry = ContinuousClock.now + state.pause
      state.error = error
    }
  }

  /// Notes that a server took a connection and is fit for use.
  func noteFit() {
    state.withLock { state in
      state.error = nil
      state.pause = .zero
    }
  }

  func noteReader() { state.withLock { $0.readers += 1 } }

  func noteReaderGone() { state.withLock { $0.readers -= 1 } }

  /// Notes whether the last write found room on the server's disk.
  func noteRoom(_ hasRoom: Bool) { full.store(!hasRoom, ordering: .relaxed) }
}
