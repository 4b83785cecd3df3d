public import Domain
import SQL

/// One committed audit row.
public struct AuditRecord: Sendable {
  /// Begins with the time, so that ids sort by it.
  public let id: String
  public let event: AuditEvent
  /// The batch that links it into the chain, once it is linked.
  public let batch: Int64?

  public init(id: String, event: AuditEvent, batch: Int64?) {
    self.id = id
    self.event = event
    self.batch = batch
  }
}

/// One link of the audit chain: up to 500 rows, and the link before it.
public struct AuditBatch: Sendable {
  public let number: Int64
  public let rowCount: Int64
  /// SHA-256 over the rows in order of their ids.
  public let digest: [UInt8]
  /// Which purpose key made ``mac``.
  public let keyID: String
  /// HMAC-SHA-256 over the number, the count, the previous link's MAC and the digest.
  public let mac: [UInt8]

  public init(number: Int64, rowCount: Int64, digest: [UInt8], keyID: String, mac: [UInt8]) {
    self.number = number
    self.rowCount = rowCount
    self.digest = digest
    self.keyID = keyID
    self.mac = mac
  }
}

extension Store {
  /// Hands over the audit row of something that has no effect here, such as a failed sign-in.
  ///
  /// Nobody waits for it, so that the time an answer takes tells nothing.
  public func submit(_ event: AuditEvent, id: String) { database.submit([event.insertion(id)]) }
}

extension Transaction {
  /// Writes an audit row; it commits with its effect or not at all.
  public func insert(_ event: AuditEvent, id: String) throws { try session.run(event.insertion(id)) }

  /// The latest rows, newest first.
  public func auditRecords(limit: Int64) throws -> [AuditRecord] {
    try session.rows("SELECT \(.auditColumns) FROM audit ORDER BY id DESC LIMIT \(limit)").map(AuditRecord.init(row:))
  }

  /// The rows before the one called `id`, newest first; the latest ones for `nil`.
  public func auditRecords(before id: String?, limit: Int64) throws -> [AuditRecord] {
    guard let id else { return try auditRecords(limit: limit) }
    return try session.rows(
      "SELECT \(.auditColumns) FROM audit WHERE id < \(id) ORDER BY id DESC LIMIT \(limit)"
    ).map(AuditRecord.init(row:))
  }

  public func countAuditRecords() throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM audit")?.integer("n") ?? 0
  }

  /// How many rows from the one called `id` on tell of `name`.
  public func countAuditRecords(of name: AuditEvent.Name, from id: String) throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM audit WHERE id >= \(id) AND name = \(name.rawValue)")?.integer("n")
      ?? 0
  }

  /// The latest vends of an account's credentials, newest first.
  public func uses(of account: AccountID, limit: Int64) throws -> [AuditRecord] {
    try session.rows(
      """
      SELECT \(.auditColumns) FROM audit
      WHERE account_id = \(account) AND name = \(AuditEvent.Name.vended.rawValue)
      ORDER BY at DESC, id DESC LIMIT \(limit)
      """
    ).map(AuditRecord.init(row:))
  }

  /// Rows that no batch links yet, in order, at most 500.
  public func unlinkedAuditRecords() throws -> [AuditRecord] {
    try session.rows("SELECT \(.auditColumns) FROM audit WHERE batch IS NULL ORDER BY id LIMIT 500")
      .map(AuditRecord.init(row:))
  }

  public func auditRecords(inBatch number: Int64) throws -> [AuditRecord] {
    try session.rows("SELECT \(.auditColumns) FROM audit WHERE batch = \(number) ORDER BY id").map(
      AuditRecord.init(row:))
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

  /// How many rows say that they belong to a batch which is not there.
  public func countStrayAuditRecords() throws -> Int64 {
    try session.first(
      """
      SELECT count(*) AS n FROM audit WHERE batch IS NOT NULL AND batch NOT IN (SELECT number FROM audit_batch)
      """)?.integer("n") ?? 0
  }

  public func countUnlinkedAuditRecords() throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM audit WHERE batch IS NULL")?.integer("n") ?? 0
  }

  /// Links the unlinked rows up to `lastID` into a batch.
  public func insert(_ batch: AuditBatch, upTo lastID: String) throws {
    try session.run(
      """
      INSERT INTO audit_batch (number, row_count, digest, key_id, mac)
      VALUES (\(batch.number), \(batch.rowCount), \(batch.digest), \(batch.keyID), \(batch.mac))
      """)
    try session.run("UPDATE audit SET batch = \(batch.number) WHERE batch IS NULL AND id <= \(lastID)")
  }
}

extension AuditEvent {
  fileprivate func insertion(_ id: String) -> Statement {
    """
    INSERT INTO audit (id, at, name, outcome, account_id, client_id, connection_id, resource, detail, request_id,
      address)
    VALUES (\(id), \(at), \(name.rawValue), \(outcome.rawValue), \(account), \(client), \(connection), \(resource),
      \(detail), \(origin.requestID), \(origin.address))
    """
  }
}

extension AuditRecord {
  init(row: Row) throws {
    self.init(
      id: try row.text("id"),
      event: AuditEvent(
        try row.parsed("name", AuditEvent.Name.init(rawValue:)),
        try row.parsed("outcome", AuditEvent.Outcome.init(rawValue:)), at: try row.time("at"),
        origin: .init(requestID: try row.text("request_id"), address: try row.text("address")),
        account: try row.optionalText("account_id").flatMap(AccountID.init),
        client: try row.optionalText("client_id").flatMap(ClientID.init),
        connection: try row.optionalText("connection_id").flatMap(ConnectionID.init),
        resource: try row.optionalText("resource"), detail: try row.optionalText("detail")),
      batch: try row.optionalInteger("batch"))
  }
}

extension AuditBatch {
  init(row: Row) throws {
    self.init(
      number: try row.integer("number"), rowCount: try row.integer("row_count"), digest: try row.bytes("digest"),
      keyID: try row.text("key_id"), mac: try row.bytes("mac"))
  }
}

extension Columns {
  static let auditColumns = Columns(
    "id, at, name, outcome, account_id, client_id, connection_id, resource, detail, request_id, address, batch")
  static let batchColumns = Columns("number, row_count, digest, key_id, mac")
}
