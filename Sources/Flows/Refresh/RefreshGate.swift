import Domain
import Synchronization

/// How a refresh ended, for the callers that waited for it.
enum RefreshOutcome: Sendable {
  /// The store holds new tokens.
  case refreshed
  /// Only the person can mend the credential.
  case reauthRequired
  /// Nothing changed; a token that is still valid goes on being served.
  case failed(UpstreamFailure)
  /// The credential is gone or closing.
  case gone
}

/// Lets one refresh of a credential run at a time, however many callers wait for it.
///
/// The refreshes belong to ``RefreshCredentials/run()``, not to the callers: one that goes away cancels nothing.
final class RefreshGate: Sendable {
  private struct State {
    var waiting: [CredentialID: [CheckedContinuation<RefreshOutcome, Never>]] = [:]
    var pauses: [CredentialID: Pause] = [:]
    var isClosed = false
  }

  private struct Pause {
    /// How often in a row the refresh failed.
    let failures: Int64
    let until: Timestamp
    let failure: UpstreamFailure
  }

  private enum Decision {
    case answer(RefreshOutcome)
    case begin
    case wait
  }

  /// A refresh to carry out.
  struct Wish: Sendable {
    let id: CredentialID
    /// The generation that was found too old, so that a newer one is what is wished for; `nil` wants a refresh anyway.
    let generation: Int64?
  }

  /// The refreshes to carry out, each once.
  let requests: AsyncStream<Wish>
  private let queue: AsyncStream<Wish>.Continuation
  private let state = Mutex(State())

  init() { (requests, queue) = AsyncStream.makeStream() }

  private static let stopping = RefreshOutcome.failed(.transient("The service is stopping.", retryAfter: 5))

  /// Waits for a refresh of `id`, beginning one unless it is under way; answers at once while backing off.
  ///
  /// `generation` is that of the tokens which the caller found too old: who looked before a refresh ended and asks
  /// after it begins no second one.
  func refresh(
    _ id: CredentialID, insteadOf generation: Int64? = nil, at now: Timestamp
  ) async -> RefreshOutcome {
    await withCheckedContinuation { continuation in
      let decision: Decision = state.withLock { state in
        if let pause = state.pauses[id], pause.until > now {
          return .answer(.failed(pause.failure.remaining(pause.until - now)))
        }
        let isFirst = state.waiting[id] == nil
        if isFirst, state.isClosed { return .answer(Self.stopping) }
        state.waiting[id, default: []].append(continuation)
        return isFirst ? .begin : .wait
      }
      switch decision {
      case .answer(let outcome): continuation.resume(returning: outcome)
      case .begin: queue.yield(Wish(id: id, generation: generation))
      case .wait: break
      }
    }
  }

  /// Wakes everybody who waits for `id`; a failure is not tried again before a pause.
  func finish(_ id: CredentialID, _ outcome: RefreshOutcome, at now: Timestamp) {
    let waiting = state.withLock { state in
      if case .failed(let failure) = outcome {
        let failures = (state.pauses[id]?.failures ?? 0) + 1
        let seconds = Self.pause(after: failures, failure, jitter: .random(in: 0..<1))
        state.pauses[id] = Pause(failures: failures, until: now + seconds, failure: failure)
        if state.pauses.count > Self.longestMemory { state.pauses = state.pauses.filter { $0.value.until > now } }
      } else {
        state.pauses[id] = nil
      }
      return state.waiting.removeValue(forKey: id) ?? []
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
  }

  /// Begins no more refreshes; those asked for are still carried out.
  func close() {
    state.withLock { $0.isClosed = true }
    queue.finish()
  }

  /// Ends the waiting of everybody whose refresh nobody will carry out any more.
  func abandon() {
    close()
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.values.flatMap(\.self)
    }
    for continuation in waiting { continuation.resume(returning: Self.stopping) }
  }

  /// Credentials whose failures are remembered before those are forgotten that may be tried again.
  private static let longestMemory = 10_000

  /// Seconds before the next try: 1, doubling to 5 minutes, up to a quarter more by chance so that the callers of one
  /// upstream do not come back together, and never less than the upstream asked for.
  static func pause(after failures: Int64, _ failure: UpstreamFailure, jitter: Double) -> Int64 {
    let own = Int64(min(1 << min(failures - 1, 9), 300))
    let spread = own + Int64(Double(own) / 4 * jitter)
    guard case .transient(_, let asked?, _) = failure else { return spread }
    return max(spread, min(asked, 3600))
  }
}

extension UpstreamFailure {
  /// The failure as it is told to whoever comes during the pause: with the time that remains.
  fileprivate func remaining(_ seconds: Int64) -> UpstreamFailure {
    if case .transient(let text, _, let seen) = self { return .transient(text, retryAfter: seconds, seen) }
    return self
  }
}
