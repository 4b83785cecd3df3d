import Crypto
import Domain
import Storage
import Synchronization

/// Makes ids of audit rows that sort by time: 12 hex digits of a counter that starts at the clock, and 16 of chance.
final class AuditIDs: Sendable {
  private let last = Mutex<UInt64>(0)

  /// The next id; always above every id made before at the same or an earlier time.
  func next(at now: Timestamp) -> String {
    let ticks = last.withLock { last in
      last = max(last + 1, UInt64(max(now.seconds, 0)) << 14)
      return last
    }
    let time = (0..<6).map { UInt8(truncatingIfNeeded: ticks >> (40 - 8 * $0)) }
    return Hex.encode(time + Random.bytes(8))
  }
}

extension Installation {
  /// A function that writes `event` inside a transaction, under an id made now.
  func recording(_ event: AuditEvent) -> @Sendable (Transaction) throws -> Void {
    let id = audit.next(at: event.at)
    return { try $0.insert(event, id: id) }
  }

  /// Writes an event that has no effect beside it.
  func record(_ event: AuditEvent) async throws {
    let insert = recording(event)
    try await store.write { try insert($0) }
  }
}
