import Domain
import SQL
import Storage
import Testing

@testable import Flows

@Suite("The audit chain")
struct AuditChainTests {
  private let test: TestInstallation

  /// Four batches of three rows.
  init() async throws {
    test = try await TestInstallation()
    for _ in 0..<4 { try await link(3) }
  }

  private func link(_ rows: Int) async throws {
    for index in 0..<rows {
      try await test.here.record(
        AuditEvent(
          .vended, at: test.time.now, origin: .init(requestID: "r\(index)", address: "192.0.2.1"),
          account: test.account.id, resource: "https://gis.example.org/\(index)", detail: index == 0 ? nil : ""))
    }
    try await LinkAudit(test.here)()
  }

  private func verify() async throws -> VerifyAudit.Report { try await VerifyAudit(test.here)() }

  private func tamper(_ statements: Statement...) async throws {
    try await test.database.write { session throws in
      for statement in statements { #expect(try session.run(statement) > 0, "\(statement.text)") }
    }
  }

  @Test("holds when nobody touched it, and goes on over restarts")
  func intact() async throws {
    let report = try await verify()
    #expect(report.firstBroken == nil)
    #expect(report.batches == 4 && report.rows == 12 && report.unlinkedRows == 0)
    let again = try await TestInstallation(after: test)
    try await again.here.record(AuditEvent(.systemStarted, at: test.time.now, origin: .system))
    #expect(try await VerifyAudit(again.here)().unlinkedRows == 1)
    try await LinkAudit(again.here)()
    let later = try await VerifyAudit(again.here)()
    #expect(later.firstBroken == nil && later.batches == 5 && later.rows == 13 && later.unlinkedRows == 0)
  }

  @Test("links a row of a name that nobody knows, too")
  func unknownName() async throws {
    try await test.here.record(AuditEvent(.tokenIssued, at: test.time.now, origin: .system))
    try await tamper("UPDATE audit SET name = 'made up' WHERE id = (SELECT max(id) FROM audit)")
    try await LinkAudit(test.here)()
    let report = try await verify()
    #expect(report.firstBroken == nil && report.rows == 13 && report.unlinkedRows == 0)
  }

  @Test("holds when two link at the same time")
  func together() async throws {
    for _ in 0..<10 {
      for _ in 0..<20 { try await test.here.record(AuditEvent(.tokenIssued, at: test.time.now, origin: .system)) }
      async let one: Void = LinkAudit(test.here)()
      async let two: Void = LinkAudit(test.here)()
      _ = try await (one, two)
    }
    let report = try await verify()
    #expect(report.firstBroken == nil && report.rows == 212 && report.unlinkedRows == 0)
  }

  @Test("holds for more than a page of batches and more rows than one batch takes")
  func long() async throws {
    let (here, now) = (test.here, test.time.now)
    for _ in 0..<120 { try await link(1) }
    let inserts = (0..<1100).map { _ in here.recording(AuditEvent(.tokenIssued, at: now, origin: .system)) }
    try await test.store.write { tx in for insert in inserts { try insert(tx) } }
    try await LinkAudit(here)()
    let report = try await verify()
    #expect(report.firstBroken == nil && report.rows == 1232 && report.batches == 127)
  }

  /// The rows of a batch, for the condition of a statement.
  private func rows(ofBatch number: Int64) -> String {
    "id > coalesce((SELECT last_id FROM audit_batch WHERE number = \(number - 1)), 0) "
      + "AND id <= (SELECT last_id FROM audit_batch WHERE number = \(number))"
  }

  @Test(
    "an edited field is found, whichever it is",
    arguments: [
      "at = at + 1", "name = 'session_logout'", "name = 'never_written'", "outcome = 'failure'", "outcome = 'maybe'",
      "account_id = NULL", "account_id = 'acct_other'", "client_id = 'client_x'", "connection_id = 'maps'",
      "resource = NULL",
      "resource = 'https://gis.example.org/other'", "detail = 'x'", "request_id = 'r9'", "address = '192.0.2.2'",
      "id = id + 1000", "id = -id", "detail = x'00'",
    ])
  func edited(change: String) async throws {
    try await tamper(
      Statement(stringLiteral: "UPDATE audit SET \(change) WHERE \(rows(ofBatch: 3)) AND request_id = 'r1'"))
    #expect(try await verify().firstBroken == (change == "id = -id" ? 1 : 3))
  }

  @Test(
    "no value and an empty one are different",
    arguments: ["detail = NULL WHERE detail = ''", "detail = '' WHERE detail IS NULL"])
  func emptied(change: String) async throws {
    try await tamper(Statement(stringLiteral: "UPDATE audit SET \(change)"))
    #expect(try await verify().firstBroken == 1)
  }

  @Test("a removed row is found")
  func removed() async throws {
    try await tamper(Statement(stringLiteral: "DELETE FROM audit WHERE \(rows(ofBatch: 2)) AND request_id = 'r2'"))
    #expect(try await verify().firstBroken == 2)
  }

  @Test("a row that was slipped in is found")
  func inserted() async throws {
    // Rows of one second follow each other without a gap; a pause leaves room between two batches.
    test.time.advance(by: 10)
    try await link(3)
    try await tamper(
      """
      INSERT INTO audit (id, at, name, outcome, request_id, address)
      SELECT last_id + 1, 0, 'session_logout', 'success', 'r', '' FROM audit_batch WHERE number = 4
      """)
    #expect(try await verify().firstBroken == 5)
  }

  @Test(
    "a changed or exchanged batch is found",
    arguments: ["row_count = 4", "last_id = last_id + 1", "mac = digest", "digest = mac", "key_id = 'other'"])
  func changedBatch(change: String) async throws {
    try await tamper(Statement(stringLiteral: "UPDATE audit_batch SET \(change) WHERE number = 2"))
    #expect(try await verify().firstBroken == 2)
  }

  @Test("a removed batch is found, the last one too", arguments: [1, 2, 3, 4] as [Int64])
  func removedBatch(number: Int64) async throws {
    try await tamper(
      Statement(stringLiteral: "DELETE FROM audit WHERE \(rows(ofBatch: number))"),
      "DELETE FROM audit_batch WHERE number = \(number)")
    #expect(try await verify().firstBroken == number)
    // It stays found when the log goes on.
    try await link(2)
    #expect(try await verify().firstBroken == number)
  }

  @Test("the last batches cannot be linked anew with other rows")
  func relinked() async throws {
    try await tamper(
      "DELETE FROM audit_batch WHERE number >= 3",
      "UPDATE audit SET detail = 'x' WHERE id > (SELECT max(last_id) FROM audit_batch)")
    #expect(try await verify().firstBroken == 3)
    try await link(1)
    #expect(try await verify().firstBroken == 3)
  }

  @Test("rows of a batch that is gone, and a lost or forged end, are found")
  func end() async throws {
    try await tamper("DELETE FROM audit_batch WHERE number = 4")
    #expect(try await verify().firstBroken == 4)
    let other = try await TestInstallation()
    try await other.here.record(AuditEvent(.systemStarted, at: other.time.now, origin: .system))
    try await LinkAudit(other.here)()
    #expect(try await VerifyAudit(other.here)().firstBroken == nil)
    let foreign = AuditChain(keys: test.here.purposeKeys).end(at: 1)
    for text in ["", "1", "1 x y", foreign] {
      try await other.store.write { try $0.set(AuditChain.end, to: text) }
      #expect(try await VerifyAudit(other.here)().firstBroken == 2)
    }
  }
}
