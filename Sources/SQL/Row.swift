import Synchronization

/// One result row, read by column name.
///
/// Every reader throws ``DatabaseError/column(_:)`` when there is no such column or its type differs.
public struct Row: Sendable {
  private let columns: Columns
  /// What the columns hold, in their order.
  public let values: [Value]

  /// The column names of one statement, shared by its rows.
  public final class Columns: Sendable {
    private let names: [String]
    /// Where the next column to be asked for is likely to stand: rows are read in the order of their statement.
    private let next = Atomic<Int>(0)

    public init(_ names: [String]) { self.names = names }

    func index(of name: String) -> Int? {
      let guess = next.load(ordering: .relaxed)
      guard let index = guess < names.count && names[guess] == name ? guess : names.firstIndex(of: name) else {
        return nil
      }
      next.store(index + 1, ordering: .relaxed)
      return index
    }
  }

  public init(columns: Columns, values: [Value]) {
    self.columns = columns
    self.values = values
  }

  /// Reads an integer that must be there.
  public func integer(_ name: String) throws(DatabaseError) -> Int64 {
    guard case .integer(let number) = try value(name) else { throw DatabaseError.column(name) }
    return number
  }

  /// Reads a truth value that must be there, bound as 0 or 1.
  public func boolean(_ name: String) throws(DatabaseError) -> Bool {
    switch try integer(name) {
    case 0: false
    case 1: true
    default: throw .column(name)
    }
  }

  /// Reads a text that must be there.
  public func text(_ name: String) throws(DatabaseError) -> String {
    guard case .text(let text) = try value(name) else { throw DatabaseError.column(name) }
    return text
  }

  /// Reads bytes that must be there.
  public func bytes(_ name: String) throws(DatabaseError) -> [UInt8] {
    guard case .bytes(let bytes) = try value(name) else { throw DatabaseError.column(name) }
    return bytes
  }

  /// Reads an integer, or `nil` for NULL.
  public func optionalInteger(_ name: String) throws(DatabaseError) -> Int64? {
    if case .null = try value(name) { return nil }
    return try integer(name)
  }

  /// Reads a text, or `nil` for NULL.
  public func optionalText(_ name: String) throws(DatabaseError) -> String? {
    if case .null = try value(name) { return nil }
    return try text(name)
  }

  /// Reads bytes, or `nil` for NULL.
  public func optionalBytes(_ name: String) throws(DatabaseError) -> [UInt8]? {
    if case .null = try value(name) { return nil }
    return try bytes(name)
  }

  private func value(_ name: String) throws(DatabaseError) -> Value {
    guard let index = columns.index(of: name) else { throw DatabaseError.column(name) }
    return values[index]
  }
}
