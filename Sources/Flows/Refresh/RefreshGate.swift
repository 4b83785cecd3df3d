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
    /// Failures in a row, and when the next try may be made.
    var backoff: [CredentialID: (failures: Int64, until: Timestamp, failure: UpstreamFailure)] = [:]
  }

  /// The refreshes to carry out, each once.
  let requests: AsyncStream<CredentialID>
  private let queue: AsyncStream<CredentialID>.Continuation
  private let state = Mutex(State())

  init() { (requests, queue) = AsyncStream.makeStream() }

  /// Waits for a refresh of `id`, beginning one unless it is under way; answers at once while backing off.
  func refresh(_ id: CredentialID, at now: Timestamp) async -> RefreshOutcome {
    await withCheckedContinuation { continuation in
      let decision: Decision = state.withLock { state in
        if let pause = state.backoff[id], pause.until > now { return .answer(.failed(pause.failure)) }
        let isFirst = state.waiting[id] == nil
        state.waiting[id, default: []].append(continuation)
        return isFirst ? .begin : .wait
      }
      switch decision {
      case .answer(let outcome): continuation.resume(returning: outcome)
      case .begin: queue.yield(id)
      case .wait: break
      }
    }
  }

  private enum Decision {
    case answer(RefreshOutcome)
    case begin
    case wait
  }

  /// Wakes everybody who waits for `id`.
  func finish(_ id: CredentialID, _ outcome: RefreshOutcome, at now: Timestamp) {
    let waiting = state.withLock { state in
      if case .failed(let failure) = outcome {
        let failures = (state.backoff[id]?.failures ?? 0) + 1
        let until = now + Self.pause(after: failures, failure)
        state.backoff[id] = (failures, until, failure)
      } else {
        state.backoff[id] = nil
      }
      return state.waiting.removeValue(forKey: id) ?? []
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
  }

  /// Ends the stream of requests; callers that come later wait in vain, so this is the last act of a stop.
  func close() { queue.finish() }

  /// Seconds before the next try: 1, doubling to 5 minutes, and never less than the upstream asked for.
  private static func pause(after failures: Int64, _ failure: UpstreamFailure) -> Int64 {
    let own = Int64(min(1 << min(failures - 1, 9), 300))
    guard case .transient(_, let asked?) = failure else { return own }
    return max(own, min(asked, 3600))
  }
}
