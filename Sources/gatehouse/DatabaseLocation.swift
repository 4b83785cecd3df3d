import PostgreSQL
import SQL
import SQLite

/// Which database an installation keeps its records in.
enum DatabaseLocation: Sendable, CustomStringConvertible {
  case sqlite(path: String)
  case postgreSQL(ConnectionString)

  /// Whether a value of the setting is meant for PostgreSQL; such a value may hold a password.
  static func isConnectionString(_ text: String) -> Bool {
    guard !text.hasPrefix("sqlite:") else { return false }
    return ["postgresql:", "postgres:"].contains(where: text.hasPrefix) || text.contains("=")
  }

  /// In words that may be printed.
  var description: String {
    switch self {
    case .sqlite(let path): path
    case .postgreSQL(let location): "\(location)"
    }
  }

  /// The file of a database that is one.
  var path: String? {
    switch self {
    case .sqlite(let path): path
    case .postgreSQL: nil
    }
  }

  /// Whether an installation has been made there.
  var holdsInstallation: Bool {
    get throws {
      switch self {
      case .sqlite(let path): try Files.hasContent(path)
      case .postgreSQL(let location):
        try explained { () throws(DatabaseError) in try PostgreSQLDatabase.isPrepared(location) }
      }
    }
  }

  func open() throws -> any Database {
    switch self {
    case .sqlite(let path): try SQLiteDatabase.open(path: path)
    case .postgreSQL(let location):
      try explained { () throws(DatabaseError) in try PostgreSQLDatabase.open(location) }
    }
  }

  /// Says which setting leads out of a failure to get there.
  private func explained<T>(_ body: () throws(DatabaseError) -> T) throws -> T {
    do throws(DatabaseError) { return try body() } catch {
      let why = "\(Setting.database.variable) leads to \(self), which cannot be used"
      switch error {
      case .away(let reason):
        throw Configuration.Failure(
          description: "\(why): \(reason). Check that the server runs and takes writes, that the setting names it, the "
            + "user and the password rightly, and that the database is there (CREATE DATABASE … OWNER …).")
      case .failed(_, let reason): throw Configuration.Failure(description: "\(why): \(reason).")
      default: throw error
      }
    }
  }
}
