import Crypto
public import Domain
import Storage

/// Makes the codes on paper that stand in for the second factor.
public struct RecoveryCodes: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// New ones, which void those of before.
  ///
  /// - Throws: `Refusal` when there is no second factor for which they would stand in.
  public func make(for account: AccountID, _ visitor: Visitor) async throws -> [RecoveryCode] {
    let codes = here.newRecoveryCodes()
    let macs = codes.map(here.mac(of:))
    let made = here.recording(
      AuditEvent(.recoveryCodesMade, at: here.clock.now(), origin: visitor.origin, account: account))
    let isDone = try await here.store.write { tx in
      guard try tx.secondFactors(of: account).areOn else { return false }
      try tx.setRecoveryCodes(macs, of: account)
      try made(tx)
      return true
    }
    guard isDone else {
      throw Refusal(.invalidRequest, "Recovery codes stand in for a second factor. Set one up first.")
    }
    return codes
  }
}

extension Installation {
  func newRecoveryCodes() -> [RecoveryCode] {
    (0..<RecoveryCode.count).compactMap { _ in RecoveryCode(typed: Base32.encode(Random.bytes(RecoveryCode.size))) }
  }

  /// What the store holds of a recovery code: whoever can write there cannot make one.
  func mac(of code: RecoveryCode) -> TokenHash {
    TokenHash(bytes: purposeKeys.current(.recoveryCode).mac.authenticate(Array(code.letters.utf8)))
  }
}
