public import Domain
import SQL

extension Transaction {
  public func insert(_ password: AppPassword) throws {
    try session.run(
      """
      INSERT INTO app_password (id, account_id, client_id, connection_id, code, pepper_id, session_hash, created_at)
      VALUES (\(password.id), \(password.account), \(password.client), \(password.connection), \(password.code),
        \(password.pepperID), \(password.session), \(password.createdAt))
      """)
  }

  public func appPassword(_ id: AppPasswordID) throws -> AppPassword? {
    try session.first("SELECT \(.appPasswordColumns) FROM app_password WHERE id = \(id)").map(AppPassword.init(row:))
  }

  /// The one that stands for `session` in what was given for it.
  public func appPassword(ofSession session: TokenHash) throws -> AppPassword? {
    try self.session.first("SELECT \(.appPasswordColumns) FROM app_password WHERE session_hash = \(session)").map(
      AppPassword.init(row:))
  }

  /// Those of an account, the newest first.
  public func appPasswords(of account: AccountID) throws -> [AppPassword] {
    try session.rows(
      """
      SELECT \(.appPasswordColumns) FROM app_password WHERE account_id = \(account) ORDER BY created_at DESC, id
      """
    ).map(AppPassword.init(row:))
  }

  /// Some of those at a connection.
  public func appPasswords(at connection: ConnectionID, limit: Int64) throws -> [AppPassword] {
    try session.rows(
      """
      SELECT \(.appPasswordColumns) FROM app_password WHERE connection_id = \(connection) ORDER BY id LIMIT \(limit)
      """
    ).map(AppPassword.init(row:))
  }

  /// Those at a connection after a place, by the names of their owners.
  public func appPasswords(
    at connection: ConnectionID, after place: ListPosition, limit: Int64
  ) throws -> [AppPassword] {
    let ids = try session.rows(
      """
      SELECT p.id FROM app_password p JOIN account a ON a.id = p.account_id
      WHERE p.connection_id = \(connection) AND (a.name, p.id) > (\(place.name), \(place.id))
      ORDER BY a.name, p.id LIMIT \(limit)
      """
    ).map { try $0.identifier("id", of: AppPassword.self) }
    return try ids.compactMap(appPassword)
  }

  public func countAppPasswords(at connection: ConnectionID) throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM app_password WHERE connection_id = \(connection)")?.integer("n") ?? 0
  }

  /// Deletes those that nothing was given for since `limit`, at most 500, and returns them.
  public func deleteAppPasswords(unusedSince limit: Timestamp) throws -> [AppPassword] {
    try session.rows(
      """
      DELETE FROM app_password WHERE id IN
        (SELECT id FROM app_password WHERE COALESCE(last_used_at, created_at) <= \(limit) ORDER BY id LIMIT 500)
      RETURNING \(.appPasswordColumns)
      """
    ).map(AppPassword.init(row:))
  }

  /// Ends a password with all that was given for it; `false` when there is none.
  @discardableResult
  public func endAppPassword(_ id: AppPasswordID, at now: Timestamp) throws -> Bool {
    guard let password = try appPassword(id) else { return false }
    try session.run("DELETE FROM app_password WHERE id = \(id)")
    try revokeFamilies(ofSession: password.session, at: now)
    return true
  }

  /// Ends what was given for the passwords at a connection, and leaves the passwords.
  public func revokeFamilies(ofAppPasswordsAt connection: ConnectionID, at now: Timestamp) throws {
    try session.run(
      """
      UPDATE token_family SET revoked_at = \(now) WHERE revoked_at IS NULL AND session_hash IN
        (SELECT session_hash FROM app_password WHERE connection_id = \(connection))
      """)
  }

  /// Notes that something was given for a password; `false` when it has ended.
  public func noteUse(of id: AppPasswordID, at now: Timestamp) throws -> Bool {
    try session.run("UPDATE app_password SET last_used_at = \(now) WHERE id = \(id)") > 0
  }
}

extension AppPassword {
  fileprivate init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), account: try row.identifier("account_id"), client: try row.identifier("client_id"),
      connection: try row.connectionID("connection_id"), code: try row.bytes("code"),
      pepperID: try row.text("pepper_id"), session: try row.hash("session_hash"),
      createdAt: try row.time("created_at"), lastUsedAt: try row.optionalTime("last_used_at"))
  }
}

extension Columns {
  fileprivate static let appPasswordColumns = Columns(
    """
    id, account_id, client_id, connection_id, code, pepper_id, session_hash, created_at, last_used_at
    """)
}
