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

  /// Whether only one process can have it open, which then knows that nobody else is at work.
  var isOurs: Bool { path != nil }

  /// Whether an installation has been made there.
  var holdsInstallation: Bool {
    get throws {
      switch self {
      case .sqlite(let path): try Files.hasContent(path)
      case .postgreSQL(let location): try PostgreSQLDatabase.isPrepared(location)
      }
    }
  }

  func open() throws(DatabaseError) -> any Database {
    switch self {
    case .sqlite(let path): try SQLiteDatabase.open(path: path)
    case .postgreSQL(let location): try PostgreSQLDatabase.open(location)
    }
  }
}
