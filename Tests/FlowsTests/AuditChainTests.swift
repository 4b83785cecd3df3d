import Domain
import SQL
import SQLite
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

  @Test(
    "an edited field is found, whichever it is",
    arguments: [
      "at = at + 1", "name = 'session_logout'", "name = 'never_written'", "outcome = 'failure'", "outcome = 'maybe'",
      "account_id = NULL", "account_id = 'acct_other'", "client_id = 'client_x'", "connection_id = 'maps'",
      "resource = NULL",
      "resource = 'https://gis.example.org/other'", "detail = 'x'", "request_id = 'r9'", "address = '192.0.2.2'",
      "id = '0' || id", "batch = 2", "batch = NULL", "batch = 99",
    ])
  func edited(change: String) async throws {
    let second = Statement(
      stringLiteral: "UPDATE audit SET \(change) WHERE batch = 3 AND request_id = 'r1'")
    try await tamper(second)
    let broken = try await verify().firstBroken
    #expect(broken == (change == "batch = 2" ? 2 : 3))
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
    try await tamper("DELETE FROM audit WHERE batch = 2 AND request_id = 'r2'")
    #expect(try await verify().firstBroken == 2)
  }

  @Test("a row that was slipped in is found")
  func inserted() async throws {
    try await tamper(
      """
      INSERT INTO audit (id, at, name, outcome, request_id, address, batch)
      SELECT id || '0', at, name, outcome, request_id, address, batch FROM audit WHERE batch = 2 AND request_id = 'r2'
      """)
    #expect(try await verify().firstBroken == 2)
  }

  @Test(
    "a changed or exchanged batch is found",
    arguments: ["row_count = 4", "mac = digest", "digest = mac", "key_id = 'other'"])
  func changedBatch(change: String) async throws {
    try await tamper(Statement(stringLiteral: "UPDATE audit_batch SET \(change) WHERE number = 2"))
    #expect(try await verify().firstBroken == 2)
  }

  @Test("a removed batch is found, the last one too", arguments: [1, 2, 3, 4] as [Int64])
  func removedBatch(number: Int64) async throws {
    try await tamper(
      "DELETE FROM audit WHERE batch = \(number)", "DELETE FROM audit_batch WHERE number = \(number)")
    #expect(try await verify().firstBroken == number)
    // It stays found when the log goes on.
    try await link(2)
    #expect(try await verify().firstBroken == number)
  }

  @Test("the last batches cannot be linked anew with other rows")
  func relinked() async throws {
    try await tamper(
      "DELETE FROM audit_batch WHERE number >= 3", "UPDATE audit SET batch = NULL, detail = 'x' WHERE batch >= 3")
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

  @Test("ids of events go up, also within one second and from many tasks")
  func ids() async {
    let (ids, now) = (AuditIDs(), test.time.now)
    let made = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<8 { group.addTask { (0..<500).map { _ in ids.next(at: now) } } }
      return await group.reduce(into: [String]()) { lists, list in
        #expect(list == list.sorted())
        lists += list
      }
    }
    #expect(Set(made).count == 4000)
    let last = made.max() ?? ""
    #expect(ids.next(at: now - 100) > last)
    #expect(ids.next(at: now + 1) > last)
    #expect(made.allSatisfy { $0.utf8.count == 28 })
  }
}
