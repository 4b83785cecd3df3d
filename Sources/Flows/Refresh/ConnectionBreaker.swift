public import Domain
import Synchronization
import Upstream

/// Spares an upstream that does not answer, and those who wait for it: after a few failures in a row, whoever wants a
/// refresh is told at once, and now and then a single one tries.
final class ConnectionBreaker: Sendable {
  private struct State {
    var failures: Int64 = 0
    var silentSince: Timestamp
    var triesAt: Timestamp
  }

  private let states = Mutex<[ConnectionID: State]>([:])

  /// Failures in a row before the upstream is spared.
  private static let threshold: Int64 = 5
  /// Seconds for which nobody else tries while one does; it has ended by then.
  private static let trial: Int64 = 30

  /// Why `connection` is not to be asked now; `nil` lets the caller try.
  func refusal(of connection: ConnectionID, at now: Timestamp) -> UpstreamFailure? {
    states.withLock { states in
      guard let state = states[connection], state.failures >= Self.threshold else { return nil }
      guard state.triesAt <= now else {
        return .transient("The upstream has not answered for a while.", retryAfter: state.triesAt - now)
      }
      states[connection]?.triesAt = now + Self.trial
      return nil
    }
  }

  /// Takes note of how a refresh ended.
  ///
  /// - Returns: Whether the upstream is spared from now on, or is no longer; `nil` when nothing changed.
  @discardableResult
  func note(_ outcome: RefreshOutcome, of connection: ConnectionID, at now: Timestamp) -> Bool? {
    states.withLock { states in
      guard case .failed(let failure) = outcome, failure.mayPass else {
        let before = states.removeValue(forKey: connection)
        return (before?.failures ?? 0) >= Self.threshold ? false : nil
      }
      var state = states[connection] ?? State(silentSince: now, triesAt: now)
      state.failures += 1
      if state.failures >= Self.threshold { state.triesAt = now + Self.pause(after: state.failures) }
      states[connection] = state
      return state.failures == Self.threshold ? true : nil
    }
  }

  /// Since when `connection` has not answered, and when it is asked again; `nil` for one that is not spared.
  func silence(of connection: ConnectionID) -> UpstreamSilence? {
    states.withLock { states in
      guard let state = states[connection], state.failures >= Self.threshold else { return nil }
      return UpstreamSilence(since: state.silentSince, triesAt: state.triesAt)
    }
  }

  /// Seconds: 15, doubling to 5 minutes.
  static func pause(after failures: Int64) -> Int64 { min(15 << min(max(failures - threshold, 0), 5), 300) }
}

/// An upstream that does not answer.
public struct UpstreamSilence: Sendable {
  public let since: Timestamp
  /// When it is asked again at the earliest.
  public let triesAt: Timestamp
}

extension Installation {
  /// Whether the upstream of `connection` is being spared because it does not answer.
  public func silence(of connection: ConnectionID) -> UpstreamSilence? { breaker.silence(of: connection) }
}
