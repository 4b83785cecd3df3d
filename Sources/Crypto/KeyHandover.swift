import Synchronization

/// Where a key that is made on a thread of its own meets whoever waits for it, who may stop waiting.
final class KeyHandover: Sendable {
  private enum State {
    case made
    case awaited(CheckedContinuation<SigningKey, any Error>)
    case given(Result<SigningKey, any Error>)
    case over
  }

  private let state = Mutex(State.made)

  /// Hands over the first result; later ones are dropped.
  func give(_ result: Result<SigningKey, any Error>) {
    let waiting: CheckedContinuation<SigningKey, any Error>? = state.withLock { state in
      switch state {
      case .made:
        state = .given(result)
        return nil
      case .awaited(let continuation):
        state = .over
        return continuation
      case .given, .over: return nil
      }
    }
    waiting?.resume(with: result)
  }

  func deliver(to continuation: CheckedContinuation<SigningKey, any Error>) {
    let given: Result<SigningKey, any Error>? = state.withLock { state in
      guard case .given(let result) = state else {
        state = .awaited(continuation)
        return nil
      }
      state = .over
      return result
    }
    if let given { continuation.resume(with: given) }
  }
}
