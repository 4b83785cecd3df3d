import Dispatch
package import SQL
import Synchronization

/// What waits for the writer thread: two bounded lanes, checkpoints, and the wish to close.
package final class WriteQueue: Sendable {
  package typealias Waiter = CheckedContinuation<Void, any Error>

  /// What the writer does next, in this order.
  package struct Work {
    package var writes: [QueuedWrite] = []
    package var checkpoints: [Waiter] = []

    package init() {}

    package var isEmpty: Bool { writes.isEmpty && checkpoints.isEmpty }
  }

  private struct State {
    var foreground: [QueuedWrite] = []
    var background: [QueuedWrite] = []
    var checkpoints: [Waiter] = []
    var closers: [Waiter] = []
    var reserved = 0
    /// How often the foreground went first while the background waited.
    var turnsWaited = 0
    var isClosed = false
    var isWriterAsleep = false
  }

  private let capacity: Int
  private let state = Mutex(State())
  private let bell = DispatchSemaphore(value: 0)
  private let dropped = Atomic<Int>(0)

  package init(capacity: Int) { self.capacity = capacity }

  package var count: Int { state.withLock { $0.foreground.count + $0.background.count } }
  package var droppedCount: Int { dropped.load(ordering: .relaxed) }

  package func append(_ write: QueuedWrite) throws(DatabaseError) {
    try add { state throws(DatabaseError) in
      guard state.foreground.count + state.reserved < self.capacity else { throw .busy }
      state.foreground.append(write)
    }
  }

  /// Appends a write whose place was reserved, and which is therefore never one too many.
  package func appendReserved(_ write: QueuedWrite) throws(DatabaseError) {
    try add { $0.foreground.append(write) }
  }

  package func appendBackground(_ write: QueuedWrite) throws(DatabaseError) {
    try add { state throws(DatabaseError) in
      guard state.background.count < self.capacity else { throw .busy }
      state.background.append(write)
    }
  }

  package func submit(_ statements: [Statement]) {
    let write = QueuedWrite.submission(statements) { [self] in countDropped() }
    do throws(DatabaseError) { try append(write) } catch { countDropped() }
  }

  package func appendCheckpoint(_ waiter: Waiter) throws(DatabaseError) {
    try add { $0.checkpoints.append(waiter) }
  }

  package func reserve() throws(DatabaseError) -> WriteReservation {
    try add { state throws(DatabaseError) in
      guard state.foreground.count + state.reserved < self.capacity else { throw .busy }
      state.reserved += 1
    }
    return WriteReservation { [self] in state.withLock { $0.reserved -= 1 } }
  }

  /// Refuses everything from now on; what is queued is still written.
  ///
  /// - Returns: Whether this was the first call; a later one is refused, and its waiter is not kept.
  @discardableResult
  package func close(_ waiter: Waiter? = nil) -> Bool {
    let (isFirst, mustWake) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.isClosed = true
      if let waiter { state.closers.append(waiter) }
      return (true, Self.claimWake(&state))
    }
    if mustWake { bell.signal() }
    return isFirst
  }

  /// Whether the writer sleeps and nobody else is about to wake it; the caller then has to ``wake()`` it.
  package func claimWake() -> Bool { state.withLock { Self.claimWake(&$0) } }

  package func wake() { bell.signal() }

  /// Waits for work and puts it in the place of what was done; `false` when the queue is closed and empty.
  package func next(_ work: inout Work) -> Bool {
    // The queue goes on with the old array's memory.
    work.writes.removeAll(keepingCapacity: true)
    while true {
      let isOver = state.withLock { state in
        Self.take(&state, into: &work)
        state.isWriterAsleep = work.isEmpty && !state.isClosed
        return state.isClosed
      }
      if !work.isEmpty { return true }
      if isOver { return false }
      bell.wait()
    }
  }

  /// Adds what has come into the foreground since ``next()``, without waiting.
  package func addMore(to writes: inout [QueuedWrite]) {
    state.withLock { state in
      writes += state.foreground
      state.foreground.removeAll(keepingCapacity: true)
    }
  }

  package func takeClosers() -> [Waiter] {
    state.withLock { state in
      defer { state.closers = [] }
      return state.closers
    }
  }

  private func countDropped() { dropped.add(1, ordering: .relaxed) }

  /// Changes the state, and wakes the writer only if it sleeps, so that under load no request pays for a wake-up.
  private func add(_ change: (inout State) throws(DatabaseError) -> Void) throws(DatabaseError) {
    let mustWake = try state.withLock { state throws(DatabaseError) in
      guard !state.isClosed else { throw .failed(code: "closed", message: "the database is closed") }
      try change(&state)
      return Self.claimWake(&state)
    }
    if mustWake { bell.signal() }
  }

  private static func claimWake(_ state: inout State) -> Bool {
    defer { state.isWriterAsleep = false }
    return state.isWriterAsleep
  }

  /// How many turns of the foreground a write of the background waits at most.
  private static let patience = 8

  /// Everything of the foreground, or else one write of the background, so that bulk work delays others by one body;
  /// but one now and then in any case, or under load it would never come.
  private static func take(_ state: inout State, into work: inout Work) {
    work.checkpoints = state.checkpoints
    state.checkpoints = []
    swap(&work.writes, &state.foreground)
    guard !state.background.isEmpty else { return }
    state.turnsWaited += 1
    if work.writes.isEmpty || state.turnsWaited > patience {
      work.writes.append(state.background.removeFirst())
      state.turnsWaited = 0
    }
  }
}
