public import Domain
import SQL

extension Transaction {
  /// Keeps a trip to an upstream; `secrets` holds the verifier and the nonce.
  public func insert(_ attempt: SignInAttempt, secrets: Sealed) throws {
    let account: AccountID? = if case .connect(let id) = attempt.purpose { id } else { nil }
    let invitation: TokenHash? = if case .acceptInvitation(let link) = attempt.purpose { link } else { nil }
    try session.run(
      """
      INSERT INTO sign_in_attempt (state_hash, browser_hash, connection_id, connection_revision, account_id,
        invitation_hash, return_path, kek_id, wrapped_key, box, expires_at)
      VALUES (\(attempt.stateHash), \(attempt.browser), \(attempt.connection), \(attempt.connectionRevision),
        \(account), \(invitation), \(attempt.returnPath), \(secrets.kekID), \(secrets.wrappedKey), \(secrets.box), \(attempt.expiresAt))
      """)
  }

  /// Whether a callback in this browser belongs to a trip; looking does not use it up.
  public func isOpenSignInAttempt(_ stateHash: TokenHash, browser: TokenHash, at now: Timestamp) throws -> Bool {
    try session.first(
      """
      SELECT state_hash FROM sign_in_attempt
      WHERE state_hash = \(stateHash) AND browser_hash = \(browser) AND consumed_at IS NULL AND expires_at > \(now)
      """) != nil
  }

  /// Uses up the trip that a callback in this browser belongs to; `nil` when there is none, it has expired, was used
  /// before, or began in another browser.
  public func consumeSignInAttempt(
    _ stateHash: TokenHash, browser: TokenHash, at now: Timestamp
  ) throws -> (SignInAttempt, Sealed)? {
    try session.first(
      """
      UPDATE sign_in_attempt SET consumed_at = \(now)
      WHERE state_hash = \(stateHash) AND browser_hash = \(browser) AND consumed_at IS NULL AND expires_at > \(now)
      RETURNING state_hash, browser_hash, connection_id, connection_revision, account_id, invitation_hash, return_path,
        expires_at, kek_id, wrapped_key, box
      """
    ).map { (try SignInAttempt(row: $0), try $0.sealed()) }
  }

  /// The trip of a state value that was used already, for a browser that reloads the callback.
  public func finishedSignInAttempt(_ stateHash: TokenHash, browser: TokenHash) throws -> SignInAttempt? {
    try session.first(
      """
      SELECT state_hash, browser_hash, connection_id, connection_revision, account_id, invitation_hash, return_path,
        expires_at
      FROM sign_in_attempt
      WHERE state_hash = \(stateHash) AND browser_hash = \(browser) AND consumed_at IS NOT NULL
      """
    ).map(SignInAttempt.init(row:))
  }

  /// Removes trips that can no longer be completed, at most 500.
  public func deleteSignInAttempts(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM sign_in_attempt WHERE state_hash IN
        (SELECT state_hash FROM sign_in_attempt WHERE expires_at <= \(now) ORDER BY expires_at, state_hash LIMIT 500)
      """)
  }
}

extension SignInAttempt {
  init(row: Row) throws {
    let account = try row.optionalText("account_id").flatMap(AccountID.init)
    let invitation = try row.optionalBytes("invitation_hash").map(TokenHash.init(bytes:))
    self.init(
      stateHash: try row.hash("state_hash"), browser: try row.hash("browser_hash"),
      connection: try row.connectionID("connection_id"), connectionRevision: try row.integer("connection_revision"),
      purpose: account.map(Purpose.connect) ?? invitation.map(Purpose.acceptInvitation) ?? .signIn,
      returnPath: try row.text("return_path"),
      expiresAt: try row.time("expires_at"))
  }
}
