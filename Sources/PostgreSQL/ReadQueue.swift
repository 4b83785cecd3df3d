import Dispatch
import SQL
import Synchronization

/// A read that waits for a thread with a connection.
struct QueuedRead: Sendable {
  /// Runs it and returns the answer to give.
  let run: @Sendable (any Session) throws -> @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void

  init<T: Sendable>(
    _ body: @escaping @Sendable (any Session) throws -> T, continuation: CheckedContinuation<T, any Error>
  ) {
    run = { session in
      let value = try body(session)
      return { continuation.resume(returning: value) }
    }
    fail = { continuation.resume(throwing: $0) }
  }
}

/// What waits for the threads that read, in the order in which it came.
final class ReadQueue: Sendable {
  private struct State {
    var reads: [QueuedRead] = []
    var isClosed = false
  }

  private let capacity: Int
  private let state = Mutex(State())
  private let bell = DispatchSemaphore(value: 0)

  init(capacity: Int) { self.capacity = capacity }

  func append(_ read: QueuedRead) throws(DatabaseError) {
    try state.withLock { state throws(DatabaseError) in
      guard !state.isClosed else { throw .failed(code: "closed", message: "the database is closed") }
      guard state.reads.count < capacity else { throw .busy }
      state.reads.append(read)
    }
    bell.signal()
  }

  /// Leaves a read to another thread.
  func putBack(_ read: QueuedRead) {
    state.withLock { $0.reads.insert(read, at: 0) }
    bell.signal()
  }

  /// Waits for a read; `nil` when the queue is closed and empty.
  func next() -> QueuedRead? {
    bell.wait()
    let read = state.withLock { $0.reads.isEmpty ? nil : $0.reads.removeFirst() }
    // The end is for every thread.
    if read == nil { bell.signal() }
    return read
  }

  /// Refuses everything from now on; what is queued is still read.
  func close() {
    state.withLock { $0.isClosed = true }
    bell.signal()
  }
}
