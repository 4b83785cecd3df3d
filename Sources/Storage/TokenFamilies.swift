public import Domain
import SQL

extension Transaction {
  public func insert(_ family: TokenFamily) throws {
    try session.run(
      """
      INSERT INTO token_family (id, client_id, account_id, session_hash, scope, openid, authenticated_at, expires_at,
        binding, generation)
      VALUES (\(family.id), \(family.client), \(family.account), \(family.session), \(family.scope.text),
        \(family.openID.text), \(family.authenticatedAt), \(family.expiresAt), \(family.binding?.text),
        \(family.generation))
      """)
  }

  public func family(_ id: TokenFamilyID) throws -> TokenFamily? {
    try session.first("SELECT \(.familyColumns) FROM token_family WHERE id = \(id)").map(TokenFamily.init(row:))
  }

  /// Whether an account gave `client` anything that has not ended.
  public func hasLiveFamily(of account: AccountID, for client: ClientID, at now: Timestamp) throws -> Bool {
    try session.first(
      """
      SELECT id FROM token_family
      WHERE account_id = \(account) AND client_id = \(client) AND revoked_at IS NULL AND expires_at > \(now) LIMIT 1
      """) != nil
  }

  /// Ends the access tokens of a family that know their generation, and leaves its refresh token.
  public func beginGeneration(_ generation: Int64, of id: TokenFamilyID) throws {
    try session.run(
      "UPDATE token_family SET generation = \(generation) WHERE id = \(id) AND generation < \(generation)")
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

  /// Removes families that ended long ago, at most 500, with their refresh tokens.
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
  /// The token of a client that acts for itself has no family; one without a `generation` is of all.
  public func tokenHasEnded(_ jti: String, family: TokenFamilyID?, generation: Int64? = nil) throws -> Bool {
    guard let family else { return try session.first("SELECT jti FROM revoked_token WHERE jti = \(jti)") != nil }
    return try session.first(
      """
      SELECT f.id FROM token_family f JOIN account a ON a.id = f.account_id
      WHERE f.id = \(family) AND f.revoked_at IS NULL AND f.generation <= \(generation ?? .max)
        AND a.disabled_at IS NULL
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
    generation = try row.integer("generation")
    // What this program cannot read must not count as bound to nothing.
    if try row.optionalText("binding") != nil { binding = try row.parsed("binding", TokenBinding.init(text:)) }
  }
}

extension Columns {
  static let familyColumns = Columns(
    """
    id, client_id, account_id, session_hash, scope, openid, authenticated_at, expires_at, revoked_at, binding,
    generation
    """)
}
