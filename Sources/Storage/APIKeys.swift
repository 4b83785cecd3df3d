public import Domain
import SQL

extension Transaction {
  /// Stores a key with its slots.
  public func insert(_ key: ClientAPIKey) throws {
    touchConfiguration()
    let (scope, limits) = (key.scope, key.limits)
    try session.run(
      """
      INSERT INTO api_key (id, client_id, name, kind, connections, resources, methods, longest_answer, referrers,
        networks, per_minute, per_day, created_at)
      VALUES (\(key.id), \(key.client), \(key.name), \(key.kind.rawValue), \(scope.connections.map(\.text).asLines),
        \(scope.resources.map(\.text).asLines), \(scope.methods.asLines), \(scope.longestAnswer),
        \(limits.referrers.map(\.text).asLines), \(limits.networks.asLines), \(limits.perMinute), \(limits.perDay),
        \(key.createdAt))
      """)
    for slot in key.slots { try put(slot, of: key.id) }
  }

  /// Stores what an administrator may change of a key: its name, scope and limits.
  public func update(_ key: ClientAPIKey) throws {
    touchConfiguration()
    let (scope, limits) = (key.scope, key.limits)
    try session.run(
      """
      UPDATE api_key SET name = \(key.name), connections = \(scope.connections.map(\.text).asLines),
        resources = \(scope.resources.map(\.text).asLines), methods = \(scope.methods.asLines),
        longest_answer = \(scope.longestAnswer), referrers = \(limits.referrers.map(\.text).asLines),
        networks = \(limits.networks.asLines), per_minute = \(limits.perMinute), per_day = \(limits.perDay)
      WHERE id = \(key.id)
      """)
  }

  /// Stores a secret in its slot, in the place of one that was there.
  public func put(_ slot: ClientAPIKey.Slot, of key: APIKeyID) throws {
    touchConfiguration()
    try session.run("DELETE FROM api_key_slot WHERE key_id = \(key) AND number = \(slot.number)")
    try session.run(
      """
      INSERT INTO api_key_slot (key_id, number, code, pepper_id, made_at, expires_at)
      VALUES (\(key), \(slot.number), \(slot.code), \(slot.pepperID), \(slot.createdAt), \(slot.expiresAt))
      """)
  }

  /// A key with its slots, whatever its state.
  public func apiKey(_ id: APIKeyID) throws -> ClientAPIKey? {
    guard let row = try session.first("SELECT \(.apiKeyColumns) FROM api_key WHERE id = \(id)") else { return nil }
    return try ClientAPIKey(row: row, slots: slots(of: id))
  }

  /// The keys of a client, the newest first; those that were revoked, too.
  public func apiKeys(of client: ClientID) throws -> [ClientAPIKey] {
    try session.rows(
      "SELECT \(.apiKeyColumns) FROM api_key WHERE client_id = \(client) ORDER BY created_at DESC, id"
    ).map { try ClientAPIKey(row: $0, slots: slots(of: $0.identifier("id"))) }
  }

  /// Every key, by client.
  public func apiKeys() throws -> [ClientAPIKey] {
    try session.rows("SELECT \(.apiKeyColumns) FROM api_key ORDER BY client_id, created_at DESC, id")
      .map { try ClientAPIKey(row: $0, slots: slots(of: $0.identifier("id"))) }
  }

  /// Ends a key with both secrets; `false` when it is unknown or was ended before.
  public func revokeAPIKey(_ id: APIKeyID, at now: Timestamp) throws -> Bool {
    touchConfiguration()
    return try session.run("UPDATE api_key SET revoked_at = \(now) WHERE id = \(id) AND revoked_at IS NULL") > 0
  }

  /// Ends one secret; `false` when there is none, or it was ended before.
  public func revokeAPIKeySlot(_ number: Int64, of id: APIKeyID, at now: Timestamp) throws -> Bool {
    touchConfiguration()
    return try session.run(
      "UPDATE api_key_slot SET ended_at = \(now) WHERE key_id = \(id) AND number = \(number) AND ended_at IS NULL") > 0
  }

  private func slots(of id: APIKeyID) throws -> [ClientAPIKey.Slot] {
    try session.rows(
      """
      SELECT number, code, pepper_id, made_at, expires_at, ended_at, last_used_at FROM api_key_slot
      WHERE key_id = \(id) ORDER BY number
      """
    ).map(ClientAPIKey.Slot.init(row:))
  }
}

extension ClientAPIKey {
  fileprivate init(row: Row, slots: [Slot]) throws {
    self.init(
      id: try row.identifier("id"), client: try row.identifier("client_id"), name: try row.text("name"),
      kind: try row.parsed("kind", Kind.init(rawValue:)), scope: try APIKeyScope(row: row),
      limits: try APIKeyLimits(row: row), createdAt: try row.time("created_at"),
      revokedAt: try row.optionalTime("revoked_at"), slots: slots)
  }
}

extension ClientAPIKey.Slot {
  fileprivate init(row: Row) throws {
    self.init(
      number: try row.integer("number"), code: try row.bytes("code"), pepperID: try row.text("pepper_id"),
      createdAt: try row.time("made_at"), expiresAt: try row.time("expires_at"),
      revokedAt: try row.optionalTime("ended_at"), lastUsedAt: try row.optionalTime("last_used_at"))
  }
}

extension APIKeyScope {
  fileprivate init(row: Row) throws {
    self.init(
      connections: try row.lines("connections").map { try $0.read("connections", ConnectionID.init) },
      resources: try row.patterns("resources"), methods: try row.lines("methods"),
      longestAnswer: try row.optionalInteger("longest_answer"))
  }
}

extension APIKeyLimits {
  fileprivate init(row: Row) throws {
    self.init(
      referrers: try row.patterns("referrers"), networks: try row.lines("networks"),
      perMinute: try row.optionalInteger("per_minute"), perDay: try row.optionalInteger("per_day"))
  }
}

extension Row {
  /// One that cannot be read must not count as none, which would be wider.
  fileprivate func patterns(_ name: String) throws -> [ResourcePattern] {
    try lines(name).map { try $0.read(name) { ResourcePattern($0) } }
  }
}

extension String {
  fileprivate func read<T>(_ column: String, _ parse: (String) -> T?) throws -> T {
    guard let value = parse(self) else { throw DatabaseError.column(column) }
    return value
  }
}

extension Columns {
  fileprivate static let apiKeyColumns = Columns(
    """
    id, client_id, name, kind, connections, resources, methods, longest_answer, referrers, networks, per_minute, per_day,
    created_at, revoked_at
    """)
}
