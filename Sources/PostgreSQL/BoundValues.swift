import CPostgreSQL
import SQL

/// What PostgreSQL calls the types that both databases share (`pg_type.oid`).
enum ServerType {
  static let bytes: Oid = 17
  static let integer: Oid = 20
  /// `bigint`, `integer`, `smallint`, and `boolean`, which is 1 or 0.
  static let integers: [Oid] = [integer, 23, 21, 16]
  static let text: Oid = 25
  /// `text`, `varchar`, `char(n)`, `name`, and a literal that nothing gave a type to.
  static let texts: [Oid] = [text, 1043, 1042, 19, 705]
}

extension Value {
  /// The type that a placeholder gets with this value; the server finds out itself where there is none.
  var serverType: Oid {
    switch self {
    case .null: 0
    case .integer: ServerType.integer
    case .text: ServerType.text
    case .bytes: ServerType.bytes
    }
  }
}

/// The values of one statement, as they go over the wire: binary, integers in network order.
struct BoundValues {
  /// All values in a row.
  private(set) var bytes: [UInt8] = []
  /// Where each one begins in ``bytes``; `nil` is NULL.
  private(set) var starts: [Int?] = []
  private(set) var lengths: [Int32] = []

  init(_ values: [Value]) {
    starts.reserveCapacity(values.count)
    lengths.reserveCapacity(values.count)
    for value in values { append(value) }
    // So that even an empty value has a place that a pointer can lead to.
    bytes.append(0)
  }

  private mutating func append(_ value: Value) {
    let start = bytes.count
    switch value {
    case .null:
      starts.append(nil)
      lengths.append(0)
      return
    case .integer(let number):
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    case .text(let text): bytes.append(contentsOf: text.utf8)
    case .bytes(let value): bytes.append(contentsOf: value)
    }
    starts.append(start)
    lengths.append(Int32(clamping: bytes.count - start))
  }
}
