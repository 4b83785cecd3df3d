import Glibc
import SQL
import SQLite
import Synchronization

/// Holds the writer inside a body until it is lifted, so that what is queued meanwhile shares its transaction.
final class Blockade: Sendable {
  private let isRunning = Atomic<Bool>(false)
  private let isLifted = Atomic<Bool>(false)
  private let task = Mutex<Task<Void, any Error>?>(nil)

  init(of database: SQLiteDatabase) async {
    task.withLock { task in
      task = Task { [self] in
        try await database.write { [self] _ in
          isRunning.store(true, ordering: .releasing)
          while !isLifted.load(ordering: .acquiring) { usleep(100) }
        }
      }
    }
    while !isRunning.load(ordering: .acquiring) { await Task.yield() }
  }

  func lift() async throws {
    isLifted.store(true, ordering: .releasing)
    try await task.withLock { $0 }?.value
  }
}

extension SQLiteDatabase {
  /// Starts a write and returns once it waits in the queue of a blocked writer.
  func enqueue<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async -> Task<T, any Error> {
    let count = queuedWriteCount
    let task = Task { try await write(body) }
    while queuedWriteCount == count { await Task.yield() }
    return task
  }

  /// The number of rows in `t`.
  func rowCount() async throws -> Int64 {
    try await read { try $0.first("SELECT count(*) AS n FROM t")?.integer("n") ?? 0 }
  }

  /// An empty table `t` with an integer, a blob, and a unique text.
  static func withTable(options: Options = Options()) async throws -> SQLiteDatabase {
    let database = try SQLiteDatabase.temporary(options: options)
    try await database.write { try $0.run("CREATE TABLE t (n bigint, data blob, name text UNIQUE)") }
    return database
  }
}
