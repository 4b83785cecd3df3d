public import Domain
import Storage

/// Takes the second factors off the account of somebody who has lost them all.
public struct RemoveSecondFactors: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the account asks for beside its password.
  ///
  /// - Throws: `Refusal` when there is no such account.
  public func preview(_ id: AccountID) async throws -> (Account, SecondFactors) {
    let found = try await here.store.read { tx in
      try tx.account(id).map { ($0, try tx.secondFactors(of: id)) }
    }
    guard let found else { throw Refusal(.notFound, "There is no account called \(id).") }
    return found
  }

  /// - Returns: What was removed.
  /// - Throws: `Refusal` when there is no such account, or it has no second factor.
  public func callAsFunction(_ id: AccountID, _ visitor: Visitor) async throws -> (Account, SecondFactors) {
    let now = here.clock.now()
    let news = here.telling(.secondStepRemoved, id, at: now)
    let removed = here.recording(
      AuditEvent(.factorRemoved, at: now, origin: visitor.origin, account: id, detail: "all"))
    let result: Result<(Account, SecondFactors), Refusal> = try await here.store.write { tx in
      guard let account = try tx.account(id) else {
        return .failure(Refusal(.notFound, "There is no account called \(id)."))
      }
      let factors = try tx.secondFactors(of: id)
      guard factors.areOn else {
        return .failure(Refusal(.invalidRequest, "The account asks for no second factor, so there is none to remove."))
      }
      _ = try tx.deleteAuthenticator(of: id)
      try tx.deletePasskeys(of: id)
      try tx.dropUselessRecoveryCodes(of: id)
      try removed(tx)
      try news(tx)
      return .success((account, factors))
    }
    return try result.get()
  }
}
