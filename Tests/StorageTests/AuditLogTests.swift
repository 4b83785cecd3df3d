import Domain
import SQL
import Storage
import Testing

@Suite("The audit log")
struct AuditLogTests {
  @Test("every event comes back as it was written", arguments: TestDatabase.available)
  func roundTrip(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let bare = AuditEvent(.systemStarted, at: Samples.now, origin: .system)
    try await store.write { tx in
      try tx.insert(Samples.event(), id: "b")
      try tx.insert(bare, id: "a")
    }
    store.submit(Samples.event(.signInFailed, account: nil), id: "c")
    try await store.write { try $0.set("after", to: "") }
    let records = try await store.read { try $0.auditRecords(limit: 10) }
    #expect(records.map(\.id) == ["c", "b", "a"])
    #expect(records.map(\.event) == [Samples.event(.signInFailed, account: nil), Samples.event(), bare])
    #expect(records.allSatisfy { $0.batch == nil })
    try await store.read { tx throws in
      #expect(try tx.auditRecords(before: "b", limit: 10).map(\.id) == ["a"])
      #expect(try tx.auditRecords(before: nil, limit: 1).map(\.id) == ["c"])
      #expect(try tx.countAuditRecords() == 3)
      #expect(try tx.countAuditRecords(of: .vended, from: "b") == 1)
      #expect(try tx.countAuditRecords(of: .vended, from: "c") == 0)
      #expect(try tx.uses(of: Samples.ana.id, limit: 5).map(\.id) == ["b"])
      #expect(try tx.uses(of: Samples.ben.id, limit: 5).isEmpty)
    }
  }

  @Test("an event is written with its effect or not at all", arguments: TestDatabase.available)
  func atomic(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.write { try $0.insert(Samples.ana) }
    await #expect(throws: DatabaseError.duplicate) {
      try await store.write { tx in
        try tx.insert(Samples.event(), id: "a")
        try tx.insert(Samples.ana)
      }
    }
    #expect(try await store.read { try $0.countAuditRecords() } == 0)
  }

  @Test("rows are linked in order, 500 at a time, and late ones by the next batch", arguments: TestDatabase.available)
  func linking(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let ids = (0..<620).map { "id-\(1000 + $0)" }
    try await store.write { tx in for id in ids.shuffled() { try tx.insert(Samples.event(), id: id) } }
    func link(_ number: Int64) async throws -> [String] {
      try await store.write { tx in
        let records = try tx.unlinkedAuditRecords()
        let last = try #require(records.last)
        let batch = AuditBatch(
          number: number, rowCount: Int64(records.count), digest: [1, UInt8(number)], keyID: "k", mac: [2])
        try tx.insert(batch, upTo: last.id)
        return records.map(\.id)
      }
    }
    #expect(try await store.read { try $0.lastAuditBatch()?.number } == nil)
    #expect(try await link(1) == Array(ids[..<500]))
    #expect(try await store.read { try $0.countUnlinkedAuditRecords() } == 120)
    // A row that sorts before those already linked.
    try await store.write { try $0.insert(Samples.event(), id: "id-0") }
    #expect(try await link(2) == ["id-0"] + ids[500...])
    try await store.read { tx throws in
      #expect(try tx.countUnlinkedAuditRecords() == 0)
      #expect(try tx.unlinkedAuditRecords().isEmpty)
      #expect(try tx.auditRecords(inBatch: 1).map(\.id) == Array(ids[..<500]))
      #expect(try tx.auditRecords(inBatch: 2).count == 121)
      #expect(try tx.auditRecords(inBatch: 2).allSatisfy { $0.batch == 2 })
      let last = try #require(try tx.lastAuditBatch())
      #expect(
        last.number == 2 && last.rowCount == 121 && last.digest == [1, 2] && last.keyID == "k" && last.mac == [2])
      #expect(try tx.auditBatches(after: 0).map(\.number) == [1, 2])
      #expect(try tx.auditBatches(after: 1).map(\.number) == [2])
      #expect(try tx.countStrayAuditRecords() == 0)
    }
  }

  @Test("rows of a batch that is not there are counted", arguments: TestDatabase.available)
  func strays(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    try await store.write { tx in
      try tx.insert(Samples.event(), id: "a")
      try tx.insert(AuditBatch(number: 1, rowCount: 1, digest: [], keyID: "k", mac: []), upTo: "a")
    }
    try await database.write { try $0.run("DELETE FROM audit_batch") }
    #expect(try await store.read { try $0.countStrayAuditRecords() } == 1)
  }
}
