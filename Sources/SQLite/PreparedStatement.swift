import CSQLite
import SQL

/// Owner of one prepared statement, finalized when it is released.
@safe final class PreparedStatement {
  let text: String
  /// A tick of the cache that keeps this statement.
  var lastUse: UInt64 = 0
  private let raw: OpaquePointer
  private var columns = Row.Columns([])
  private var columnCount: Int32 = 0
  private var knownPreparations: Int32 = -1

  init(owning raw: OpaquePointer, text: String) {
    unsafe self.raw = raw
    self.text = text
  }

  deinit { unsafe sqlite3_finalize(raw) }

  var bindCount: Int { unsafe Int(sqlite3_bind_parameter_count(raw)) }

  func step() -> Int32 { unsafe sqlite3_step(raw) }

  /// Ends the run and forgets the bound values, which may be secrets.
  func reset() {
    unsafe sqlite3_reset(raw)
    unsafe sqlite3_clear_bindings(raw)
  }

  /// Binds `values` in order and returns the first code that is not `SQLITE_OK`.
  func bind(_ values: [Value]) -> Int32 {
    var index: Int32 = 0
    for value in values {
      index += 1
      let code = bind(value, at: index)
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  /// The row that the last step yielded.
  func row() throws(DatabaseError) -> Row {
    refreshColumns()
    var values: [Value] = []
    values.reserveCapacity(Int(columnCount))
    for index in 0..<columnCount { values.append(try value(at: index)) }
    return Row(columns: columns, values: values)
  }

  /// Reads the column names again if SQLite prepared the statement anew, as it does after a change of the schema.
  private func refreshColumns() {
    let preparations = unsafe sqlite3_stmt_status(raw, SQLITE_STMTSTATUS_REPREPARE, 0)
    guard preparations != knownPreparations else { return }
    knownPreparations = preparations
    columnCount = unsafe sqlite3_column_count(raw)
    columns = Row.Columns((0..<columnCount).map { unsafe String(cString: sqlite3_column_name(raw, $0)) })
  }

  /// A length beyond what C counts is bound as too long, which SQLite refuses.
  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null: unsafe sqlite3_bind_null(raw, index)
    case .integer(let number): unsafe sqlite3_bind_int64(raw, index, number)
    case .text(let text):
      // Not the string itself, of which a C string would be made first.
      unsafe text.utf8.span.withUnsafeBufferPointer { bytes in
        unsafe csqlite_bind_text(raw, index, bytes.baseAddress, Int32(clamping: bytes.count))
      }
    case .bytes(let bytes): unsafe csqlite_bind_blob(raw, index, bytes, Int32(clamping: bytes.count))
    }
  }

  private func value(at index: Int32) throws(DatabaseError) -> Value {
    switch unsafe sqlite3_column_type(raw, index) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(raw, index))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_column_text(raw, index)
      let count = unsafe Int(sqlite3_column_bytes(raw, index))
      return .text(unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(raw, index)
      let count = unsafe Int(sqlite3_column_bytes(raw, index))
      return .bytes(unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
    case SQLITE_NULL: return .null
    default: throw .column(unsafe String(cString: sqlite3_column_name(raw, index)))
    }
  }
}
