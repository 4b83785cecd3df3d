import SQL
import Synchronization

/// Counts changes, so that what was read may be kept until the next one.
final class ChangeCount: Sendable {
  private let count = Atomic(0)

  var current: Int { count.load(ordering: .acquiring) }

  func raise() { count.add(1, ordering: .acquiringAndReleasing) }
}

/// What ``Database/foreignRevision()`` said last, and when it was asked.
final class ForeignRevision: Sendable {
  private struct State {
    var last: Int64?
    var asked: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  /// Begins to count the time since the last answer.
  func begin(at now: ContinuousClock.Instant) {
    state.withLock { if $0.asked == nil { $0.asked = now } }
  }

  /// Whether it is another one than before; also the first time, since nobody knows what was before.
  func isNew(_ revision: Int64) -> Bool {
    state.withLock { state in
      defer { state.last = revision }
      return state.last != revision
    }
  }

  /// Notes that everything which was written before `asked` has been taken account of.
  func noteAnswer(to asked: ContinuousClock.Instant) { state.withLock { $0.asked = asked } }

  /// How long ago the last question was asked that was answered; `nil` until the first one is asked.
  var age: Duration? { state.withLock(\.asked).map { $0.duration(to: .now) } }
}

/// What one run of a transaction's body touched.
final class ConfigurationMarks {
  var isTouched = false
}

/// The result of a transaction's body, with what it touched.
struct Written<T: Sendable>: Sendable {
  let result: T
  let touchesConfiguration: Bool
}

extension Transaction {
  /// Notes that this transaction changes a client or a connection; every such query calls it.
  func touchConfiguration() { marks?.isTouched = true }

  /// Runs `body` and tells what it touched.
  static func written<T: Sendable>(
    _ body: (Transaction) throws -> T, _ session: any Session
  ) throws -> Written<T> {
    let marks = ConfigurationMarks()
    let result = try body(Transaction(session: session, marks: marks))
    return Written(result: result, touchesConfiguration: marks.isTouched)
  }
}

extension Store {
  /// Raises the versions once a write is durable, that of the configuration if it touched clients or connections.
  ///
  /// After a failed one too, since a failed commit may have happened; not when it was refused before it began.
  func noticing<T: Sendable>(_ write: () async throws -> Written<T>) async throws -> T {
    do {
      let written = try await write()
      changes.raise()
      if written.touchesConfiguration { configuration.raise() }
      return written.result
    } catch DatabaseError.busy {
      throw DatabaseError.busy
    } catch {
      changes.raise()
      configuration.raise()
      throw error
    }
  }
}
