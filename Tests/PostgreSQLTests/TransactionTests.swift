import PostgreSQL
import SQL
import TestPostgreSQL
import Testing

@Suite("Transactions on PostgreSQL", .enabled(if: TestCluster.location != nil))
struct TransactionTests {
  struct Refused: Error {}

  @Test("What a write stored is read back, byte for byte")
  func roundTrip() async throws {
    let database = try await TestSchema().open()
    let text = "naïve\u{1}🎫"
    let none: String? = nil
    let row = try await database.write { session in
      try session.run("CREATE TABLE t (n bigint, m bigint, s text, b bytea, e bytea, x text, y bigint, z text)")
      try session.run(
        """
        INSERT INTO t VALUES (\(Int64.min), \(Int64.max), \(text), \([0, 255] as [UInt8]), \([] as [UInt8]),
          \(none), \(true), \(""))
        """)
      return try session.first("SELECT n, m, s, b, e, x, y, z, -2 AS small, n < 0 AS negative FROM t")
    }
    #expect(try row?.integer("n") == Int64.min)
    #expect(try row?.integer("m") == Int64.max)
    #expect(try row?.text("s") == text)
    #expect(try row?.bytes("b") == [0, 255])
    #expect(try row?.bytes("e") == [])
    #expect(try row?.optionalText("x") == nil)
    #expect(try row?.boolean("y") == true)
    #expect(try row?.text("z").isEmpty == true)
    #expect(try row?.integer("small") == -2)
    #expect(try row?.boolean("negative") == true)
  }

  @Test("The same statement takes a value, NULL, and a value again")
  func nullAndValue() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    let names: [String?] = ["a", nil, "b", nil]
    for name in names { try await database.write { try $0.run("INSERT INTO t (n, name) VALUES (1, \(name))") } }
    let found = try await database.read {
      try $0.rows("SELECT name FROM t WHERE name IS NOT NULL ORDER BY name").map { try $0.text("name") }
    }
    #expect(found == ["a", "b"])
  }

  @Test("A body that throws leaves nothing of what it wrote")
  func atomicity() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    await #expect(throws: Refused.self) {
      try await database.write { session in
        try session.run("INSERT INTO t (n) VALUES (1), (2)")
        throw Refused()
      }
    }
    #expect(try await database.numbers() == [])
  }

  @Test("A body that throws, or goes on after a failure, is rolled back alone within its batch")
  func rolledBackAlone() async throws {
    let database = try await TestSchema().open()
    try await database.prepare("CREATE TABLE t (n bigint UNIQUE)")
    let turn = await HeldTurn(database)
    let before = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") }
    let guilty = await database.enqueue { session in
      try session.run("INSERT INTO t (n) VALUES (2)")
      throw Refused()
    }
    let stubborn = await database.enqueue { session in
      _ = try? session.run("INSERT INTO t (n) VALUES (1)")
      _ = try? session.run("INSERT INTO t (n) VALUES (4)")
    }
    let after = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (3)") }
    try await turn.lift()
    #expect(try await before.value == 1)
    await #expect(throws: Refused.self) { try await guilty.value }
    await #expect(throws: DatabaseError.duplicate) { try await stubborn.value }
    #expect(try await after.value == 1)
    #expect(try await database.numbers() == [1, 3])
  }

  @Test("A read sees one snapshot, whatever is committed meanwhile")
  func snapshot() async throws {
    let database = try await PostgreSQLDatabase.withTable()
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
    #expect(try await database.numbers() == [1])
  }

  @Test("A read cannot write")
  func readOnly() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    await #expect(throws: DatabaseError.self) { try await database.read { try $0.run("DELETE FROM t") } }
    #expect(database.writeRefusal == nil)
  }

  @Test("A second row of the same name is a duplicate, and the first stays")
  func duplicate() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    try await database.write { try $0.run("INSERT INTO t (n, name) VALUES (1, 'a')") }
    await #expect(throws: DatabaseError.duplicate) {
      try await database.write { try $0.run("INSERT INTO t (n, name) VALUES (2, 'a')") }
    }
    #expect(try await database.numbers() == [1])
  }

  @Test(
    "Refuses a statement that would end the transaction, or more than one",
    arguments: [
      "COMMIT", " rollback", "BEGIN", "SAVEPOINT a", "end", "abort", "START TRANSACTION",
      "DELETE FROM t; DELETE FROM t", "", "SELEC 1",
    ])
  func refusedStatements(text: String) async throws {
    let database = try await PostgreSQLDatabase.withTable()
    await #expect(throws: DatabaseError.self) {
      try await database.write { session in
        try session.run("INSERT INTO t (n) VALUES (1)")
        try session.run(Statement(stringLiteral: text))
      }
    }
    #expect(try await database.numbers() == [])
  }

  @Test("Refuses a statement whose values do not match its placeholders")
  func bindCount() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    await #expect(throws: DatabaseError.self) { try await database.read { try $0.rows("SELECT $1 AS a") } }
    #expect(try await database.numbers() == [])
  }

  @Test("Counts the rows that a statement changed")
  func changes() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    let counts = try await database.write { session in
      [
        try session.run("INSERT INTO t (n) VALUES (1), (2)"), try session.run("CREATE INDEX i ON t (n)"),
        try session.run("DELETE FROM t WHERE n = 3"), try session.run("UPDATE t SET n = n + 1"),
        try session.run("SELECT n FROM t"),
      ]
    }
    #expect(counts == [2, 0, 0, 2, 0])
  }

  @Test("A column that is missing, or of another type, is named")
  func columns() async throws {
    let database = try await TestSchema().open()
    let row = try await database.read { try $0.first("SELECT 1 AS n, CAST(NULL AS text) AS x") }
    #expect(throws: DatabaseError.column("m")) { try row?.integer("m") }
    #expect(throws: DatabaseError.column("n")) { try row?.text("n") }
    #expect(throws: DatabaseError.column("x")) { try row?.bytes("x") }
    await #expect(throws: DatabaseError.column("r")) { try await database.read { try $0.rows("SELECT 1.5 AS r") } }
  }

  @Test("A statement goes on after its table has changed")
  func schemaChange() async throws {
    var options = PostgreSQLDatabase.Options()
    options.readers = 1
    let database = try await PostgreSQLDatabase.withTable(options)
    try await database.write { try $0.run("INSERT INTO t (n) VALUES (7)") }
    _ = try await database.read { try $0.first("SELECT * FROM t") }
    try await database.write { try $0.run("ALTER TABLE t ADD COLUMN extra text") }
    let after = try await database.read { try $0.first("SELECT * FROM t") }
    #expect(try after?.optionalText("extra") == nil)
    #expect(try after?.integer("n") == 7)
  }

  @Test("Keeps no more prepared statements than it may, nor those of failed statements")
  func boundedCache() async throws {
    var options = PostgreSQLDatabase.Options()
    (options.cachedStatements, options.readers) = (8, 1)
    let database = try await PostgreSQLDatabase.withTable(options)
    let kept = try await database.read { session in
      for number in 0..<100 { _ = try session.rows(Statement(stringLiteral: "SELECT \(number) AS n")) }
      return try session.first("SELECT count(*) AS n FROM pg_prepared_statements")?.integer("n") ?? 0
    }
    #expect(kept <= 9)
    for _ in 0..<20 { _ = try? await database.read { try $0.rows("SELECT 1 / n AS n FROM (VALUES (0)) AS v (n)") } }
    let later = try await database.read {
      try $0.first("SELECT count(*) AS n FROM pg_prepared_statements")?.integer("n") ?? 0
    }
    #expect(later <= 9)
  }
}
