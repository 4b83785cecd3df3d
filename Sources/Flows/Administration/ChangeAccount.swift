public import Domain
import Storage

/// Disables or enables an account; disabling ends its sessions and tokens at once.
public struct ChangeAccount: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Throws: `Refusal` when there is no such account, or it is the administrator's own.
  public func callAsFunction(
    _ id: AccountID, disabled: Bool, by administrator: AccountID?, _ visitor: Visitor
  ) async throws {
    if id == administrator { throw Refusal(.invalidRequest, "You cannot disable your own account.") }
    let now = here.clock.now()
    let changed = here.recording(
      AuditEvent(
        .accountChanged, at: now, origin: visitor.origin, account: id, detail: disabled ? "disabled" : "enabled"))
    let isFound = try await here.store.write { tx in
      guard try tx.account(id) != nil else { return false }
      try tx.setAccount(id, disabled: disabled, at: now)
      try changed(tx)
      return true
    }
    guard isFound else { throw Refusal(.notFound, "There is no account called \(id).") }
  }
}
