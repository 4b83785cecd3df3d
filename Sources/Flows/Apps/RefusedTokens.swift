public import Domain
import Storage

extension Installation {
  /// Writes down that a client which proved who it is was refused a token.
  ///
  /// Not for a public client, which anybody can claim to be, nor when the fault is ours.
  public func recordRefusal(of client: Client, _ refusal: Refusal, _ visitor: Visitor) async throws {
    guard client.kind == .confidential, refusal.code != .temporarilyUnavailable else { return }
    try await record(
      AuditEvent(
        .tokenRefused, .failure, at: clock.now(), origin: visitor.origin, client: client.id,
        detail: refusal.code.rawValue))
  }
}
