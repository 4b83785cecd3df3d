public import Domain
import SQL

extension Transaction {
  /// Stores a new credential in place of the one the account held for the connection.
  public func put(_ credential: Credential, tokens: Sealed) throws {
    try session.run(
      """
      DELETE FROM credential WHERE account_id = \(credential.account) AND connection_id = \(credential.connection)
      """)
    try session.run(
      """
      INSERT INTO credential (id, account_id, connection_id, issuer, subject, display_name, state, generation,
        access_expires_at, refresh_expires_at, can_refresh, connected_at, refreshed_at, last_used_at,
        kept_until, kept_session, sid, offline, kek_id, wrapped_key, box)
      VALUES (\(credential.id), \(credential.account), \(credential.connection), \(credential.identity.issuer),
        \(credential.identity.subject), \(credential.identity.displayName), \(credential.state.rawValue),
        \(credential.generation), \(credential.accessExpiresAt), \(credential.refreshExpiresAt),
        \(credential.canRefresh), \(credential.connectedAt), \(credential.refreshedAt), \(credential.lastUsedAt),
        \(credential.keptUntil), \(credential.session), \(credential.upstreamSessionID), \(credential.isOffline),
        \(tokens.kekID), \(tokens.wrappedKey), \(tokens.box))
      """)
  }

  public func credential(of account: AccountID, for connection: ConnectionID) throws -> Credential? {
    try session.first(
      """
      SELECT \(.credentialColumns) FROM credential
      WHERE account_id = \(account) AND connection_id = \(connection)
      """
    ).map(Credential.init(row:))
  }

  /// A credential together with its sealed tokens, as a vend needs them.
  public func sealedCredential(of account: AccountID, for connection: ConnectionID) throws -> (Credential, Sealed)? {
    try session.first(
      """
      SELECT \(.credentialColumns), kek_id, wrapped_key, box FROM credential
      WHERE account_id = \(account) AND connection_id = \(connection)
      """
    ).map { (try Credential(row: $0), try $0.sealed()) }
  }

  public func sealedCredential(_ id: CredentialID) throws -> (Credential, Sealed)? {
    try session.first(
      "SELECT \(.credentialColumns), kek_id, wrapped_key, box FROM credential WHERE id = \(id)"
    ).map { (try Credential(row: $0), try $0.sealed()) }
  }

  /// Every credential for a connection, with its sealed tokens.
  public func sealedCredentials(at connection: ConnectionID) throws -> [(Credential, Sealed)] {
    try session.rows(
      """
      SELECT \(.credentialColumns), kek_id, wrapped_key, box FROM credential
      WHERE connection_id = \(connection) ORDER BY id
      """
    ).map { (try Credential(row: $0), try $0.sealed()) }
  }

  /// Some of the credentials for a connection that nobody closes yet.
  public func openCredentials(at connection: ConnectionID, limit: Int64) throws -> [Credential] {
    try session.rows(
      """
      SELECT \(.credentialColumns) FROM credential
      WHERE connection_id = \(connection) AND state <> 'closing' ORDER BY id LIMIT \(limit)
      """
    ).map(Credential.init(row:))
  }

  /// What an account holds, by connection; not what is being closed.
  public func credentials(of account: AccountID) throws -> [Credential] {
    try session.rows(
      """
      SELECT \(.credentialColumns) FROM credential
      WHERE account_id = \(account) AND state <> 'closing' ORDER BY connection_id
      """
    ).map(Credential.init(row:))
  }

  /// Replaces the tokens of a credential, unless its generation has moved on or sign-out has begun.
  ///
  /// - Returns: Whether they were stored; if not, somebody else's decision is newer.
  public func replaceTokens(
    of id: CredentialID, generation: Int64, with tokens: Sealed, _ expiry: TokenExpiry, at now: Timestamp
  ) throws -> Bool {
    try session.first(
      """
      UPDATE credential SET kek_id = \(tokens.kekID), wrapped_key = \(tokens.wrappedKey), box = \(tokens.box),
        access_expires_at = \(expiry.access), refresh_expires_at = \(expiry.refresh),
        can_refresh = \(expiry.canRefresh), generation = generation + 1, refreshed_at = \(now)
      WHERE id = \(id) AND generation = \(generation) AND state = 'active'
      RETURNING id
      """) != nil
  }

  /// Marks a credential that the upstream refuses; its tokens stay only as long as sign-out may need them.
  @discardableResult
  public func markReauthRequired(_ id: CredentialID, generation: Int64) throws -> Bool {
    try session.first(
      """
      UPDATE credential SET state = 'reauth_required', generation = generation + 1, can_refresh = 0
      WHERE id = \(id) AND generation = \(generation) AND state = 'active'
      RETURNING id
      """) != nil
  }

  /// Begins the end of a credential: nothing is vended from now on, and a refresh under way will not be stored.
  ///
  /// - Returns: The credential with its tokens, or `nil` when somebody else closes it already.
  public func closeCredential(_ id: CredentialID, of account: AccountID) throws -> (Credential, Sealed)? {
    try session.first(
      """
      UPDATE credential SET state = 'closing', generation = generation + 1
      WHERE id = \(id) AND account_id = \(account) AND state <> 'closing'
      RETURNING \(.credentialColumns), kek_id, wrapped_key, box
      """
    ).map { (try Credential(row: $0), try $0.sealed()) }
  }

  /// Deletes a closing credential with its wrapped key: nothing can read its tokens any more.
  ///
  /// One whose refresh is still under way stays until that ends and has put its own tokens into the outbox.
  @discardableResult
  public func shredClosedCredential(_ id: CredentialID) throws -> Bool {
    try session.run(
      """
      DELETE FROM credential WHERE id = \(id) AND state = 'closing'
        AND id NOT IN (SELECT credential_id FROM refresh_attempt)
      """) > 0
  }

  /// Shreds closing credentials that a crash left behind, at most 500.
  @discardableResult
  public func shredClosedCredentials() throws -> Int {
    try session.run(
      """
      DELETE FROM credential WHERE id IN
        (SELECT id FROM credential WHERE state = 'closing' AND id NOT IN (SELECT credential_id FROM refresh_attempt)
         ORDER BY id LIMIT 500)
      """)
  }
}

/// What is known outside the seal about a set of tokens.
public struct TokenExpiry: Sendable {
  public let access: Timestamp
  public let refresh: Timestamp?
  public let canRefresh: Bool

  public init(_ tokens: UpstreamTokens) {
    access = tokens.accessExpiresAt
    refresh = tokens.refreshExpiresAt
    canRefresh = tokens.canRenew
  }
}

extension Credential {
  init(row: Row) throws {
    let connection = try row.connectionID("connection_id")
    self.init(
      id: try row.identifier("id"), account: try row.identifier("account_id"), connection: connection,
      identity: UpstreamIdentity(
        connection: connection, issuer: try row.text("issuer"), subject: try row.text("subject"),
        displayName: try row.text("display_name")),
      state: try row.parsed("state", State.init(rawValue:)), generation: try row.integer("generation"),
      accessExpiresAt: try row.time("access_expires_at"), refreshExpiresAt: try row.optionalTime("refresh_expires_at"),
      canRefresh: try row.flag("can_refresh"), connectedAt: try row.time("connected_at"),
      refreshedAt: try row.time("refreshed_at"), lastUsedAt: try row.optionalTime("last_used_at"))
    keptUntil = try row.optionalTime("kept_until")
    session = try row.optionalHash("kept_session")
    upstreamSessionID = try row.optionalText("sid")
    isOffline = try row.flag("offline")
  }
}

extension Columns {
  static let credentialColumns = Columns(
    """
    id, account_id, connection_id, issuer, subject, display_name, state, generation, access_expires_at,
    refresh_expires_at, can_refresh, connected_at, refreshed_at, last_used_at,
    kept_until, kept_session, sid, offline
    """)
}
