import Domain
import Storage

/// Writes down how many client authentications failed, once for each client instead of one by one.
public struct SummariseFailures: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public func callAsFunction() async throws {
    let counts = here.clientThrottle.takeCounts()
    if counts.isEmpty { return }
    let now = here.clock.now()
    let events = counts.map { client, count in
      here.recording(
        AuditEvent(
          .clientAuthenticationFailed, .failure, at: now, origin: .system, client: client,
          detail: "\(count) failures since the last summary"))
    }
    do {
      try await here.store.writeInBackground { tx in for event in events { try event(tx) } }
    } catch {
      here.clientThrottle.putBack(counts)
      throw error
    }
  }
}
