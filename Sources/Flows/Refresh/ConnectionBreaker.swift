public import Domain
import Synchronization
import Upstream

/// Spares an upstream that does not answer, and those who wait for it: after a few failures in a row, whoever wants a
/// refresh is told at once, and now and then a single one tries.
///
/// One credential alone that fails shows nothing about the upstream where there are others.
final class ConnectionBreaker: Sendable {
  private struct State {
    var failures: Int64 = 0
    /// Credentials whose refreshes failed; two are enough.
    var failed: Set<CredentialID> = []
    var lastFailed: CredentialID
    var isSpared = false
    var silentSince: Timestamp
    var triesAt: Timestamp
  }

  private let states = Mutex<[ConnectionID: State]>([:])

  /// Failures in a row before the upstream is spared.
  private static let threshold: Int64 = 5
  /// Seconds for which nobody else tries while one does; it has ended by then.
  private static let trial: Int64 = 30

  /// Why `connection` is not to be asked now; `nil` lets the caller try, for `credential`.
  func refusal(of connection: ConnectionID, for credential: CredentialID, at now: Timestamp) -> UpstreamFailure? {
    states.withLock { states in
      guard let state = states[connection], state.isSpared else { return nil }
      // Who has just failed lets others try first.
      let isLast = state.lastFailed == credential && state.failed.count > 1
      let triesAt = isLast ? state.triesAt + Self.trial : state.triesAt
      guard triesAt <= now else {
        return .transient("The upstream has not answered for a while.", retryAfter: triesAt - now, .notSent)
      }
      states[connection]?.triesAt = now + Self.trial
      return nil
    }
  }

  /// Takes note of how a refresh of `credential` ended, which is the only one of its connection where it `isAlone`.
  ///
  /// - Returns: Whether the upstream is spared from now on, or is no longer; `nil` when nothing changed.
  @discardableResult
  func note(
    _ outcome: RefreshOutcome, of connection: ConnectionID, _ credential: CredentialID, isAlone: Bool,
    at now: Timestamp
  ) -> Bool? {
    states.withLock { states in
      switch outcome.hasAnswered {
      case nil: return nil
      case true?: return states.removeValue(forKey: connection)?.isSpared == true ? false : nil
      case false?: break
      }
      var state = states[connection] ?? State(lastFailed: credential, silentSince: now, triesAt: now)
      let wasSpared = state.isSpared
      // Failures beyond the threshold that did not count yet make no pause longer.
      state.failures = wasSpared ? state.failures + 1 : min(state.failures + 1, Self.threshold)
      state.lastFailed = credential
      if state.failed.count < 2 { state.failed.insert(credential) }
      state.isSpared = wasSpared || state.failures >= Self.threshold && (isAlone || state.failed.count > 1)
      if state.isSpared { state.triesAt = now + Self.pause(after: state.failures) }
      states[connection] = state
      return state.isSpared == wasSpared ? nil : true
    }
  }

  /// Since when `connection` has not answered, and when it is asked again; `nil` for one that is not spared.
  func silence(of connection: ConnectionID) -> UpstreamSilence? {
    states.withLock { states in
      guard let state = states[connection], state.isSpared else { return nil }
      return UpstreamSilence(since: state.silentSince, triesAt: state.triesAt)
    }
  }

  /// Seconds: 15, doubling to 5 minutes.
  static func pause(after failures: Int64) -> Int64 { min(15 << min(max(failures - threshold, 0), 5), 300) }
}

extension RefreshOutcome {
  /// Whether the upstream answered, be it to refuse; `nil` when nobody knows.
  var hasAnswered: Bool? {
    switch self {
    case .failed(.ambiguous), .failed(.transient(_, _, .notSent)), .failed(.transient(_, _, .down)): false
    case .failed(.transient(_, _, .unseen)), .gone: nil
    case .refreshed, .reauthRequired, .failed: true
    }
  }
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
