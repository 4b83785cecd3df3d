/// What an account asks for beside its password.
public struct SecondFactors: Sendable, Equatable {
  /// Since when an authenticator app shows codes for it; `nil` when none does.
  public let appSince: Timestamp?
  /// Recovery codes that were not used yet.
  public let recoveryCodes: Int64
  /// How many passkeys it has.
  public let passkeys: Int64

  public init(appSince: Timestamp?, recoveryCodes: Int64, passkeys: Int64 = 0) {
    self.appSince = appSince
    self.passkeys = passkeys
    self.recoveryCodes = recoveryCodes
  }

  /// Whether the password alone does not sign in.
  public var areOn: Bool { appSince != nil || passkeys > 0 }
}

/// What an authenticator app and an account share.
public struct AuthenticatorSecret: Sendable {
  /// Seconds in which a new one has to be confirmed by a code.
  public static let confirmationTime: Int64 = 30 * 60

  public let account: AccountID
  public let secret: Sealed
  /// The step of the last code that was taken; no earlier one counts.
  public let lastStep: Int64
  public let createdAt: Timestamp
  /// When the first code proved that the app has it; `nil` for one that counts for nothing yet.
  public let confirmedAt: Timestamp?

  public init(
    account: AccountID, secret: Sealed, lastStep: Int64 = 0, createdAt: Timestamp, confirmedAt: Timestamp? = nil
  ) {
    self.account = account
    self.secret = secret
    self.lastStep = lastStep
    self.createdAt = createdAt
    self.confirmedAt = confirmedAt
  }

  /// Where the sealed secret of `account` belongs.
  public static func context(of account: AccountID) -> SealContext {
    SealContext(table: "authenticator", column: "secret", row: account.text, account: account.text)
  }
}
