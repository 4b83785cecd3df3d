import Domain
import Logging
import Storage

/// Finishes the refreshes that a crash interrupted.
public struct RecoverRefreshes: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Ends the leases that an earlier run of the program left behind, so that nobody waits for one.
  ///
  /// Only for an instance that has the database for itself: then whoever held a lease is dead. One that shares it with
  /// others could end its own leases alone, and would have to know them by a name of its own.
  public func endLeases() async throws {
    let now = here.clock.now()
    try await here.store.write { try $0.endLeases(at: now) }
  }

  /// Goes through the attempts whose lease has run out, once.
  ///
  /// They pass the same gate as everybody's refreshes, so one that cannot be finished now keeps no other waiting.
  public func callAsFunction() async throws {
    let now = here.clock.now()
    let abandoned = try await here.store.read { try $0.abandonedRefreshAttempts(at: now) }
    await withDiscardingTaskGroup { group in
      for attempt in abandoned { group.addTask { await finish(attempt, at: now) } }
    }
  }

  private func finish(_ attempt: RefreshAttempt, at now: Timestamp) async {
    let outcome = await here.refreshes.refresh(attempt.credential, at: now)
    if case .failed = outcome { return }
    here.log.info(
      "an interrupted refresh was finished",
      ["credential": .string(attempt.credential.text), "outcome": .string(String(describing: outcome))])
  }
}
