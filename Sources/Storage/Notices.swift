public import Domain
import SQL

extension Transaction {
  public func insert(_ notice: Notice) throws {
    let facts = notice.facts
    try session.run(
      """
      INSERT INTO notice (id, account_id, kind, connection_id, service, app, passkey, user_agent, address, at, read_at)
      VALUES (\(notice.id), \(notice.account), \(notice.kind.rawValue), \(facts.connection), \(facts.service),
        \(facts.app), \(facts.passkey), \(facts.userAgent), \(facts.address), \(notice.at), \(notice.readAt))
      """)
  }

  public func notice(_ id: NoticeID) throws -> Notice? {
    try session.first("SELECT \(.noticeColumns) FROM notice WHERE id = \(id)").map(Notice.init(row:))
  }

  /// Those of an account that it has not read, newest first.
  public func unreadNotices(of account: AccountID, limit: Int64) throws -> [Notice] {
    try session.rows(
      """
      SELECT \(.noticeColumns) FROM notice
      WHERE account_id = \(account) AND read_at IS NULL ORDER BY at DESC, id LIMIT \(limit)
      """
    ).map(Notice.init(row:))
  }

  public func countUnreadNotices(of account: AccountID) throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM notice WHERE account_id = \(account) AND read_at IS NULL")?
      .integer("n") ?? 0
  }

  /// How many an account was told from a time on.
  public func countNotices(of account: AccountID, from start: Timestamp) throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM notice WHERE account_id = \(account) AND at >= \(start)")?
      .integer("n") ?? 0
  }

  /// Those of an account, newest first, without the first `skipped`.
  public func notices(of account: AccountID, skipping skipped: Int64, limit: Int64) throws -> [Notice] {
    try session.rows(
      """
      SELECT \(.noticeColumns) FROM notice
      WHERE account_id = \(account) ORDER BY at DESC, id LIMIT \(limit) OFFSET \(skipped)
      """
    ).map(Notice.init(row:))
  }

  /// Notes that an account has read one of its own.
  public func markRead(_ id: NoticeID, of account: AccountID, at now: Timestamp) throws {
    try session.run(
      "UPDATE notice SET read_at = \(now) WHERE id = \(id) AND account_id = \(account) AND read_at IS NULL")
  }

  /// Takes what was told of a service for read, because it is over.
  public func markRead(
    _ kind: Notice.Kind, about connection: ConnectionID, of account: AccountID, at now: Timestamp
  ) throws {
    try session.run(
      """
      UPDATE notice SET read_at = \(now)
      WHERE account_id = \(account) AND kind = \(kind.rawValue) AND connection_id = \(connection) AND read_at IS NULL
      """)
  }

  /// Deletes at most 500 that are older than `limit`; how many.
  public func deleteNotices(before limit: Timestamp) throws -> Int {
    try session.run(
      "DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE at < \(limit) ORDER BY at, id LIMIT 500)")
  }
}

extension Notice {
  init(row: Row) throws {
    var facts = Facts()
    facts.connection = try row.optionalText("connection_id").flatMap(ConnectionID.init)
    facts.service = try row.optionalText("service")
    facts.app = try row.optionalText("app")
    facts.passkey = try row.optionalText("passkey")
    facts.userAgent = try row.optionalText("user_agent")
    facts.address = try row.optionalText("address")
    self.init(
      id: try row.identifier("id"), account: try row.identifier("account_id"),
      kind: try row.parsed("kind", Kind.init(rawValue:)), facts: facts, at: try row.time("at"),
      readAt: try row.optionalTime("read_at"))
  }
}

extension Columns {
  static let noticeColumns = Columns(
    "id, account_id, kind, connection_id, service, app, passkey, user_agent, address, at, read_at")
}
