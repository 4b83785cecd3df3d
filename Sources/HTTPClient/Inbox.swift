import HTTP
import Synchronization

/// What a caller handed over, and where its answer goes.
struct Job: Sendable {
  let id: UInt64
  let request: OutboundRequest
  let url: OutboundURL
  /// When it must have a place, and everything must be over unless the bodies are streamed.
  let deadline: ContinuousClock.Instant
  /// Where the answer's body goes bit by bit; its head is the reply then.
  var answer: BytePipe?
  let reply: CheckedContinuation<Result<OutboundResponse, OutboundFailure>, Never>
}

/// The way from callers on any thread to the outbound thread.
final class Inbox: Sendable {
  /// What the outbound thread takes out in one turn.
  struct Batch {
    var jobs: [Job] = []
    var cancelled: [UInt64] = []
    /// Exchanges one of whose bodies can go on.
    var resumed: Set<UInt64> = []
    /// Credentials whose connections must close.
    var ended: Set<String> = []
    /// When what is still under way must end, once the client is closing.
    var closing: ContinuousClock.Instant?
  }

  private struct State {
    var batch = Batch()
    var lastID: UInt64 = 0
    var isAwake = false
    var hasEnded = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let multi: CurlMulti
  private let state = Mutex(State())

  init(waking multi: CurlMulti) { self.multi = multi }

  func nextID() -> UInt64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  /// Hands a job over; `false` when the client is closing, and the caller answers it.
  func submit(_ job: Job) -> Bool {
    state.withLock {
      guard $0.batch.closing == nil, !$0.hasEnded else { return false }
      $0.batch.jobs.append(job)
      wake(&$0)
      return true
    }
  }

  func cancel(_ id: UInt64) {
    state.withLock {
      $0.batch.cancelled.append(id)
      wake(&$0)
    }
  }

  func resume(_ id: UInt64) {
    state.withLock {
      $0.batch.resumed.insert(id)
      wake(&$0)
    }
  }

  /// Has the connections of `credential` closed.
  func end(_ credential: String) {
    state.withLock {
      $0.batch.ended.insert(credential)
      wake(&$0)
    }
  }

  /// Takes no more jobs and ends those under way at `deadline`; `closer` is resumed after the last.
  func close(by deadline: ContinuousClock.Instant, _ closer: CheckedContinuation<Void, Never>?) {
    let hasEnded = state.withLock {
      $0.batch.closing = min(deadline, $0.batch.closing ?? deadline)
      if !$0.hasEnded, let closer { $0.closers.append(closer) }
      wake(&$0)
      return $0.hasEnded
    }
    if hasEnded { closer?.resume() }
  }

  func take() -> Batch {
    state.withLock { state in
      state.isAwake = false
      defer {
        state.batch.jobs = []
        state.batch.cancelled = []
        state.batch.resumed = []
        state.batch.ended = []
      }
      return state.batch
    }
  }

  /// Marks the loop as ended and lets go whoever waited for that.
  func end() {
    let closers = state.withLock { state in
      state.hasEnded = true
      defer { state.closers = [] }
      return state.closers
    }
    closers.forEach { $0.resume() }
  }

  /// One wake-up serves everything handed over until the loop takes it.
  private func wake(_ state: inout State) {
    guard !state.isAwake, !state.hasEnded else { return }
    state.isAwake = true
    multi.wake()
  }
}
