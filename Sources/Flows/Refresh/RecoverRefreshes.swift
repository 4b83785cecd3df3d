import Domain
import Logging
import Storage

/// Finishes the refreshes that a crash interrupted.
public struct RecoverRefreshes: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Goes through the attempts whose lease has run out, once.
  public func callAsFunction() async throws {
    let now = here.clock.now()
    let abandoned = try await here.store.read { try $0.abandonedRefreshAttempts(at: now) }
    let refresh = RefreshCredentials(here)
    for attempt in abandoned {
      let outcome = try await refresh.recover(attempt)
      here.log.info(
        "an interrupted refresh was finished",
        ["credential": .string(attempt.credential.text), "outcome": .string(String(describing: outcome))])
    }
  }
}
