import GroupCommit
import SQL

extension SQLiteDatabase {
  /// Copies the write-ahead log into the file and empties it, so that deleted values remain in neither.
  ///
  /// Deleted content is overwritten at once (`secure_delete`), but the log holds the pages as they were before. Several
  /// waiting calls share one checkpoint.
  public func shredCheckpoint() async throws {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try queue.appendCheckpoint(continuation)
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Refuses new writes, finishes the queued ones, empties the log and closes the file; once is enough.
  ///
  /// - Throws: ``DatabaseError`` when the log could not be emptied; the writes are durable all the same, and the
  ///   database is closed.
  public func close() async throws {
    try await withCheckedThrowingContinuation { continuation in
      if !queue.close(continuation) {
        continuation.resume(throwing: DatabaseError.failed(code: "closed", message: "the database is closed already"))
      }
    }
  }

  /// What `integrity_check`, or else `foreign_key_check`, finds wrong; empty when the file is sound.
  ///
  /// Reads the whole file, on a thread of its own.
  public func integrityCheck() async throws -> [String] {
    try await onOwnThread { reader in
      do {
        return try reader.findings()
      } catch DatabaseError.failed(let code, let message) where DatabaseError.isCorruption(code) {
        // Damage of some kinds stops the check itself.
        return [message]
      }
    }
  }

  /// Writes a copy of the database as of now into a new file at `path` (mode 0600), while reads and writes go on.
  ///
  /// - Throws: ``DatabaseError``, also when the file exists already; no file is left behind then.
  public func backup(to path: String) async throws {
    let (mark, options) = (FailureMark(), options)
    try await onOwnThread { reader in
      try DatabaseFile.create(file: path)
      do {
        let target = try SQLiteHandle(path: path, readOnly: false, mark: mark, options: options)
        try reader.copy(to: target)
      } catch {
        DatabaseFile.remove(file: path)
        throw error
      }
    }
  }

  private func onOwnThread<T: Sendable>(_ work: @escaping @Sendable (SQLiteHandle) throws -> T) async throws -> T {
    let (file, mark, options) = (file, mark, options)
    return try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try startThread {
          continuation.resume(
            with: Result { try work(SQLiteHandle.reader(of: file, mark: mark, options: options)) })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

extension SQLiteHandle {
  fileprivate func findings() throws(DatabaseError) -> [String] {
    var findings: [String] = []
    for row in try rows("PRAGMA integrity_check") { findings.append(try row.text("integrity_check")) }
    guard findings == ["ok"] else { return findings }
    findings = []
    for row in try rows("PRAGMA foreign_key_check") {
      let (table, parent) = (try row.text("table"), try row.text("parent"))
      findings.append("row \(try row.optionalInteger("rowid") ?? 0) of \(table) refers to a missing row of \(parent)")
    }
    return findings
  }
}
