import SQL
import Synchronization
import Testing

@testable import SQLite

@Suite("Transactions")
struct TransactionTests {
  struct Refused: Error {}

  @Test("What a write stored is read back, byte for byte")
  func roundTrip() async throws {
    let database = try SQLiteDatabase.temporary()
    let text = "naïve\u{0}🎫"
    let none: String? = nil
    let row = try await database.write { session in
      try session.run("CREATE TABLE t (n bigint, s text, b blob, e blob, x text, y bigint, z text)")
      try session.run(
        """
        INSERT INTO t VALUES
        (\(Int64.min), \(text), \([0, 255] as [UInt8]), \([] as [UInt8]), \(none), \(true), \(""))
        """)
      return try session.first("SELECT n, s, b, e, x, y, z FROM t")
    }
    #expect(try row?.integer("n") == Int64.min)
    #expect(try row?.text("s") == text)
    #expect(try row?.bytes("b") == [0, 255])
    #expect(try row?.bytes("e") == [])
    #expect(try row?.optionalText("x") == nil)
    #expect(try row?.boolean("y") == true)
    #expect(try row?.text("z").isEmpty == true)
    #expect(try row?.integer("n") == Int64.min, "in whatever order they are read")
  }

  @Test("A body that throws leaves nothing of what it wrote")
  func atomicity() async throws {
    let database = try await SQLiteDatabase.withTable()
    await #expect(throws: Refused.self) {
      try await database.write { session in
        try session.run("INSERT INTO t (n) VALUES (1), (2)")
        throw Refused()
      }
    }
    #expect(try await database.rowCount() == 0)
  }

  @Test("A body that throws is rolled back alone within its batch")
  func rolledBackAlone() async throws {
    let database = try await SQLiteDatabase.withTable()
    let blockade = await Blockade(of: database)
    let before = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") }
    let guilty = await database.enqueue { session in
      try session.run("INSERT INTO t (n) VALUES (2)")
      throw Refused()
    }
    let after = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (3)") }
    try await blockade.lift()
    #expect(try await before.value == 1)
    await #expect(throws: Refused.self) { try await guilty.value }
    #expect(try await after.value == 1)
    let numbers = try await database.read { try $0.rows("SELECT n FROM t ORDER BY n").map { try $0.integer("n") } }
    #expect(numbers == [1, 3])
  }

  @Test("A read sees one snapshot, whatever is committed meanwhile")
  func snapshot() async throws {
    let database = try await SQLiteDatabase.withTable()
    let (hasRead, hasWritten) = (Flag(), Flag())
    let counts = Task {
      try await database.read { session in
        let first = try session.first("SELECT count(*) AS n FROM t")?.integer("n")
        hasRead.raise()
        hasWritten.block()
        return [first, try session.first("SELECT count(*) AS n FROM t")?.integer("n")]
      }
    }
    await hasRead.wait()
    try await database.write { try $0.run("INSERT INTO t (n) VALUES (1)") }
    hasWritten.raise()
    #expect(try await counts.value == [0, 0])
    #expect(try await database.rowCount() == 1)
  }

  @Test("A read goes on while the writer is busy")
  func readBesideWrite() async throws {
    let database = try await SQLiteDatabase.withTable()
    let blockade = await Blockade(of: database)
    #expect(try await database.rowCount() == 0)
    try await blockade.lift()
  }

  @Test("A read cannot write")
  func readOnly() async throws {
    let database = try await SQLiteDatabase.withTable()
    await #expect(throws: DatabaseError.self) { try await database.read { try $0.run("DELETE FROM t") } }
  }

  @Test("A second row of the same name is a duplicate, and the first stays")
  func duplicate() async throws {
    let database = try await SQLiteDatabase.withTable()
    try await database.write { try $0.run("INSERT INTO t (name) VALUES ('a')") }
    await #expect(throws: DatabaseError.duplicate) {
      try await database.write { try $0.run("INSERT INTO t (name) VALUES ('a')") }
    }
    #expect(try await database.rowCount() == 1)
  }

  @Test(
    "Refuses a statement that would end the transaction, or more than one",
    arguments: ["COMMIT", " rollback", "BEGIN", "SAVEPOINT a", "end", "DELETE FROM t; DELETE FROM t", "", "SELEC 1"])
  func refusedStatements(text: String) async throws {
    let database = try await SQLiteDatabase.withTable()
    await #expect(throws: DatabaseError.self) {
      try await database.write { session in
        try session.run("INSERT INTO t (n) VALUES (1)")
        try session.run(Statement(stringLiteral: text))
      }
    }
    #expect(try await database.rowCount() == 0)
  }

  @Test("Refuses a statement whose values do not match its placeholders")
  func bindCount() async throws {
    let database = try await SQLiteDatabase.withTable()
    await #expect(throws: DatabaseError.self) { try await database.read { try $0.rows("SELECT $1 AS a") } }
  }

  @Test("Counts the rows of this statement, not those of an earlier one")
  func changes() async throws {
    let database = try await SQLiteDatabase.withTable()
    let counts = try await database.write { session in
      [
        try session.run("INSERT INTO t (n) VALUES (1), (2)"), try session.run("CREATE INDEX i ON t (n)"),
        try session.run("DELETE FROM t WHERE n = 3"), try session.run("UPDATE t SET n = n + 1"),
      ]
    }
    #expect(counts == [2, 0, 0, 2])
  }

  @Test("A column that is missing, or of another type, is named")
  func columns() async throws {
    let database = try SQLiteDatabase.temporary()
    let row = try await database.read { try $0.first("SELECT 1 AS n, NULL AS x") }
    #expect(throws: DatabaseError.column("m")) { try row?.integer("m") }
    #expect(throws: DatabaseError.column("n")) { try row?.text("n") }
    #expect(throws: DatabaseError.column("x")) { try row?.bytes("x") }
    await #expect(throws: DatabaseError.column("r")) { try await database.read { try $0.rows("SELECT 1.5 AS r") } }
  }

  @Test("A kept statement knows the columns of a changed table")
  func schemaChange() async throws {
    let database = try await SQLiteDatabase.withTable(options: .oneReader())
    try await database.write { try $0.run("INSERT INTO t (n) VALUES (7)") }
    let before = try await database.read { try $0.first("SELECT * FROM t") }
    #expect(throws: DatabaseError.column("extra")) { try before?.optionalText("extra") }
    try await database.write { try $0.run("ALTER TABLE t ADD COLUMN extra text") }
    let after = try await database.read { try $0.first("SELECT * FROM t") }
    #expect(try after?.optionalText("extra") == nil)
    #expect(try after?.integer("n") == 7)
  }

  @Test("Foreign keys are enforced")
  func foreignKeys() async throws {
    let database = try SQLiteDatabase.temporary()
    await #expect(throws: DatabaseError.self) {
      try await database.write { session in
        try session.run("CREATE TABLE parent (id bigint NOT NULL PRIMARY KEY)")
        try session.run("CREATE TABLE child (id bigint REFERENCES parent (id))")
        try session.run("INSERT INTO child VALUES (1)")
      }
    }
  }

  @Test("Keeps no more prepared statements than it may")
  func boundedCache() async throws {
    let database = try await SQLiteDatabase.withTable(options: .oneReader(cachedStatements: 8))
    let kept = try await database.read { session in
      for number in 0..<100 { _ = try session.rows(Statement(stringLiteral: "SELECT \(number) AS n")) }
      return (session as? SQLiteHandle)?.cachedStatementCount
    }
    #expect(kept == 8)
  }
}
