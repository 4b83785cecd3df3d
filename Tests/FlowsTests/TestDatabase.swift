import PostgreSQL
import SQL
import SQLite
import TestPostgreSQL

/// The database that the whole suite runs on: SQLite, unless ``TestCluster/isChosen``.
enum TestDatabase {
  /// An empty one of its own.
  static func make() async throws -> any Database {
    guard TestCluster.isChosen else { return try SQLiteDatabase.temporary() }
    return try await PostgreSQLDatabase.open(ConnectionString(TestCluster.makeSchema()), options: .few)
  }
}
