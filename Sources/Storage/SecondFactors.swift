public import Domain
import SQL

extension Transaction {
  public func secondFactors(of account: AccountID) throws -> SecondFactors {
    let codes = try session.first("SELECT count(*) AS n FROM recovery_code WHERE account_id = \(account)")
    let passkeys = try session.first("SELECT count(*) AS n FROM passkey WHERE account_id = \(account)")
    return SecondFactors(
      appSince: try authenticator(of: account)?.confirmedAt, recoveryCodes: try codes?.integer("n") ?? 0,
      passkeys: try passkeys?.integer("n") ?? 0)
  }

  /// What the account shares with an authenticator app, or will when it is confirmed.
  public func authenticator(of account: AccountID) throws -> AuthenticatorSecret? {
    try session.first(
      """
      SELECT account_id, last_step, created_at, confirmed_at, kek_id, wrapped_key, box FROM authenticator
      WHERE account_id = \(account)
      """
    ).map {
      AuthenticatorSecret(
        account: try $0.identifier("account_id"), secret: try $0.sealed(), lastStep: try $0.integer("last_step"),
        createdAt: try $0.time("created_at"), confirmedAt: try $0.optionalTime("confirmed_at"))
    }
  }

  /// Keeps a new secret until it is confirmed; one that is confirmed stays.
  public func put(_ new: AuthenticatorSecret) throws {
    try session.run("DELETE FROM authenticator WHERE account_id = \(new.account) AND confirmed_at IS NULL")
    try session.run(
      """
      INSERT INTO authenticator (account_id, last_step, created_at, confirmed_at, kek_id, wrapped_key, box)
      VALUES (\(new.account), \(new.lastStep), \(new.createdAt), \(new.confirmedAt), \(new.secret.kekID),
        \(new.secret.wrappedKey), \(new.secret.box))
      ON CONFLICT (account_id) DO NOTHING
      """)
  }

  /// Takes the code of `step` as the proof that the app has the secret; `false` when there is none to confirm.
  public func confirmAuthenticator(of account: AccountID, step: Int64, at now: Timestamp) throws -> Bool {
    try session.run(
      """
      UPDATE authenticator SET confirmed_at = \(now), last_step = \(step)
      WHERE account_id = \(account) AND confirmed_at IS NULL
        AND created_at > \(now - AuthenticatorSecret.confirmationTime)
      """) > 0
  }

  /// Takes the code of `step`; `false` when that one or a later one was taken before.
  public func takeStep(_ step: Int64, of account: AccountID) throws -> Bool {
    try session.run(
      """
      UPDATE authenticator SET last_step = \(step)
      WHERE account_id = \(account) AND confirmed_at IS NOT NULL AND last_step < \(step)
      """) > 0
  }

  /// `false` when the account shared none with an app.
  public func deleteAuthenticator(of account: AccountID) throws -> Bool {
    try session.run("DELETE FROM authenticator WHERE account_id = \(account)") > 0
  }

  /// Removes secrets that nobody confirmed in time, at most 500.
  public func deleteAuthenticators(unconfirmedSince limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM authenticator WHERE account_id IN
        (SELECT account_id FROM authenticator WHERE confirmed_at IS NULL AND created_at <= \(limit)
         ORDER BY created_at, account_id LIMIT 500)
      """)
  }

  /// Puts new recovery codes, by their MACs, in the place of those of before.
  public func setRecoveryCodes(_ codes: [TokenHash], of account: AccountID) throws {
    try session.run("DELETE FROM recovery_code WHERE account_id = \(account)")
    for code in codes {
      try session.run("INSERT INTO recovery_code (account_id, mac) VALUES (\(account), \(code))")
    }
  }

  /// Uses up a recovery code; `false` when the account has no such one.
  public func consumeRecoveryCode(_ code: TokenHash, of account: AccountID) throws -> Bool {
    try session.run("DELETE FROM recovery_code WHERE account_id = \(account) AND mac = \(code)") > 0
  }
}
