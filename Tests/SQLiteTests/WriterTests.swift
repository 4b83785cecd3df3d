import GroupCommit
import SQL
import Synchronization
import Testing

@testable import SQLite

@Suite("The writer")
struct WriterTests {
  @Test("Sixty-four callers at once: every row is written once")
  func concurrentWriters() async throws {
    let database = try await SQLiteDatabase.withTable()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<64 {
        group.addTask {
          for number in 0..<50 {
            try await database.write { try $0.run("INSERT INTO t (n) VALUES (\(caller * 50 + number))") }
          }
        }
      }
      try await group.waitForAll()
    }
    let distinct = try await database.read { try $0.first("SELECT count(DISTINCT n) AS n FROM t")?.integer("n") }
    #expect(distinct == 3200)
    #expect(try await database.rowCount() == 3200)
  }

  @Test("A full queue refuses with busy, but not a write whose place was reserved")
  func boundedQueue() async throws {
    var options = SQLiteDatabase.Options()
    options.queueCapacity = 3
    let database = try await SQLiteDatabase.withTable(options: options)
    let reservation = try database.reserve()
    let blockade = await Blockade(of: database)
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
    try await blockade.lift()
    for task in waiting + [reserved] { #expect(try await task.value == 1) }
    #expect(try await database.rowCount() == 3)
  }

  @Test("A released reservation gives its place back")
  func releasedReservation() async throws {
    var options = SQLiteDatabase.Options()
    options.queueCapacity = 1
    let database = try await SQLiteDatabase.withTable(options: options)
    var reservation: WriteReservation? = try database.reserve()
    await #expect(throws: DatabaseError.busy) { try await database.write { _ in } }
    withExtendedLifetime(reservation) {}
    reservation = nil
    try await database.write { _ in }
  }

  @Test("Background work runs after everything in the foreground")
  func backgroundLane() async throws {
    let database = try await SQLiteDatabase.withTable()
    let blockade = await Blockade(of: database)
    let background = Task {
      try await database.writeInBackground { session in
        try session.run("INSERT INTO t (n) VALUES (99)")
        return try session.first("SELECT count(*) AS n FROM t")?.integer("n")
      }
    }
    while database.queuedWriteCount < 1 { await Task.yield() }
    let foreground = [
      await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") },
      await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (2)") },
    ]
    try await blockade.lift()
    for task in foreground { #expect(try await task.value == 1) }
    #expect(try await background.value == 3)
  }

  @Test("Submitted statements are written all or none, and a failure is counted")
  func submit() async throws {
    let database = try await SQLiteDatabase.withTable()
    database.submit(["INSERT INTO t (n) VALUES (1)", "INSERT INTO t (n) VALUES (2)"])
    database.submit(["INSERT INTO t (n) VALUES (3)", "INSERT INTO missing VALUES (4)"])
    try await database.write { _ in }
    #expect(try await database.rowCount() == 2)
    #expect(database.droppedSubmissionCount == 1)
  }

  @Test("A statement that fails leaves nothing of itself, and the others of its transaction alone")
  func statement() async throws {
    let database = try await SQLiteDatabase.withTable()
    try await database.write("INSERT INTO t (n, name) VALUES (1, 'taken')")
    let blockade = await Blockade(of: database)
    let before = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (2)") }
    // Its first row is good, its second one is not.
    let failing = Task {
      try await database.write("INSERT INTO t (n, name) SELECT 3, 'new' UNION ALL SELECT 4, 'taken' ORDER BY 1")
    }
    while database.queuedWriteCount < 2 { await Task.yield() }
    let after = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (5)") }
    try await blockade.lift()
    await #expect(throws: DatabaseError.duplicate) { try await failing.value }
    for task in [before, after] { #expect(try await task.value == 1) }
    let left = try await database.read { try $0.rows("SELECT n FROM t ORDER BY n").map { try $0.integer("n") } }
    #expect(left == [1, 2, 5])
  }

  @Test("When the disk fills up inside one body, only that body fails")
  func fullDisk() async throws {
    let database = try await SQLiteDatabase.withTable()
    try await database.write { _ = try $0.rows("PRAGMA max_page_count = 20") }
    let runs = Atomic<Int>(0)
    let blockade = await Blockade(of: database)
    let before = await database.enqueue { session in
      runs.add(1, ordering: .relaxed)
      try session.run("INSERT INTO t (n) VALUES (1)")
    }
    let guilty = await database.enqueue { try $0.run("INSERT INTO t (n, data) VALUES (2, zeroblob(1000000))") }
    let stubborn = await database.enqueue { session in
      _ = try? session.run("INSERT INTO t (n, data) VALUES (3, zeroblob(1000000))")
      _ = try? session.run("INSERT INTO t (n) VALUES (4)")
    }
    let after = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (5)") }
    try await blockade.lift()
    try await before.value
    await #expect(throws: DatabaseError.full) { try await guilty.value }
    await #expect(throws: DatabaseError.full) { try await stubborn.value }
    #expect(try await after.value == 1)
    let numbers = try await database.read { try $0.rows("SELECT n FROM t ORDER BY n").map { try $0.integer("n") } }
    #expect(numbers == [1, 5])
    #expect(runs.load(ordering: .relaxed) == 3, "together, with savepoints, and one by one")
    #expect(database.health == .sound)
  }

  @Test("While the disk is full the database says that it takes no writes")
  func writeRefusal() async throws {
    let database = try await SQLiteDatabase.withTable()
    try await database.write { _ = try $0.rows("PRAGMA max_page_count = 20") }
    #expect(database.writeRefusal == nil)
    await #expect(throws: DatabaseError.full) {
      try await database.write { try $0.run("INSERT INTO t (n, data) VALUES (2, zeroblob(1000000))") }
    }
    #expect(database.writeRefusal == .full)
    try await database.write { try $0.run("INSERT INTO t (n) VALUES (1)") }
    #expect(database.writeRefusal == nil)
  }

  @Test("A write of the background comes although the foreground never rests")
  func background() throws {
    let queue = WriteQueue(capacity: 100)
    try queue.appendBackground(.submission([]) {})
    var work = WriteQueue.Work()
    let writes = try (1...10).map { _ in
      try queue.append(.submission([]) {})
      return queue.next(&work) ? work.writes.count : 0
    }
    #expect(writes == [1, 1, 1, 1, 1, 1, 1, 1, 2, 1])
  }

  @Test("When a commit fails, only the body that broke the rule fails")
  func failedCommit() async throws {
    let database = try await SQLiteDatabase.withTable()
    try await database.write { session in
      try session.run("CREATE TABLE parent (id bigint NOT NULL PRIMARY KEY)")
      try session.run("CREATE TABLE child (id bigint REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
    }
    let blockade = await Blockade(of: database)
    let before = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") }
    let guilty = await database.enqueue { try $0.run("INSERT INTO child VALUES (1)") }
    let after = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (2)") }
    try await blockade.lift()
    #expect(try await before.value == 1)
    await #expect(throws: DatabaseError.self) { try await guilty.value }
    #expect(try await after.value == 1)
    #expect(try await database.rowCount() == 2)
  }

  @Test("Closing finishes what is queued and refuses the rest")
  func closing() async throws {
    let database = try await SQLiteDatabase.withTable()
    let blockade = await Blockade(of: database)
    let queued = await database.enqueue { try $0.run("INSERT INTO t (n) VALUES (1)") }
    let closing = Task { try await database.close() }
    while (try? database.reserve()) != nil { await Task.yield() }
    try await blockade.lift()
    #expect(try await queued.value == 1)
    try await closing.value
    await #expect(throws: DatabaseError.self) { try await database.write { _ in } }
    await #expect(throws: DatabaseError.self) { try await database.read { _ in } }
    await #expect(throws: DatabaseError.self) { try await database.close() }
  }

  @Test("A lock held by another connection ends in busy, and the next write succeeds")
  func lockedByAnother() async throws {
    let folder = try Folder()
    let first = try SQLiteDatabase.open(path: folder.database)
    try await first.write { try $0.run("CREATE TABLE t (n bigint)") }
    var options = SQLiteDatabase.Options()
    options.busyTimeout = 20
    let second = try SQLiteDatabase.open(path: folder.database, options: options)
    let blockade = await Blockade(of: first)
    await #expect(throws: DatabaseError.busy) { try await second.write { try $0.run("INSERT INTO t VALUES (1)") } }
    #expect(try await second.rowCount() == 0)
    try await blockade.lift()
    try await second.write { try $0.run("INSERT INTO t VALUES (2)") }
    #expect(try await first.rowCount() == 1)
  }
}
