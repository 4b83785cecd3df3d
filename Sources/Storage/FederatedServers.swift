public import Domain
import SQL

extension Transaction {
  /// What the server at `root` last said of itself when it was asked for this revision of the connection.
  public func federatedServer(at root: String, for connection: Connection) throws -> FederatedServer? {
    try session.first(
      """
      SELECT root, owning_system_url, takes_tokens, answered_at, ask_again_at FROM federated_server
      WHERE connection_id = \(connection.id) AND root = \(root) AND connection_revision = \(connection.revision)
      """
    ).map(FederatedServer.init(row:))
  }

  /// Forgets servers whose answers are too old to be believed, at most 500.
  public func deleteFederatedServers(answeredBefore limit: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM federated_server WHERE (connection_id, root) IN
        (SELECT connection_id, root FROM federated_server WHERE answered_at <= \(limit)
         ORDER BY answered_at, connection_id, root LIMIT 500)
      """)
  }

  /// Shreds federated servers' tokens that have expired, at most 500.
  public func deleteServerTokens(expiredBefore now: Timestamp) throws -> Int {
    try session.run(
      """
      DELETE FROM server_token WHERE (credential_id, root) IN
        (SELECT credential_id, root FROM server_token WHERE expires_at <= \(now)
         ORDER BY expires_at, credential_id, root LIMIT 500)
      """)
  }

  /// A federated server's token got from this generation of the credential, with at least a second left.
  public func serverToken(
    of id: CredentialID, root: String, generation: Int64, at now: Timestamp
  ) throws -> (Sealed, Timestamp)? {
    try session.first(
      """
      SELECT kek_id, wrapped_key, box, expires_at FROM server_token
      WHERE credential_id = \(id) AND root = \(root) AND generation = \(generation) AND expires_at > \(now)
      """
    ).map { (try $0.sealed(), try $0.time("expires_at")) }
  }

  /// When the last of the federated servers' tokens got with a credential stops by itself.
  public func serverTokensEnd(of id: CredentialID) throws -> Timestamp? {
    try session.first("SELECT max(expires_at) AS latest FROM server_token WHERE credential_id = \(id)")?
      .optionalTime("latest")
  }

  /// Keeps a federated server's token, unless the credential has moved on.
  ///
  /// - Returns: Whether it is kept.
  public func putServerToken(
    _ token: Sealed, of credential: Credential, root: String, expiresAt: Timestamp
  ) throws -> Bool {
    try session.run(
      """
      INSERT INTO server_token (credential_id, root, generation, expires_at, kek_id, wrapped_key, box)
      SELECT id, \(root), generation, \(expiresAt), \(token.kekID), \(token.wrappedKey), \(token.box) FROM credential
      WHERE id = \(credential.id) AND generation = \(credential.generation) AND state = 'active'
      ON CONFLICT (credential_id, root) DO UPDATE SET generation = excluded.generation,
        expires_at = excluded.expires_at, kek_id = excluded.kek_id, wrapped_key = excluded.wrapped_key,
        box = excluded.box
      """) > 0
  }
}

extension Store {
  /// Keeps what a server said of itself in place of what it said before; not worth waiting for.
  ///
  /// The oldest make room when a connection has too many.
  public func keep(_ server: FederatedServer, for connection: Connection) {
    database.submit([
      """
      INSERT INTO federated_server (connection_id, root, connection_revision, owning_system_url, takes_tokens,
        answered_at, ask_again_at)
      SELECT id, \(server.root), revision, \(server.owningSystemURL), \(server.takesTokens), \(server.answeredAt),
        \(server.askAgainAt) FROM connection WHERE id = \(connection.id) AND revision = \(connection.revision)
      ON CONFLICT (connection_id, root) DO UPDATE SET connection_revision = excluded.connection_revision,
        owning_system_url = excluded.owning_system_url, takes_tokens = excluded.takes_tokens,
        answered_at = excluded.answered_at, ask_again_at = excluded.ask_again_at
      """,
      """
      DELETE FROM federated_server WHERE connection_id = \(connection.id) AND root IN
        (SELECT root FROM federated_server WHERE connection_id = \(connection.id)
         ORDER BY answered_at DESC, root LIMIT 500 OFFSET \(FederatedServer.mostPerConnection))
      """,
    ])
  }
}

extension FederatedServer {
  init(row: Row) throws {
    self.init(
      root: try row.text("root"), owningSystemURL: try row.optionalText("owning_system_url"),
      takesTokens: try row.flag("takes_tokens"), answeredAt: try row.time("answered_at"),
      askAgainAt: try row.time("ask_again_at"))
  }
}
