public import Domain
public import SQL

/// One committed audit row.
public struct AuditRecord: Sendable {
  /// Rises with time and in the order of the commits: the store gives it when it writes the row.
  public let id: Int64
  public let event: AuditEvent

  public init(id: Int64, event: AuditEvent) {
    self.id = id
    self.event = event
  }

  /// The lowest id that a row of this second may get; a second has room for a million.
  public static func firstID(at moment: Timestamp) -> Int64 { max(moment.seconds, 0) << 20 }
}

/// One row as the chain sees it: what is stored, whether or not it still makes sense.
public struct AuditLine: Sendable {
  public let id: Int64
  /// Every column, the id first.
  public let fields: [Value]
}

/// One link of the audit chain: up to 500 rows, and the link before it.
///
/// It links the rows above the ``lastID`` of the link before it up to its own.
public struct AuditBatch: Sendable {
  public let number: Int64
  public let lastID: Int64
  public let rowCount: Int64
  /// SHA-256 over the rows in order of their ids.
  public let digest: [UInt8]
  /// Which purpose key made ``mac``.
  public let keyID: String
  /// HMAC-SHA-256 over everything before, and the previous link's MAC.
  public let mac: [UInt8]

  public init(number: Int64, lastID: Int64, rowCount: Int64, digest: [UInt8], keyID: String, mac: [UInt8]) {
    self.number = number
    self.lastID = lastID
    self.rowCount = rowCount
    self.digest = digest
    self.keyID = keyID
    self.mac = mac
  }
}

extension Store {
  /// Writes the audit row of something that has no other effect, and returns once it is durable.
  public func record(_ event: AuditEvent) async throws { try await database.write(event.insertion) }

  /// Hands over the audit row of something that has no effect here, such as a failed sign-in.
  ///
  /// Nobody waits for it, so that the time an answer takes tells nothing.
  public func submit(_ event: AuditEvent) { database.submit([event.insertion]) }
}

extension Transaction {
  /// Writes an audit row; it commits with its effect or not at all.
  public func insert(_ event: AuditEvent) throws { try session.run(event.insertion) }

  /// The latest rows, newest first.
  public func auditRecords(limit: Int64) throws -> [AuditRecord] {
    try session.rows("SELECT \(.auditColumns) FROM audit ORDER BY id DESC LIMIT \(limit)").map(AuditRecord.init(row:))
  }

  /// How many rows from the one called `id` on tell of `name`.
  public func countAuditRecords(of name: AuditEvent.Name, from id: Int64) throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM audit WHERE id >= \(id) AND name = \(name.rawValue)")?.integer("n")
      ?? 0
  }

  /// The latest vends of an account's credentials, newest first.
  public func uses(of account: AccountID, limit: Int) throws -> [AuditRecord] {
    var filter = AuditFilter()
    (filter.names, filter.accounts) = ([.vended], [account])
    return try vends(filter, after: nil, limit: limit).records
  }

  /// When a client last got a token for an account, one of ours or of an upstream.
  public func lastUse(of client: ClientID, by account: AccountID) throws -> Timestamp? {
    let (vended, issued) = (AuditEvent.Name.vended.rawValue, AuditEvent.Name.tokenIssued.rawValue)
    return try session.first(
      """
      SELECT max(at) AS at FROM audit
      WHERE account_id = \(account) AND name IN (\(vended), \(issued)) AND client_id = \(client)
      """)?.optionalTime("at")
  }

  /// The first rows after the one called `id` up to the one called `last`, in order; all of them for `nil`.
  public func auditLines(after id: Int64?, upTo last: Int64 = .max, limit: Int64) throws -> [AuditLine] {
    try session.rows(
      """
      SELECT \(.auditColumns) FROM audit WHERE id > \(id ?? .min) AND id <= \(last) ORDER BY id LIMIT \(limit)
      """
    ).map { AuditLine(id: try $0.integer("id"), fields: $0.values) }
  }

  /// The newest row's id; `nil` while there is none.
  ///
  /// Of the id alone, so that a row which makes no sense any more is linked all the same.
  public func newestAuditID() throws -> Int64? {
    try session.first("SELECT max(id) AS newest FROM audit")?.optionalInteger("newest")
  }

  public func lastAuditBatch() throws -> AuditBatch? {
    try session.first("SELECT \(.batchColumns) FROM audit_batch ORDER BY number DESC LIMIT 1").map(
      AuditBatch.init(row:))
  }

  /// The next links of the chain, at most 100.
  public func auditBatches(after number: Int64) throws -> [AuditBatch] {
    try session.rows("SELECT \(.batchColumns) FROM audit_batch WHERE number > \(number) ORDER BY number LIMIT 100")
      .map(AuditBatch.init(row:))
  }

  /// How many rows come after the one called `id`; all of them for `nil`.
  public func countAuditRecords(after id: Int64?) throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM audit WHERE id > \(id ?? .min)")?.integer("n") ?? 0
  }

  public func insert(_ batch: AuditBatch) throws {
    try session.run(
      """
      INSERT INTO audit_batch (number, last_id, row_count, digest, key_id, mac)
      VALUES (\(batch.number), \(batch.lastID), \(batch.rowCount), \(batch.digest), \(batch.keyID), \(batch.mac))
      """)
  }
}

extension AuditEvent {
  /// The id is chosen where rows are written one after the other, so that none ever comes late.
  fileprivate var insertion: Statement {
    Statement(
      text: """
        INSERT INTO audit (id, at, name, outcome, account_id, client_id, connection_id, resource, detail, request_id,
          address, actor_id)
        VALUES ((SELECT CASE WHEN max(id) >= $1 THEN max(id) + 1 ELSE $1 END FROM audit), $2, $3, $4, $5, $6, $7, $8,
          $9, $10, $11, $12)
        """,
      binding: [
        .integer(AuditRecord.firstID(at: at)), at.sqlValue, .text(name.rawValue), .text(outcome.rawValue),
        account.sqlValue, client.sqlValue, connection.sqlValue, resource.sqlValue, detail.sqlValue,
        .text(origin.requestID), .text(origin.address), origin.administrator.sqlValue,
      ])
  }
}

extension Optional where Wrapped: Bindable {
  fileprivate var sqlValue: Value { self?.sqlValue ?? .null }
}

extension AuditRecord {
  init(row: Row) throws {
    self.init(
      id: try row.integer("id"),
      event: AuditEvent(
        try row.parsed("name", AuditEvent.Name.init(rawValue:)),
        try row.parsed("outcome", AuditEvent.Outcome.init(rawValue:)), at: try row.time("at"),
        origin: .init(
          requestID: try row.text("request_id"), address: try row.text("address"),
          administrator: try row.optionalText("actor_id").flatMap(AccountID.init)),
        account: try row.optionalText("account_id").flatMap(AccountID.init),
        client: try row.optionalText("client_id").flatMap(ClientID.init),
        connection: try row.optionalText("connection_id").flatMap(ConnectionID.init),
        resource: try row.optionalText("resource"), detail: try row.optionalText("detail")))
  }
}

extension AuditBatch {
  init(row: Row) throws {
    self.init(
      number: try row.integer("number"), lastID: try row.integer("last_id"), rowCount: try row.integer("row_count"),
      digest: try row.bytes("digest"), keyID: try row.text("key_id"), mac: try row.bytes("mac"))
  }
}

extension Columns {
  static let auditColumns = Columns(
    "id, at, name, outcome, account_id, client_id, connection_id, resource, detail, request_id, address, actor_id")
  static let batchColumns = Columns("number, last_id, row_count, digest, key_id, mac")
}
