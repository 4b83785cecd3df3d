public import Domain
import Storage

/// Disables or enables an account; disabling ends its sessions and tokens at once.
public struct ChangeAccount: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Returns the account as it was before; `administrator` is `nil` on the command line.
  ///
  /// - Throws: `Refusal` when there is no such account, it is the administrator's own, or nobody could administer this
  ///   installation any more.
  @discardableResult
  public func callAsFunction(
    _ id: AccountID, disabled: Bool, by administrator: AccountID?, _ visitor: Visitor
  ) async throws -> Account {
    if disabled, id == administrator { throw Refusal(.invalidRequest, "You cannot disable your own account.") }
    let now = here.clock.now()
    let changed = here.recording(
      AuditEvent(
        .accountChanged, at: now, origin: visitor.origin, account: id,
        detail: disabled ? "disable" : "enable"))
    let result: Result<Account, Refusal> = try await here.store.write { tx in
      guard let account = try tx.account(id) else {
        return .failure(Refusal(.notFound, "There is no account called \(id)."))
      }
      if disabled, account.role == .administrator, try !tx.hasActiveAdministrator(besides: id) {
        return .failure(
          Refusal(
            .invalidRequest, "This is the last active administrator. Make or enable another one before you disable it.")
        )
      }
      try tx.setAccount(id, disabled: disabled, at: now)
      try changed(tx)
      return .success(account)
    }
    let before = try result.get()
    if disabled { here.proxyPlaces.end(.account(id)) }
    return before
  }
}
