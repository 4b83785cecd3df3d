public import Domain
import SQL

extension Transaction {
  public func insert(_ code: AuthorizationCode) throws {
    try session.run(
      """
      INSERT INTO authorization_code (hash, client_id, account_id, session_hash, redirect_uri, scope, code_challenge,
        openid, authenticated_at, expires_at, family_id, dpop_key, lasts)
      VALUES (\(code.hash), \(code.client), \(code.account), \(code.session), \(code.redirectURI), \(code.scope.text),
        \(code.codeChallenge), \(code.openID.text), \(code.authenticatedAt), \(code.expiresAt), \(code.family),
        \(code.dpopKey), \(code.lasts))
      """)
  }

  /// Marks a code as used and returns it; `nil` when it is unknown, expired, or was used before.
  ///
  /// One statement decides, so that two instances can never both get the code.
  public func consumeCode(_ hash: TokenHash, at now: Timestamp) throws -> AuthorizationCode? {
    try session.first(
      """
      UPDATE authorization_code SET consumed_at = \(now)
      WHERE hash = \(hash) AND consumed_at IS NULL AND expires_at > \(now)
      RETURNING \(.codeColumns)
      """
    ).map(AuthorizationCode.init(row:))
  }

  /// A code that can be redeemed; looking does not use it.
  public func waitingCode(_ hash: TokenHash, at now: Timestamp) throws -> AuthorizationCode? {
    try session.first(
      """
      SELECT \(.codeColumns) FROM authorization_code
      WHERE hash = \(hash) AND consumed_at IS NULL AND expires_at > \(now)
      """
    ).map(AuthorizationCode.init(row:))
  }

  /// A code that was used before, to see what its replay should end.
  public func usedCode(_ hash: TokenHash) throws -> AuthorizationCode? {
    try session.first(
      "SELECT \(.codeColumns) FROM authorization_code WHERE hash = \(hash) AND consumed_at IS NOT NULL"
    ).map(AuthorizationCode.init(row:))
  }

  /// Makes the codes worthless that an account gave out and nobody has redeemed yet.
  public func burnCodes(of account: AccountID, at now: Timestamp) throws {
    try session.run(
      "UPDATE authorization_code SET consumed_at = \(now) WHERE account_id = \(account) AND consumed_at IS NULL")
  }

  /// The same for the codes that wait for one client.
  public func burnCodes(of account: AccountID, for client: ClientID, at now: Timestamp) throws {
    try session.run(
      """
      UPDATE authorization_code SET consumed_at = \(now)
      WHERE account_id = \(account) AND client_id = \(client) AND consumed_at IS NULL
      """)
  }

  /// Removes codes long past use, at most 500; used ones are kept for a while to notice a replay.
  public func deleteCodes(expiredBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM authorization_code WHERE hash IN
        (SELECT hash FROM authorization_code WHERE expires_at <= \(limit) ORDER BY expires_at, hash LIMIT 500)
      """)
  }
}

extension AuthorizationCode {
  init(row: Row) throws {
    self.init(
      hash: try row.hash("hash"), client: try row.identifier("client_id"), account: try row.identifier("account_id"),
      session: try row.hash("session_hash"), redirectURI: try row.text("redirect_uri"),
      scope: try row.parsed("scope") { Scope($0) }, codeChallenge: try row.optionalText("code_challenge"),
      openID: try OpenIDRequest(row: row),
      authenticatedAt: try row.time("authenticated_at"), expiresAt: try row.time("expires_at"),
      family: try row.identifier("family_id"))
    dpopKey = try row.optionalText("dpop_key")
    lasts = try row.optionalInteger("lasts")
  }
}

extension Columns {
  static let codeColumns = Columns(
    """
    hash, client_id, account_id, session_hash, redirect_uri, scope, code_challenge, openid, authenticated_at, expires_at,
    family_id, dpop_key, lasts
    """)
}
