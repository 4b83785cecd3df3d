import CSQLite
import SQL

/// Owner of one `sqlite3 *`: one connection with its prepared statements.
///
/// `@unchecked Sendable`: it has no lock, and is used by one thread at a time. The writer's handle is used by the
/// writer thread alone, a reader's only by whoever took it out of the pool, and the pool's lock orders the hand-over.
@safe final class SQLiteHandle: Session, @unchecked Sendable {
  private var raw: OpaquePointer?
  private let mark: FailureMark
  private var cache: StatementCache
  private var controls: [TransactionControl: PreparedStatement] = [:]
  private var isInTransaction = false
  private var loss: DatabaseError?

  /// Opens `path`, which must exist.
  ///
  /// - Throws: ``DatabaseError/failed(code:message:)`` or ``DatabaseError/busy``.
  init(path: String, readOnly: Bool, mark: FailureMark, options: SQLiteDatabase.Options) throws(DatabaseError) {
    _ = Self.isConfigured
    self.mark = mark
    cache = StatementCache(capacity: options.cachedStatements)
    let mode = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
    let code = unsafe sqlite3_open_v2(path, &raw, flags, nil)
    guard code == SQLITE_OK else {
      let error = failure(code)
      close()
      throw error
    }
    unsafe sqlite3_busy_timeout(raw, options.busyTimeout)
    for (option, isOn) in Self.safetySwitches { unsafe _ = csqlite_configure(raw, option, isOn) }
    for control in TransactionControl.allCases { controls[control] = try compile(control.rawValue) }
  }

  deinit { close() }

  /// The statistics of memory, which nobody reads, would take one lock of the whole process at each allocation.
  private static let isConfigured = csqlite_forgo_memory_statistics() == SQLITE_OK

  /// No writing to SQLite's own tables, no functions hidden in a schema, and no double-quoted text literals, which
  /// would turn a misspelt column into a constant.
  private static let safetySwitches: [(Int32, Int32)] = [
    (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
    (SQLITE_DBCONFIG_DQS_DDL, 0),
  ]

  var cachedStatementCount: Int { cache.count }

  func rows(_ statement: Statement) throws(DatabaseError) -> [Row] {
    var rows: [Row] = []
    try execute(statement) { prepared throws(DatabaseError) in rows.append(try prepared.row()) }
    return rows
  }

  @discardableResult
  func run(_ statement: Statement) throws(DatabaseError) -> Int {
    let before = unsafe sqlite3_total_changes64(raw)
    try execute(statement) { _ in }
    // The count of a statement that changes no row is that of an earlier one.
    return unsafe sqlite3_total_changes64(raw) == before ? 0 : Int(sqlite3_changes64(raw))
  }

  /// Copies the log into the main file and empties it; throws `busy` while a reader holds an old snapshot.
  func truncateLog() throws(DatabaseError) {
    try check(unsafe sqlite3_wal_checkpoint_v2(raw, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  /// Closes the connection, which nothing may use afterwards.
  func close() {
    cache.removeAll()
    controls = [:]
    unsafe sqlite3_close_v2(raw)
    unsafe raw = nil
  }

  /// Copies the whole database, as it is at this moment, into `target`.
  func copy(to target: SQLiteHandle) throws(DatabaseError) {
    guard let backup = unsafe sqlite3_backup_init(target.raw, "main", raw, "main") else {
      throw target.failure(unsafe sqlite3_extended_errcode(target.raw))
    }
    let code = unsafe sqlite3_backup_step(backup, -1)
    let end = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else { throw target.failure(end == SQLITE_OK ? code : end) }
  }

  private func execute(
    _ statement: Statement, each: (PreparedStatement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    if let loss = lossOfTransaction { throw loss }
    let prepared = try prepare(statement.text)
    guard prepared.bindCount == statement.binds.count else {
      let message = "\(prepared.bindCount) placeholders, but \(statement.binds.count) values, in: \(statement.text)"
      throw .failed(code: "binds", message: message)
    }
    try finish(prepared, binding: statement.binds, each: each)
  }

  private func finish(
    _ prepared: PreparedStatement, binding values: [Value] = [],
    each: (PreparedStatement) throws(DatabaseError) -> Void = { _ in }
  ) throws(DatabaseError) {
    defer { prepared.reset() }
    try check(prepared.bind(values))
    while true {
      switch prepared.step() {
      case SQLITE_ROW: try each(prepared)
      case SQLITE_DONE: return
      case let code: throw failure(code)
      }
    }
  }

  private func control(_ control: TransactionControl) throws(DatabaseError) {
    guard let prepared = controls[control] else { throw failure(SQLITE_MISUSE) }
    try finish(prepared)
  }

  private func prepare(_ text: String) throws(DatabaseError) -> PreparedStatement {
    if let known = cache.find(text) { return known }
    guard !TransactionControl.isReserved(text) else {
      throw .failed(code: "transaction", message: "a body may not begin or end a transaction: \(text)")
    }
    let prepared = try compile(text)
    cache.insert(prepared)
    return prepared
  }

  private func compile(_ text: String) throws(DatabaseError) -> PreparedStatement {
    var compiled: OpaquePointer?
    var hasMore = false
    var code = SQLITE_OK
    unsafe text.withCString { start in
      var tail: UnsafePointer<CChar>?
      unsafe code = sqlite3_prepare_v3(raw, start, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, &tail)
      let rest = unsafe tail.map { unsafe String(cString: $0) } ?? ""
      hasMore = rest.utf8.contains { ![UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: ";")].contains($0) }
    }
    try check(code)
    guard let compiled = unsafe compiled, !hasMore else {
      unsafe sqlite3_finalize(compiled)
      throw .failed(code: "statements", message: "not exactly one statement: \(text)")
    }
    return unsafe PreparedStatement(owning: compiled, text: text)
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Turns a result code into an error, and notes what it means for the transaction and for the file.
  private func failure(_ code: Int32) -> DatabaseError {
    let error = DatabaseError(code: code, message: unsafe String(cString: sqlite3_errmsg(raw)))
    if isInTransaction, loss == nil, unsafe sqlite3_get_autocommit(raw) != 0 { loss = error }
    if DatabaseError.leavesFileUnknown(code) { mark.set(error) }
    if error == .full { mark.noteRoom(false) }
    return error
  }
}

extension SQLiteHandle {
  enum Begin { case deferred, immediate }

  /// Why the transaction that was begun is no longer open, if so.
  var lossOfTransaction: DatabaseError? {
    guard isInTransaction, unsafe sqlite3_get_autocommit(raw) != 0 else { return nil }
    return loss ?? .failed(code: "transaction", message: "a body ended the transaction it ran in")
  }

  /// Throws unless the transaction is still open and the file still sound.
  func checkTransaction() throws(DatabaseError) {
    if let loss = lossOfTransaction { throw loss }
    try mark.check()
  }

  /// Begins a transaction; an immediate one is refused once the file's state is unknown.
  func begin(_ kind: Begin) throws(DatabaseError) {
    if kind == .immediate { try mark.check() }
    try control(kind == .immediate ? .beginImmediate : .begin)
    isInTransaction = true
    loss = nil
  }

  func commit() throws(DatabaseError) {
    try control(.commit)
    isInTransaction = false
  }

  func commitWrites() throws(DatabaseError) {
    try commit()
    mark.noteRoom(true)
  }

  /// Undoes the transaction, whatever is left of it.
  func rollback() {
    isInTransaction = false
    if unsafe sqlite3_get_autocommit(raw) == 0 { try? control(.rollback) }
  }

  func setSavepoint() throws(DatabaseError) { try control(.setSavepoint) }

  func releaseSavepoint() throws(DatabaseError) { try control(.releaseSavepoint) }

  func rollbackToSavepoint() throws(DatabaseError) {
    try control(.rollbackToSavepoint)
    try control(.releaseSavepoint)
  }
}
