import SQL

extension SQLiteHandle {
  /// Opens the connection that writes, and claims a new file as ours.
  static func writer(
    of file: DatabaseFile, mark: FailureMark, options: SQLiteDatabase.Options
  ) throws(DatabaseError) -> SQLiteHandle {
    let handle = try SQLiteHandle(path: file.path, readOnly: false, mark: mark, options: options)
    try handle.claim(file.path, as: options.applicationID)
    try handle.set(["secure_delete = ON", "temp_store = MEMORY", "foreign_keys = ON", "synchronous = FULL"])
    guard
      try handle.setting("journal_mode = WAL", as: { row throws(DatabaseError) in try row.text("journal_mode") })
        == "wal"
    else {
      throw .failed(code: "file", message: "\(file.path): this file system does not support write-ahead logging")
    }
    try handle.set(["journal_size_limit = 67108864", "cache_size = -8192"])
    return handle
  }

  /// Opens a connection that reads; it never waits long for a lock, since it may block a thread that serves others.
  static func reader(
    of file: DatabaseFile, mark: FailureMark, options: SQLiteDatabase.Options
  ) throws(DatabaseError) -> SQLiteHandle {
    var options = options
    options.busyTimeout = min(options.busyTimeout, 250)
    let handle = try SQLiteHandle(path: file.path, readOnly: true, mark: mark, options: options)
    try handle.set(["temp_store = MEMORY", "foreign_keys = ON", "cache_size = -8192"])
    return handle
  }

  /// Marks a new file with our application id, and refuses a file that carries another one.
  private func claim(_ path: String, as applicationID: Int32) throws(DatabaseError) {
    let (found, tables) = try identity(path)
    if found == Int64(applicationID) { return }
    guard found == 0, tables == 0 else {
      throw .failed(
        code: "application_id",
        message: "\(path): this database belongs to another program; choose another file or move it away")
    }
    try set(["auto_vacuum = INCREMENTAL", "application_id = \(applicationID)"])
  }

  private func identity(_ path: String) throws(DatabaseError) -> (application: Int64, tables: Int64) {
    do throws(DatabaseError) {
      let found = try setting("application_id") { row throws(DatabaseError) in try row.integer("application_id") }
      let tables = try setting("schema_version") { row throws(DatabaseError) in try row.integer("schema_version") }
      return (found, tables)
    } catch .failed(code: "26", _) {
      throw .failed(code: "26", message: "\(path): this is not an SQLite database; choose another file")
    }
  }

  private func set(_ settings: [String]) throws(DatabaseError) {
    for setting in settings { _ = try pragma(setting) }
  }

  private func setting<T>(_ text: String, as read: (Row) throws(DatabaseError) -> T) throws(DatabaseError) -> T {
    guard let row = try pragma(text).first else { throw .column(text) }
    return try read(row)
  }

  private func pragma(_ text: String) throws(DatabaseError) -> [Row] {
    try rows(Statement(stringLiteral: "PRAGMA " + text))
  }
}
