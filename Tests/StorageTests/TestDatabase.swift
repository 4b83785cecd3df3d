import Domain
import PostgreSQL
import SQL
import SQLite
import Storage
import TestPostgreSQL
import Testing

/// The kinds of database that the suite runs on; every test takes each of them as an argument.
enum TestDatabase: String, Sendable, CustomTestStringConvertible {
  case sqlite
  case postgreSQL

  /// Those that can be had on this machine.
  static let available: [TestDatabase] = TestCluster.location == nil ? [.sqlite] : [.sqlite, .postgreSQL]

  var testDescription: String { rawValue }

  /// An empty database of its own.
  func make() async throws -> any Database {
    switch self {
    case .sqlite: try SQLiteDatabase.temporary()
    case .postgreSQL: try await PostgreSQLDatabase.open(ConnectionString(TestCluster.makeSchema()), options: .few)
    }
  }

  /// A database of its own with the newest schema.
  func makeStore() async throws -> Store { try await open().store }

  /// A migrated store together with its database, for tests that look beneath it.
  func open() async throws -> (store: Store, database: any Database) {
    let database = try await make()
    let store = Store(database)
    try await store.migrate()
    return (store, database)
  }
}

/// How many of `count` tasks that run `step` at once got something.
func winners(_ count: Int, _ step: @escaping @Sendable () async throws -> Bool) async throws -> Int {
  try await withThrowingTaskGroup(of: Bool.self) { group in
    for _ in 0..<count { group.addTask { try await step() } }
    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
  }
}
