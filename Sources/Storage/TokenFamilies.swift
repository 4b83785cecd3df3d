public import Domain
import SQL

extension Transaction {
  public func insert(_ family: TokenFamily) throws {
    try session.run(
      """
      INSERT INTO token_family (id, client_id, account_id, session_hash, scope, openid, authenticated_at, expires_at,
        binding)
      VALUES (\(family.id), \(family.client), \(family.account), \(family.session), \(family.scope.text),
        \(family.openID.text), \(family.authenticatedAt), \(family.expiresAt), \(family.binding?.text))
      """)
  }

  public func family(_ id: TokenFamilyID) throws -> TokenFamily? {
    try session.first("SELECT \(.familyColumns) FROM token_family WHERE id = \(id)").map(TokenFamily.init(row:))
  }

  @discardableResult
  public func revokeFamily(_ id: TokenFamilyID, at now: Timestamp) throws -> Bool {
    try session.run("UPDATE token_family SET revoked_at = \(now) WHERE id = \(id) AND revoked_at IS NULL") > 0
  }

  /// Ends every token of ours that an account gave out.
  @discardableResult
  public func revokeFamilies(of account: AccountID, at now: Timestamp) throws -> Int {
    try session.run("UPDATE token_family SET revoked_at = \(now) WHERE account_id = \(account) AND revoked_at IS NULL")
  }

  /// Ends the tokens that an account gave to one client.
  @discardableResult
  public func revokeFamilies(of account: AccountID, client: ClientID, at now: Timestamp) throws -> Int {
    try session.run(
      """
      UPDATE token_family SET revoked_at = \(now)
      WHERE account_id = \(account) AND client_id = \(client) AND revoked_at IS NULL
      """)
  }

  public func insert(_ token: RefreshToken) throws {
    try session.run(
      """
      INSERT INTO refresh_token (hash, family_id, expires_at, replays)
      VALUES (\(token.hash), \(token.family), \(token.expiresAt), 0)
      """)
  }

  /// A refresh token with its family, whatever their state.
  public func refreshToken(_ hash: TokenHash) throws -> (token: RefreshToken, family: TokenFamily)? {
    guard
      let row = try session.first(
        "SELECT hash, family_id, expires_at, rotated_at, successor, replays FROM refresh_token WHERE hash = \(hash)")
    else { return nil }
    let token = RefreshToken(
      hash: try row.hash("hash"), family: try row.identifier("family_id"), expiresAt: try row.time("expires_at"),
      rotatedAt: try row.optionalTime("rotated_at"), successor: try row.optionalBytes("successor"),
      replays: try row.integer("replays"))
    return try family(token.family).map { (token, $0) }
  }

  /// Uses up a refresh token in favour of `successor`; `false` when somebody was faster.
  ///
  /// `sealedSuccessor` is the successor under a key derived from the presented token.
  public func rotate(
    _ hash: TokenHash, to successor: RefreshToken, sealedSuccessor: [UInt8], at now: Timestamp
  ) throws -> Bool {
    let won = try session.first(
      """
      UPDATE refresh_token SET rotated_at = \(now), successor = \(sealedSuccessor)
      WHERE hash = \(hash) AND rotated_at IS NULL RETURNING family_id
      """)
    guard let won else { return false }
    let family = try won.text("family_id")
    // The token before the one just used can no longer be needed: its successor has arrived.
    try session.run(
      """
      UPDATE refresh_token SET successor = NULL
      WHERE family_id = \(family) AND hash <> \(hash) AND successor IS NOT NULL
      """)
    try insert(successor)
    return true
  }

  /// Lets a refresh token that is not exchanged for another go on.
  public func extendRefreshToken(_ hash: TokenHash, until end: Timestamp) throws {
    try session.run("UPDATE refresh_token SET expires_at = \(end) WHERE hash = \(hash)")
  }

  /// Counts that a successor was handed out once more.
  public func countReplay(_ hash: TokenHash) throws {
    try session.run("UPDATE refresh_token SET replays = replays + 1 WHERE hash = \(hash)")
  }

  /// Forgets successors whose window has passed, at most 500.
  public func deleteSuccessors(rotatedBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      UPDATE refresh_token SET successor = NULL WHERE hash IN
        (SELECT hash FROM refresh_token WHERE successor IS NOT NULL AND rotated_at <= \(limit)
         ORDER BY rotated_at, hash LIMIT 500)
      """)
  }

  /// Removes refresh tokens that expired long ago, used or not, at most 500.
  public func deleteRefreshTokens(expiredBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM refresh_token WHERE hash IN
        (SELECT hash FROM refresh_token WHERE expires_at <= \(limit) ORDER BY expires_at, hash LIMIT 500)
      """)
  }

  /// Removes families that ended long ago, at most 500; their refresh tokens ended before them.
  public func deleteFamilies(expiredBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM token_family WHERE id IN
        (SELECT id FROM token_family WHERE expires_at <= \(limit) ORDER BY expires_at, id LIMIT 500)
      """)
  }

  /// Notes that an access token was revoked before its time.
  public func insertRevokedToken(_ jti: String, expiresAt: Timestamp) throws {
    try session.run(
      "INSERT INTO revoked_token (jti, expires_at) VALUES (\(jti), \(expiresAt)) ON CONFLICT (jti) DO NOTHING")
  }

  /// Ends the tokens that a client got for itself until `now`; they have no family that could end.
  func revokeOwnTokens(of client: ClientID, at now: Timestamp) throws {
    let end = now + AccessToken.lifetime
    try session.run(
      """
      INSERT INTO revoked_token (jti, expires_at) VALUES (\(client), \(end))
      ON CONFLICT (jti) DO UPDATE SET expires_at = excluded.expires_at
      """)
  }

  /// Whether a token that a client got for itself at `issuedAt` was ended before its time: by itself, or with all that
  /// the client had when it was disabled.
  public func tokenHasEnded(_ jti: String, of client: ClientID, issuedAt: Timestamp) throws -> Bool {
    if try tokenHasEnded(jti, family: nil) { return true }
    let end = issuedAt + AccessToken.lifetime
    return try session.first("SELECT jti FROM revoked_token WHERE jti = \(client) AND expires_at >= \(end)") != nil
  }

  /// Whether an access token was ended before its time: by itself, with its family, or with its account.
  ///
  /// The token of a client that acts for itself has no family.
  public func tokenHasEnded(_ jti: String, family: TokenFamilyID?) throws -> Bool {
    guard let family else { return try session.first("SELECT jti FROM revoked_token WHERE jti = \(jti)") != nil }
    return try session.first(
      """
      SELECT f.id FROM token_family f JOIN account a ON a.id = f.account_id
      WHERE f.id = \(family) AND f.revoked_at IS NULL AND a.disabled_at IS NULL
        AND (SELECT count(*) FROM revoked_token WHERE jti = \(jti)) = 0
      """) == nil
  }

  /// Forgets revocations of access tokens that have expired anyway, at most 500.
  public func deleteRevokedTokens(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM revoked_token WHERE jti IN
        (SELECT jti FROM revoked_token WHERE expires_at <= \(now) ORDER BY expires_at, jti LIMIT 500)
      """)
  }
}

extension TokenFamily {
  init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), client: try row.identifier("client_id"), account: try row.identifier("account_id"),
      session: try row.hash("session_hash"), scope: try row.parsed("scope") { Scope($0) },
      openID: try OpenIDRequest(row: row), authenticatedAt: try row.time("authenticated_at"),
      expiresAt: try row.time("expires_at"),
      isRevoked: try row.optionalInteger("revoked_at") != nil)
    // What this program cannot read must not count as bound to nothing.
    if try row.optionalText("binding") != nil { binding = try row.parsed("binding", TokenBinding.init(text:)) }
  }
}

extension Columns {
  static let familyColumns = Columns(
    """
    id, client_id, account_id, session_hash, scope, openid, authenticated_at, expires_at, revoked_at, binding
    """)
}
