import SQL

/// One step of the schema's history; never edited once released.
struct Migration: Sendable {
  let number: Int64
  /// The oldest migration whose program may still run on this schema: older programs refuse to start.
  let oldestCompatible: Int64
  let statements: [Statement]
  /// What PostgreSQL needs before them, and after.
  var postgreSQL: (before: [Statement], after: [Statement]) = ([], [])

  func statements(for dialect: Dialect) -> [Statement] {
    switch dialect {
    case .sqlite: statements
    case .postgreSQL: postgreSQL.before + statements + postgreSQL.after
    }
  }

  static let all: [Migration] = [initial]
  static let newest: Int64 = 1
}

/// Why a database cannot be used by this program.
public enum SchemaFailure: Error, Equatable {
  /// The database was written by a newer program, which forbids this one to touch it.
  case newerThanProgram(schema: Int64, program: Int64)
}

extension Store {
  /// Brings the schema up to date; every step runs once, in its own transaction.
  ///
  /// - Throws: ``SchemaFailure`` when a newer program has left the database; nothing is changed then.
  public func migrate() async throws {
    try await write { tx in
      try tx.session.run(
        "CREATE TABLE IF NOT EXISTS migration (number bigint NOT NULL PRIMARY KEY, oldest_compatible bigint NOT NULL)")
    }
    let oldestCompatible = try await read { tx in
      try tx.session.first("SELECT coalesce(max(oldest_compatible), 0) AS oldest FROM migration")?.integer("oldest")
        ?? 0
    }
    guard oldestCompatible <= Migration.newest else {
      throw SchemaFailure.newerThanProgram(schema: oldestCompatible, program: Migration.newest)
    }
    let dialect = database.dialect
    for migration in Migration.all { try await write { tx in try tx.apply(migration, in: dialect) } }
  }
}

extension Transaction {
  fileprivate func apply(_ migration: Migration, in dialect: Dialect) throws {
    let done = try session.first("SELECT number FROM migration WHERE number = \(migration.number)")
    if done != nil { return }
    for statement in migration.statements(for: dialect) { try session.run(statement) }
    try session.run(
      """
      INSERT INTO migration (number, oldest_compatible)
      VALUES (\(migration.number), \(migration.oldestCompatible))
      """)
  }
}
