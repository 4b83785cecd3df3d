import PostgreSQL
import SQL
import TestPostgreSQL

/// An empty schema of its own, which can be opened several times, as by several instances.
struct TestSchema {
  /// Its connection string.
  let location: String

  /// Creates it; its connections have a name of their own if one is given.
  init(applicationName: String? = nil) async throws {
    let name = applicationName.map { " application_name=\($0)" } ?? ""
    location = try await TestCluster.makeSchema() + name
  }

  func open(_ options: PostgreSQLDatabase.Options = .few) throws -> PostgreSQLDatabase {
    try PostgreSQLDatabase.open(ConnectionString(location), options: options)
  }
}

extension PostgreSQLDatabase {
  /// Statements of a test's own that prepare what it needs.
  func prepare(_ statements: String...) async throws {
    try await write { session in
      for statement in statements { try session.run(Statement(stringLiteral: statement)) }
    }
  }

  /// An empty table `t` with an integer, bytes, and a unique text.
  static func withTable(_ options: Options = .few) async throws -> PostgreSQLDatabase {
    let database = try await TestSchema().open(options)
    try await database.prepare("CREATE TABLE t (n bigint, data bytea, name text UNIQUE)")
    return database
  }

  /// What `t` holds.
  func numbers() async throws -> [Int64] {
    try await read { try $0.rows("SELECT n FROM t ORDER BY n").map { try $0.integer("n") } }
  }

  /// Starts a write and returns once it waits in the queue of a writer that has no turn.
  func enqueue<T: Sendable>(_ body: @escaping @Sendable (any Session) throws -> T) async -> Task<T, any Error> {
    let count = queuedWriteCount
    let task = Task { try await write(body) }
    while queuedWriteCount == count { await Task.yield() }
    return task
  }
}

/// A write that keeps the turn until it is lifted, so that others wait.
final class HeldTurn: Sendable {
  private let end = Flag()
  private let task: Task<Void, any Error>

  init(_ database: PostgreSQLDatabase) async {
    let (begun, end) = (Flag(), end)
    task = Task {
      try await database.write { _ in
        begun.raise()
        end.block()
      }
    }
    await begun.wait()
  }

  func lift() async throws {
    end.raise()
    try await task.value
  }
}
