import CPostgreSQL
import SQL

/// Owner of one `PGresult *`, cleared when it is released.
@safe final class QueryResult {
  private let raw: OpaquePointer

  init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe PQclear(raw) }

  private var status: ExecStatusType { unsafe PQresultStatus(raw) }

  /// Whether the server did what it was asked.
  var isSuccess: Bool { status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK }

  /// Whether the server never looked at it, because an earlier one of the same pipeline had failed.
  var wasSkipped: Bool { status == PGRES_PIPELINE_ABORTED }

  var endsPipeline: Bool { status == PGRES_PIPELINE_SYNC }

  /// What was done, for example `COMMIT` or `INSERT 0 1`.
  var tag: String { unsafe String(cString: PQcmdStatus(raw)) }

  /// How many rows an INSERT, UPDATE or DELETE changed; 0 for anything else.
  var changedCount: Int {
    guard ["INSERT", "UPDATE", "DELETE"].contains(where: tag.hasPrefix) else { return 0 }
    return unsafe Int(String(cString: PQcmdTuples(raw))) ?? 0
  }

  /// Why it failed.
  var serverError: ServerError {
    ServerError(
      code: field(CPOSTGRESQL_SQLSTATE) ?? "", message: field(CPOSTGRESQL_MESSAGE) ?? "",
      places: [CPOSTGRESQL_TABLE, CPOSTGRESQL_COLUMN, CPOSTGRESQL_CONSTRAINT].compactMap { field($0) })
  }

  var columns: Row.Columns {
    Row.Columns(unsafe (0..<PQnfields(raw)).map { unsafe String(cString: PQfname(raw, $0)) })
  }

  /// Every row; `columns` are those of this result or of an earlier one of the same statement.
  func rows(named columns: Row.Columns) throws(DatabaseError) -> [Row] {
    let types = unsafe (0..<PQnfields(raw)).map { unsafe PQftype(raw, $0) }
    var rows: [Row] = []
    let count = unsafe PQntuples(raw)
    for row in 0..<count {
      var values: [Value] = []
      values.reserveCapacity(types.count)
      for (column, type) in types.enumerated() { values.append(try value(row, Int32(column), of: type)) }
      rows.append(Row(columns: columns, values: values))
    }
    return rows
  }

  private func value(_ row: Int32, _ column: Int32, of type: Oid) throws(DatabaseError) -> Value {
    if unsafe PQgetisnull(raw, row, column) == 1 { return .null }
    let count = unsafe Int(PQgetlength(raw, row, column))
    let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(raw, row, column), count: count)
    switch type {
    case _ where ServerType.integers.contains(type): return .integer(Self.integer(unsafe Array(bytes)))
    case ServerType.bytes: return .bytes(unsafe Array(bytes))
    case _ where ServerType.texts.contains(type): return .text(unsafe String(decoding: bytes, as: UTF8.self))
    default: throw .column(unsafe String(cString: PQfname(raw, column)))
    }
  }

  /// An integer of one to eight bytes in network order; one byte is a truth value.
  private static func integer(_ bytes: [UInt8]) -> Int64 {
    var number: Int64 = bytes.count > 1 && (bytes.first ?? 0) > 0x7f ? -1 : 0
    for byte in bytes { number = number << 8 | Int64(byte) }
    return number
  }

  private func field(_ code: Int) -> String? {
    unsafe PQresultErrorField(raw, Int32(code)).map { unsafe String(cString: $0) }
  }
}
