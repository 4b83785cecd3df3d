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
      try tx.insert(bare)
      try tx.insert(Samples.event())
    }
    store.submit(Samples.event(.signInFailed, account: nil))
    try await store.record(bare)
    let records = try await store.read { try $0.auditRecords(limit: 10) }
    #expect(records.map(\.event) == [bare, Samples.event(.signInFailed, account: nil), Samples.event(), bare])
    let first = AuditRecord.firstID(at: Samples.now)
    #expect(records.map(\.id) == [first + 3, first + 2, first + 1, first])
    try await store.read { tx throws in
      #expect(try tx.auditRecords(AuditFilter(), before: first + 1, limit: 10).map(\.id) == [first])
      #expect(try tx.auditRecords(AuditFilter(), before: nil, limit: 1).map(\.id) == [first + 3])
      #expect(try tx.countAuditRecords(AuditFilter()) == 4)
      var filter = AuditFilter()
      filter.names = [.signInFailed, .vended]
      filter.accounts = [Samples.ana.id]
      filter.clients = [Samples.client().id]
      #expect(try tx.auditRecords(filter, before: nil, limit: 9).map(\.id) == [first + 1])
      filter.until = Samples.now
      #expect(try tx.countAuditRecords(filter) == 0)
      #expect(try tx.countAuditRecords(of: .vended, from: first + 1) == 1)
      #expect(try tx.countAuditRecords(of: .vended, from: first + 2) == 0)
      #expect(try tx.uses(of: Samples.ana.id, limit: 5).map(\.id) == [first + 1])
      #expect(try tx.uses(of: Samples.ben.id, limit: 5).isEmpty)
    }
  }

  @Test("ids rise with time and in the order of the commits", arguments: TestDatabase.available)
  func ids(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    for seconds in [0, 0, 10, -5, 10, 3600] as [Int64] {
      try await store.record(AuditEvent(.vended, at: Samples.now + seconds, origin: .system))
    }
    let ids = try await store.read { try $0.auditRecords(limit: 10).map(\.id) }.reversed()
    let (first, later) = (AuditRecord.firstID(at: Samples.now), AuditRecord.firstID(at: Samples.now + 10))
    #expect(Array(ids) == [first, first + 1, later, later + 1, later + 2, AuditRecord.firstID(at: Samples.now + 3600)])
  }

  @Test("an event is written with its effect or not at all", arguments: TestDatabase.available)
  func atomic(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.write { try $0.insert(Samples.ana) }
    await #expect(throws: DatabaseError.duplicate) {
      try await store.write { tx in
        try tx.insert(Samples.event())
        try tx.insert(Samples.ana)
      }
    }
    #expect(try await store.read { try $0.countAuditRecords(AuditFilter()) } == 0)
  }

  @Test("the lines of the chain are read in order, from a row to a row", arguments: TestDatabase.available)
  func lines(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.write { tx in for _ in 0..<8 { try tx.insert(Samples.event()) } }
    let first = AuditRecord.firstID(at: Samples.now)
    try await store.read { tx throws in
      #expect(try tx.auditLines(after: nil, limit: 3).map(\.id) == [first, first + 1, first + 2])
      #expect(try tx.auditLines(after: first + 2, limit: 100).map(\.id) == Array(first + 3...first + 7))
      #expect(try tx.auditLines(after: first, upTo: first + 2, limit: 100).map(\.id) == [first + 1, first + 2])
      #expect(try tx.auditLines(after: first + 7, limit: 100).isEmpty)
      #expect(try tx.countAuditRecords(after: nil) == 8)
      #expect(try tx.countAuditRecords(after: first + 5) == 2)
      let fields = try #require(try tx.auditLines(after: nil, limit: 1).first).fields
      #expect(fields.count == 12 && fields.first == .integer(first) && fields[1] == .integer(Samples.now.seconds))
    }
  }

  @Test("batches come back as they were written, in order", arguments: TestDatabase.available)
  func batches(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    #expect(try await store.read { try $0.lastAuditBatch()?.number } == nil)
    try await store.write { tx in
      for number in [1, 2] as [Int64] {
        try tx.insert(
          AuditBatch(
            number: number, lastID: 10 * number, rowCount: 3, digest: [1, UInt8(number)], keyID: "k", mac: [2]))
      }
    }
    try await store.read { tx throws in
      let last = try #require(try tx.lastAuditBatch())
      #expect(last.number == 2 && last.lastID == 20 && last.rowCount == 3)
      #expect(last.digest == [1, 2] && last.keyID == "k" && last.mac == [2])
      #expect(try tx.auditBatches(after: 0).map(\.number) == [1, 2])
      #expect(try tx.auditBatches(after: 1).map(\.number) == [2])
    }
  }

  @Test("when a client was last used stands in its entry", arguments: TestDatabase.available)
  func lastUse(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let client = Samples.client()
    try await store.write { try $0.insert(client) }
    #expect(try await store.read { try $0.clientEntry(client.id)?.lastUse } == nil)
    store.touchClient(client.id, at: Samples.now)
    try await store.write { try $0.set("after", to: "") }
    #expect(try await store.read { try $0.clientEntry(client.id)?.lastUse } == Samples.now)
  }
}
