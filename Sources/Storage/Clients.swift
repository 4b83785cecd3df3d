public import Domain
import SQL

extension Transaction {
  public func insert(_ client: Client) throws {
    touchConfiguration()
    try session.run(
      """
      INSERT INTO client (id, name, kind, redirect_uris, grants, scope, options, created_at)
      VALUES (\(client.id), \(client.name), \(client.kind.rawValue), \(client.redirectURIs.map(\.text).asLines),
        \(client.grants.map(\.rawValue).asLines), \(client.scope.text), \(client.options.text),
        \(client.createdAt))
      """)
    try insertPermissions(of: client)
  }

  private func insertPermissions(of client: Client) throws {
    for permission in client.permissions {
      try session.run(
        """
        INSERT INTO client_connection (client_id, connection_id, raw_tokens, unattended)
        VALUES (\(client.id), \(permission.connection), \(permission.handsOutRawTokens), \(permission.isUnattended))
        """)
    }
  }

  /// Writes down what may change of a client, its connections included.
  public func update(_ client: Client) throws {
    touchConfiguration()
    try session.run(
      """
      UPDATE client SET name = \(client.name), redirect_uris = \(client.redirectURIs.map(\.text).asLines),
        grants = \(client.grants.map(\.rawValue).asLines), scope = \(client.scope.text),
        options = \(client.options.text)
      WHERE id = \(client.id)
      """)
    try session.run("DELETE FROM client_connection WHERE client_id = \(client.id)")
    try insertPermissions(of: client)
  }

  public func client(_ id: ClientID) throws -> Client? {
    guard let row = try session.first("SELECT \(.clientColumns) FROM client WHERE id = \(id)") else { return nil }
    return try Client(row: row, permissions: permissions(of: id))
  }

  /// Every client, by name.
  public func clients() throws -> [Client] {
    try session.rows("SELECT \(.clientColumns) FROM client ORDER BY name, id").map {
      try Client(row: $0, permissions: permissions(of: $0.identifier("id")))
    }
  }

  private func permissions(of id: ClientID) throws -> [Client.Permission] {
    try session.rows(
      """
      SELECT connection_id, raw_tokens, unattended FROM client_connection
      WHERE client_id = \(id) ORDER BY connection_id
      """
    ).map {
      Client.Permission(
        connection: try $0.connectionID("connection_id"), handsOutRawTokens: try $0.flag("raw_tokens"),
        isUnattended: try $0.flag("unattended"))
    }
  }

  /// Replaces every secret of a client by one.
  public func setSecret(_ hash: TokenHash, of id: ClientID, at now: Timestamp) throws {
    touchConfiguration()
    try session.run("DELETE FROM client_secret WHERE client_id = \(id)")
    try session.run("INSERT INTO client_secret (client_id, hash, created_at) VALUES (\(id), \(hash), \(now))")
  }

  /// Adds a secret; the newest one before it goes on working until `end`, all others stop at once.
  ///
  /// - Returns: Whether there was one before.
  public func addSecret(
    _ hash: TokenHash, of id: ClientID, at now: Timestamp, previousEndsAt end: Timestamp
  ) throws -> Bool {
    touchConfiguration()
    try session.run("DELETE FROM client_secret WHERE client_id = \(id) AND expires_at IS NOT NULL")
    let hadOne = try session.run("UPDATE client_secret SET expires_at = \(end) WHERE client_id = \(id)") > 0
    try session.run("INSERT INTO client_secret (client_id, hash, created_at) VALUES (\(id), \(hash), \(now))")
    return hadOne
  }

  /// A client's secrets, the oldest first; some may have expired.
  public func secrets(of id: ClientID) throws -> [ClientSecret] {
    try session.rows("SELECT hash, expires_at FROM client_secret WHERE client_id = \(id) ORDER BY created_at, hash")
      .map { ClientSecret(hash: try $0.hash("hash"), expiresAt: try $0.optionalTime("expires_at")) }
  }

  /// Whether a client is there and not disabled.
  public func isLive(_ id: ClientID) throws -> Bool {
    try session.first("SELECT id FROM client WHERE id = \(id) AND disabled_at IS NULL") != nil
  }

  /// Disables or enables a client; disabling ends its codes, its token families and its own tokens.
  @discardableResult
  public func setClient(_ id: ClientID, disabled: Bool, at now: Timestamp) throws -> Bool {
    touchConfiguration()
    if disabled { try endTokens(of: id, at: now) }
    return try session.run("UPDATE client SET disabled_at = \(disabled ? now : nil) WHERE id = \(id)") > 0
  }

  /// Ends a client's codes, its token families and its own tokens.
  public func endTokens(of id: ClientID, at now: Timestamp) throws {
    try session.run("UPDATE token_family SET revoked_at = \(now) WHERE client_id = \(id) AND revoked_at IS NULL")
    try session.run(
      "UPDATE authorization_code SET consumed_at = \(now) WHERE client_id = \(id) AND consumed_at IS NULL")
    try revokeOwnTokens(of: id, at: now)
  }

  /// Takes every secret of a client away.
  public func deleteSecrets(of id: ClientID) throws {
    touchConfiguration()
    try session.run("DELETE FROM client_secret WHERE client_id = \(id)")
  }

  /// Deletes a client with its secrets, consents and tokens.
  @discardableResult
  public func deleteClient(_ id: ClientID) throws -> Bool {
    touchConfiguration()
    return try session.run("DELETE FROM client WHERE id = \(id)") > 0
  }
}

extension Client {
  init(row: Row, permissions: [Permission]) throws {
    self.init(
      id: try row.identifier("id"), name: try row.text("name"), kind: try row.parsed("kind", Kind.init(rawValue:)),
      redirectURIs: try row.lines("redirect_uris").compactMap(RedirectURI.init),
      grants: try row.lines("grants").compactMap(Grant.init(rawValue:)),
      scope: try row.parsed("scope") { Scope($0) }, permissions: permissions,
      options: try ClientOptions(row: row), isDisabled: try row.optionalInteger("disabled_at") != nil,
      isTrusted: try row.optionalInteger("untrusted") == nil, createdAt: try row.time("created_at"))
  }
}

extension Columns {
  static let clientColumns = Columns(
    """
    id, name, kind, redirect_uris, grants, scope, options, disabled_at, created_at,
    (SELECT 1 FROM client_registration r WHERE r.client_id = client.id AND r.checked_at IS NULL) AS untrusted
    """)
}
