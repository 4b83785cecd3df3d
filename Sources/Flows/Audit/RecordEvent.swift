import Domain
import Storage

extension Installation {
  /// A function that writes `event` inside a transaction.
  func recording(_ event: AuditEvent) -> @Sendable (Transaction) throws -> Void { { try $0.insert(event) } }

  /// Writes an event that has no effect beside it.
  func record(_ event: AuditEvent) async throws { try await store.record(event) }
}
