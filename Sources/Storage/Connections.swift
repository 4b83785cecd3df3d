public import Domain
import SQL

extension Transaction {
  /// Adds a connection.
  ///
  /// - Throws: `DatabaseError.duplicate` when its id is taken.
  public func insert(_ connection: Connection, clientSecret: Sealed?) throws {
    touchConfiguration()
    try session.run(
      """
      INSERT INTO connection (id, name, kind, origin, client_id, resources, reach_hosts, reach_networks, allows_http,
        admission, admitted, scopes, options, revision, created_at, kek_id, wrapped_key, box)
      VALUES (\(connection.id), \(connection.name), \(connection.kind.rawValue), \(connection.origin),
        \(connection.clientID), \(connection.resources.map(\.text).asLines), \(connection.reach.hosts.asLines),
        \(connection.reach.networks.asLines), \(connection.reach.allowsHTTP), \(connection.admission.rawValue),
        \(connection.admitted.asLines), \(connection.scopes.asLines), \(connection.options), \(connection.revision),
        \(connection.createdAt), \(clientSecret?.kekID), \(clientSecret?.wrappedKey), \(clientSecret?.box))
      """)
  }

  public func connection(_ id: ConnectionID) throws -> Connection? {
    try session.first("SELECT \(.connectionColumns) FROM connection WHERE id = \(id)").map(Connection.init(row:))
  }

  /// Every connection, by name.
  public func connections() throws -> [Connection] {
    try session.rows("SELECT \(.connectionColumns) FROM connection ORDER BY name, id").map(Connection.init(row:))
  }

  /// Our secret at the upstream, sealed; `nil` for a public registration.
  public func connectionSecret(_ id: ConnectionID) throws -> Sealed? {
    try session.first("SELECT kek_id, wrapped_key, box FROM connection WHERE id = \(id) AND box IS NOT NULL")?.sealed()
  }

  @discardableResult
  public func setConnection(_ id: ConnectionID, disabled: Bool, at now: Timestamp) throws -> Bool {
    touchConfiguration()
    return try session.run("UPDATE connection SET disabled_at = \(disabled ? now : nil) WHERE id = \(id)") > 0
  }

  /// Stores anew what can be changed of a connection.
  public func update(_ connection: Connection) throws {
    touchConfiguration()
    try session.run(
      """
      UPDATE connection SET name = \(connection.name), resources = \(connection.resources.map(\.text).asLines),
        reach_networks = \(connection.reach.networks.asLines), allows_http = \(connection.reach.allowsHTTP),
        admission = \(connection.admission.rawValue), admitted = \(connection.admitted.asLines),
        scopes = \(connection.scopes.asLines), options = \(connection.options)
      WHERE id = \(connection.id)
      """)
  }

  /// Stores another secret of ours at the upstream.
  public func setSecret(_ secret: Sealed, of id: ConnectionID) throws {
    touchConfiguration()
    try session.run(
      """
      UPDATE connection SET kek_id = \(secret.kekID), wrapped_key = \(secret.wrappedKey), box = \(secret.box)
      WHERE id = \(id)
      """)
  }

  /// Stores the options of a connection anew.
  public func setOptions(of connection: Connection) throws {
    touchConfiguration()
    try session.run("UPDATE connection SET options = \(connection.options) WHERE id = \(connection.id)")
  }

  /// Deletes a connection with its identities and permissions, unless something of it still lives at the upstream.
  ///
  /// - Returns: Whether it was deleted; not while a credential, or a token that waits for its revocation, hangs on it.
  public func deleteEmptyConnection(_ id: ConnectionID) throws -> Bool {
    touchConfiguration()
    return try session.run(
      """
      DELETE FROM connection WHERE id = \(id)
        AND NOT EXISTS (SELECT 1 FROM credential WHERE connection_id = \(id))
        AND NOT EXISTS (SELECT 1 FROM revocation WHERE connection_id = \(id))
      """) > 0
  }

  /// How many credentials and waiting revocations keep a connection from being deleted.
  public func countRemains(of id: ConnectionID) throws -> Int64 {
    try session.first(
      """
      SELECT (SELECT count(*) FROM credential WHERE connection_id = \(id))
        + (SELECT count(*) FROM revocation WHERE connection_id = \(id)) AS n
      """)?.integer("n") ?? 0
  }
}

extension Connection {
  init(row: Row) throws {
    self.init(
      id: try row.connectionID("id"), name: try row.text("name"), kind: try row.parsed("kind", Kind.init(rawValue:)),
      origin: try row.text("origin"), clientID: try row.text("client_id"), createdAt: try row.time("created_at"))
    hasClientSecret = try row.flag("has_secret")
    resources = try row.lines("resources").compactMap { ResourcePattern($0, allowsEveryHost: true) }
    reach = Reach(
      hosts: try row.lines("reach_hosts"), networks: try row.lines("reach_networks"),
      allowsHTTP: try row.flag("allows_http"))
    admission = try row.parsed("admission", Admission.init(rawValue:))
    admitted = try row.lines("admitted")
    scopes = try row.lines("scopes")
    isDisabled = try row.optionalInteger("disabled_at") != nil
    revision = try row.integer("revision")
    try readOptions(row)
  }
}

extension Columns {
  static let connectionColumns = Columns(
    """
    id, name, kind, origin, client_id, resources, reach_hosts, reach_networks, allows_http, admission, admitted,
    scopes, options, revision, disabled_at, created_at, CASE WHEN box IS NULL THEN 0 ELSE 1 END AS has_secret
    """)
}
