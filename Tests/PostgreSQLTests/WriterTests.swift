import PostgreSQL
import SQL
import Synchronization
import TestPostgreSQL
import Testing

@Suite("The writers of PostgreSQL", .enabled(if: TestCluster.location != nil))
struct WriterTests {
  @Test("Callers of three instances at once: nobody's count is lost")
  func concurrentWriters() async throws {
    let schema = try await TestSchema()
    let instances = [try schema.open(), try schema.open(), try schema.open()]
    try await instances[0].prepare("CREATE TABLE t (n bigint)", "INSERT INTO t VALUES (0)")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<48 {
        group.addTask {
          for _ in 0..<10 {
            // Read and written in two statements, which only works for one at a time.
            try await instances[caller % 3].write { session in
              let n = try session.first("SELECT n FROM t")?.integer("n") ?? -1
              try session.run("UPDATE t SET n = \(n + 1)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await instances[1].numbers() == [480])
  }

  @Test("A full queue refuses with busy, but not a write whose place was reserved")
  func boundedQueue() async throws {
    var options = PostgreSQLDatabase.Options.few
    options.queueCapacity = 3
    let database = try await TestSchema().open(options)
    try await database.prepare("CREATE TABLE t (n bigint)")
    let reservation = try database.reserve()
    let turn = await HeldTurn(database)
    let waiting = [
      await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") },
      await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (2)") },
    ]
    await #expect(throws: DatabaseError.busy) { try await database.write { _ in } }
    #expect(throws: DatabaseError.busy) { try database.reserve() }
    database.submit(["INSERT INTO t (n) VALUES (9)"])
    #expect(database.droppedSubmissionCount == 1)
    let reserved = Task { try await database.write(using: reservation) { try $0.run("INSERT INTO t (n) VALUES (3)") } }
    while database.queuedWriteCount < 3 { await Task.yield() }
    try await turn.lift()
    for task in waiting + [reserved] { #expect(try await task.value == 1) }
    #expect(try await database.numbers() == [1, 2, 3])
  }

  @Test("Submitted statements are written all or none, in their order, and a failure is counted")
  func submit() async throws {
    let database = try await PostgreSQLDatabase.withTable()
    for number in 0..<300 { database.submit(["INSERT INTO t (n) VALUES (\(number))", "UPDATE t SET n = n"]) }
    database.submit(["INSERT INTO t (n) VALUES (-1)", "INSERT INTO missing VALUES (4)"])
    try await database.write("INSERT INTO t (n) VALUES (300)")
    #expect(try await database.numbers() == Array(0...300))
    #expect(database.droppedSubmissionCount == 1)
  }

  @Test("A statement that fails leaves nothing of itself, and the others of its transaction alone")
  func statement() async throws {
    let database = try await TestSchema().open()
    try await database.prepare("CREATE TABLE t (n bigint, name text UNIQUE)")
    try await database.write("INSERT INTO t (n, name) VALUES (1, 'taken')")
    let turn = await HeldTurn(database)
    let before = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (2)") }
    let failing = Task {
      try await database.write("INSERT INTO t (n, name) VALUES (3, 'new'), (4, 'taken')")
    }
    while database.queuedWriteCount < 1 { await Task.yield() }
    let after = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (5)") }
    try await turn.lift()
    await #expect(throws: DatabaseError.duplicate) { try await failing.value }
    for task in [before, after] { #expect(try await task.value == 1) }
    #expect(try await database.numbers() == [1, 2, 5])
  }

  @Test("When a commit fails, only the body that broke the rule fails")
  func failedCommit() async throws {
    let database = try await TestSchema().open()
    try await database.prepare(
      "CREATE TABLE t (n bigint)", "CREATE TABLE parent (id bigint NOT NULL PRIMARY KEY)",
      "CREATE TABLE child (id bigint REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
    let turn = await HeldTurn(database)
    let before = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") }
    let guilty = await database.enqueue { try $0.run("INSERT INTO child VALUES (1)") }
    let after = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (2)") }
    try await turn.lift()
    #expect(try await before.value == 1)
    await #expect(throws: DatabaseError.self) { try await guilty.value }
    #expect(try await after.value == 1)
    #expect(try await database.numbers() == [1, 2])
  }

  @Test("A transaction that the server undid for others' sake runs again, but not for ever", arguments: [2, 100])
  func conflicts(count: Int) async throws {
    let database = try await TestSchema().open()
    try await database.prepare(
      "CREATE TABLE t (n bigint)", "CREATE SEQUENCE tries",
      """
      CREATE FUNCTION try_it() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('tries') <= \(count) THEN RAISE EXCEPTION 'not yet' USING ERRCODE = '40001'; END IF;
        RETURN 1;
      END $$
      """)
    let write = Task {
      try await database.write { session in
        try session.run("INSERT INTO t (n) VALUES (1)")
        _ = try session.rows("SELECT try_it() AS n")
      }
    }
    if count == 2 {
      try await write.value
      #expect(try await database.numbers() == [1])
    } else {
      await #expect(throws: DatabaseError.busy) { try await write.value }
      #expect(try await database.numbers() == [])
    }
  }

  @Test("While another instance keeps the turn, a write ends in busy, and the next one succeeds")
  func keptTurn() async throws {
    let schema = try await TestSchema()
    var options = PostgreSQLDatabase.Options.few
    options.lockTimeout = 50
    let (database, other) = (try schema.open(options), try schema.open())
    let turn = await HeldTurn(other)
    await #expect(throws: DatabaseError.busy) { try await database.write { _ in } }
    #expect(try await database.read { try $0.first("SELECT 1 AS n")?.integer("n") } == 1)
    try await turn.lift()
    try await database.write { _ in }
  }

  @Test("An instance that stands still with the turn loses it, and its write is made anew")
  func stalled() async throws {
    let schema = try await TestSchema()
    var options = PostgreSQLDatabase.Options.few
    options.idleTimeout = 100
    let (stalled, other) = (try schema.open(options), try schema.open())
    try await stalled.prepare("CREATE TABLE t (n bigint)")
    let runs = Atomic<Int>(0)
    let isFirst = Flag()
    let write = Task {
      try await stalled.write { session in
        if runs.add(1, ordering: .relaxed).newValue == 1 { isFirst.block() }
        try session.run("INSERT INTO t (n) VALUES (1)")
      }
    }
    while runs.load(ordering: .relaxed) == 0 { await Task.yield() }
    try await other.write("INSERT INTO t (n) VALUES (2)")
    isFirst.raise()
    try await write.value
    #expect(try await other.numbers() == [1, 2])
  }

  @Test("Tells when somebody else has written, and only then")
  func foreignRevision() async throws {
    let schema = try await TestSchema()
    let (one, two, three) = (try schema.open(), try schema.open(), try schema.open())
    try await one.prepare("CREATE TABLE t (n bigint)")
    var last = try await one.foreignRevision()
    func isNew() async throws -> Bool {
      let revision = try await one.foreignRevision()
      defer { last = revision }
      return revision != last
    }
    try await one.write("INSERT INTO t (n) VALUES (1)")
    #expect(try await !isNew())
    for writer in [two, three, two, two] {
      try await writer.write("INSERT INTO t (n) VALUES (2)")
      #expect(try await isNew())
      try await one.write("INSERT INTO t (n) VALUES (1)")
      #expect(try await !isNew())
    }
    try await two.write("INSERT INTO t (n) VALUES (2)")
    try await one.write("INSERT INTO t (n) VALUES (1)")
    #expect(try await isNew(), "also when we have written after it")
  }

  @Test("Closing finishes what is queued and refuses the rest")
  func closing() async throws {
    let schema = try await TestSchema()
    let (database, other) = (try schema.open(), try schema.open())
    try await database.prepare("CREATE TABLE t (n bigint)")
    let turn = await HeldTurn(database)
    let queued = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") }
    let closing = Task { try await database.close() }
    while (try? database.reserve()) != nil { await Task.yield() }
    try await turn.lift()
    #expect(try await queued.value == 1)
    try await closing.value
    await #expect(throws: DatabaseError.self) { try await database.write { _ in } }
    await #expect(throws: DatabaseError.self) { try await database.read { _ in } }
    await #expect(throws: DatabaseError.self) { try await database.close() }
    #expect(try await other.numbers() == [1])
  }
}
