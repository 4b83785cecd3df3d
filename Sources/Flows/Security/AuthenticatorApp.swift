import Crypto
public import Domain
import Storage

/// Lets an authenticator app show codes for an account, and ends that.
public struct AuthenticatorApp: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Makes a secret that counts once a first code has confirmed it.
  ///
  /// - Throws: `Refusal` when the account has no password, or an app shows codes for it already.
  public func begin(for account: AccountID) async throws {
    let now = here.clock.now()
    let secret = Secret(Random.bytes(TimeBasedCode.secretSize))
    let sealed = try here.vault.seal(secret, in: AuthenticatorSecret.context(of: account))
    let refusal: Refusal? = try await here.store.write { tx in
      guard try tx.password(of: account) != nil else { return ChangePassword.noPassword }
      guard try tx.authenticator(of: account)?.confirmedAt == nil else { return Self.isOn }
      try tx.put(AuthenticatorSecret(account: account, secret: sealed, createdAt: now))
      return nil
    }
    if let refusal { throw refusal }
  }

  /// The secret that waits for its first code, in base 32; `nil` when there is none.
  public func waitingSecret(of account: AccountID) async throws -> Secret? {
    guard let waiting = try await waiting(account) else { return nil }
    return Secret(Base32.encode(try here.open(waiting).revealed))
  }

  private func waiting(_ account: AccountID) async throws -> AuthenticatorSecret? {
    let limit = here.clock.now() - AuthenticatorSecret.confirmationTime
    let found = try await here.store.read { try $0.authenticator(of: account) }
    return found.flatMap { $0.confirmedAt == nil && $0.createdAt > limit ? $0 : nil }
  }

  public enum Confirmation: Sendable {
    /// It counts from now on; the codes were made because there were none.
    case confirmed(recoveryCodes: [RecoveryCode])
    /// It is not the code that the app should show now.
    case wrong
    /// There is nothing to confirm any more.
    case none
  }

  public func confirm(_ typed: String, for account: AccountID, _ visitor: Visitor) async throws -> Confirmation {
    let now = here.clock.now()
    guard let waiting = try await waiting(account) else { return .none }
    let secret = try here.open(waiting)
    guard let step = TimeBasedCode.step(of: typed.onlyDigits, secret.revealed, at: now.seconds) else { return .wrong }
    let codes = here.newRecoveryCodes()
    let macs = codes.map(here.mac(of:))
    let added = here.recording(
      AuditEvent(.factorAdded, at: now, origin: visitor.origin, account: account, detail: "authenticator app"))
    let news = here.telling(.authenticatorAdded, account, visitor.facts, at: now)
    let made: [RecoveryCode]? = try await here.store.write { tx in
      let hadCodes = try tx.secondFactors(of: account).recoveryCodes > 0
      guard try tx.confirmAuthenticator(of: account, step: step, at: now) else { return nil }
      if !hadCodes { try tx.setRecoveryCodes(macs, of: account) }
      try added(tx)
      try news(tx)
      return hadCodes ? [] : codes
    }
    return made.map(Confirmation.confirmed) ?? .none
  }

  /// Ends it; with the last factor go the recovery codes.
  public func turnOff(for account: AccountID, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let removed = here.recording(
      AuditEvent(.factorRemoved, at: now, origin: visitor.origin, account: account, detail: "authenticator app"))
    let news = here.telling(.authenticatorRemoved, account, visitor.facts, at: now)
    try await here.store.write { tx in
      // One that nobody confirmed protected nothing.
      let counted = try tx.authenticator(of: account)?.confirmedAt != nil
      guard try tx.deleteAuthenticator(of: account) else { return }
      try tx.dropUselessRecoveryCodes(of: account)
      try removed(tx)
      if counted { try news(tx) }
    }
  }

  private static let isOn = Refusal(
    .invalidRequest, "An authenticator app shows codes for your account already. Turn that off first.")
}

extension Installation {
  func open(_ authenticator: AuthenticatorSecret) throws -> Secret {
    try vault.open(authenticator.secret, in: AuthenticatorSecret.context(of: authenticator.account))
  }
}

extension Transaction {
  /// Removes the recovery codes when nothing is left that they stand in for.
  func dropUselessRecoveryCodes(of account: AccountID) throws {
    if try !secondFactors(of: account).areOn { try setRecoveryCodes([], of: account) }
  }
}

extension String {
  /// Without the blanks that apps show among the digits.
  var onlyDigits: String { filter { !$0.isWhitespace } }
}
