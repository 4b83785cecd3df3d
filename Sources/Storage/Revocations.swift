public import Domain
import SQL

/// What an upstream still has to be told, at one connection.
public struct WaitingRevocations: Sendable, Equatable {
  public let connection: ConnectionID
  public let count: Int64
  /// When the last one is given up.
  public let endsAt: Timestamp
}

extension Transaction {
  public func insert(_ revocation: Revocation, tokens: Sealed) throws {
    try session.run(
      """
      INSERT INTO revocation (id, account_id, connection_id, attempts, next_attempt_at, expires_at, kek_id, wrapped_key,
        box)
      VALUES (\(revocation.id), \(revocation.account), \(revocation.connection), \(revocation.attempts),
        \(revocation.nextAttemptAt), \(revocation.expiresAt), \(tokens.kekID), \(tokens.wrappedKey), \(tokens.box))
      """)
  }

  /// Takes up to 20 revocations that are due, and puts off their next attempt so that nobody else takes them meanwhile.
  public func takeDueRevocations(at now: Timestamp, until lease: Timestamp) throws -> [(Revocation, Sealed)] {
    try session.rows(
      """
      UPDATE revocation SET next_attempt_at = \(lease), attempts = attempts + 1
      WHERE next_attempt_at <= \(now)
        AND id IN (SELECT id FROM revocation WHERE next_attempt_at <= \(now) ORDER BY next_attempt_at, id LIMIT 20)
      RETURNING \(.revocationColumns)
      """
    ).map { (try Revocation(row: $0), try $0.sealed()) }.sorted { $0.0.id.text < $1.0.id.text }
  }

  /// The revocations of an account that still wait.
  public func revocations(of account: AccountID) throws -> [Revocation] {
    try session.rows(
      "SELECT \(.revocationColumns) FROM revocation WHERE account_id = \(account) ORDER BY next_attempt_at, id"
    ).map(Revocation.init(row:))
  }

  /// How many revocations the outbox has tried at each connection and still keeps, and when the last of them is given up.
  ///
  /// What nobody has tried may belong to a sign-in under way.
  public func waitingRevocations() throws -> [WaitingRevocations] {
    try session.rows(
      """
      SELECT connection_id, count(*) AS waiting, max(expires_at) AS ends_at FROM revocation WHERE attempts > 0
      GROUP BY connection_id ORDER BY connection_id
      """
    ).map {
      WaitingRevocations(
        connection: try $0.connectionID("connection_id"), count: try $0.integer("waiting"),
        endsAt: try $0.time("ends_at"))
    }
  }

  public func postpone(_ id: RevocationID, until next: Timestamp) throws {
    try session.run("UPDATE revocation SET next_attempt_at = \(next) WHERE id = \(id)")
  }

  /// Whether a revocation waits that nobody has taken yet: only then its tokens still work for sure.
  public func isUntouched(_ id: RevocationID) throws -> Bool {
    try session.first("SELECT id FROM revocation WHERE id = \(id) AND attempts = 0") != nil
  }

  /// Destroys a revocation with its token, done or given up.
  @discardableResult
  public func deleteRevocation(_ id: RevocationID) throws -> Bool {
    try session.run("DELETE FROM revocation WHERE id = \(id)") > 0
  }
}

extension Revocation {
  init(row: Row) throws {
    self.init(
      id: try row.identifier("id"), account: try row.identifier("account_id"),
      connection: try row.connectionID("connection_id"), attempts: try row.integer("attempts"),
      nextAttemptAt: try row.time("next_attempt_at"), expiresAt: try row.time("expires_at"))
  }
}

extension Columns {
  static let revocationColumns = Columns(
    "id, account_id, connection_id, attempts, next_attempt_at, expires_at, kek_id, wrapped_key, box")
}
