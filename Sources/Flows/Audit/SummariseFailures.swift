import Domain
import Storage

/// Writes down how many client authentications failed and how often known callers were refused again, once for each of
/// them instead of one by one.
public struct SummariseFailures: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public func callAsFunction() async throws {
    let (counts, refusals, now) = (here.clientThrottle.takeCounts(), here.refusals.takeCounts(), here.clock.now())
    if counts.isEmpty, refusals.isEmpty { return }
    let failed = counts.map { client, count in
      AuditEvent(
        .clientAuthenticationFailed, .failure, at: now, origin: .system, client: client,
        detail: "\(count) \(count == 1 ? "failure" : "failures") since the last summary")
    }
    let repeated = refusals.map { refusal, count in
      AuditEvent(
        refusal.name, .failure, at: now, origin: .system, account: refusal.account, client: refusal.client,
        connection: refusal.connection, detail: "\(refusal.detail), \(count) more since the last summary")
    }
    let events = failed + repeated
    do {
      try await here.store.writeAuditInBackground { tx in for event in events { try tx.insert(event) } }
    } catch {
      here.clientThrottle.putBack(counts)
      here.refusals.putBack(refusals)
      throw error
    }
  }
}
