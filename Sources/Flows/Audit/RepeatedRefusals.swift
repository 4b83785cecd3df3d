public import Domain
import Synchronization

/// Refusals that a known caller can cause as often as they like, so that a flood of them cannot fill the database: the
/// first is written down as it comes, and those that follow before the next summary are only counted.
final class RepeatedRefusals: Sendable {
  struct Key: Hashable {
    let name: AuditEvent.Name
    let account: AccountID?
    let client: ClientID?
    var connection: ConnectionID?
    let detail: String
  }

  private static let capacity = 10_000

  /// How many followed the first since the last summary.
  private let repetitions = Mutex<[Key: Int64]>([:])

  /// Counts a refusal; whether it is the first of its kind since the last summary.
  func isFirst(_ key: Key) -> Bool {
    repetitions.withLock { repetitions in
      if let count = repetitions[key] {
        repetitions[key] = count + 1
        return false
      }
      guard repetitions.count < Self.capacity else {
        // Too many kinds at once to tell them apart.
        repetitions[Key(name: key.name, account: nil, client: nil, connection: nil, detail: key.detail), default: 0] +=
          1
        return false
      }
      repetitions[key] = 0
      return true
    }
  }

  /// What was only counted since the last call.
  func takeCounts() -> [Key: Int64] {
    repetitions.withLock { repetitions in
      defer { repetitions = [:] }
      return repetitions.filter { $0.value > 0 }
    }
  }

  /// Puts back counts that could not be written down.
  func putBack(_ counts: [Key: Int64]) { repetitions.withLock { $0.merge(counts, uniquingKeysWith: +) } }
}

extension Installation {
  /// Writes down that a known caller was refused, or counts it when the same was written down just before.
  func recordRefusal(
    _ name: AuditEvent.Name, account: AccountID? = nil, client: ClientID? = nil, connection: ConnectionID? = nil,
    detail: String, _ visitor: Visitor
  ) async throws {
    let key = RepeatedRefusals.Key(
      name: name, account: account, client: client, connection: connection, detail: detail)
    guard refusals.isFirst(key) else { return }
    try await record(
      AuditEvent(
        name, .failure, at: clock.now(), origin: visitor.origin, account: account, client: client,
        connection: connection, detail: detail))
  }

  /// Writes down that a form which did not come from our own page was sent from the browser of somebody signed in.
  public func recordForeignForm(of account: AccountID, _ visitor: Visitor) async throws {
    try await recordRefusal(.formRefused, account: account, detail: "the form token did not match", visitor)
  }
}
