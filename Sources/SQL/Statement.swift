/// One SQL statement with its bound values.
///
/// Write it as a string literal; every interpolation becomes a numbered bind (`$1`, `$2`, …), never text.
/// Both drivers accept that placeholder form, so a statement is written once.
public struct Statement: Sendable, ExpressibleByStringInterpolation {
  public private(set) var text: String
  public private(set) var binds: [Value]

  public init(stringLiteral text: String) {
    self.text = text
    self.binds = []
  }

  /// Creates a statement that names its placeholders itself: cheaper, for one that runs all the time.
  ///
  /// They must first appear in the order of their numbers, because SQLite counts them so.
  public init(text: FixedText, binding values: [Value]) {
    self.text = text.text
    binds = values
  }

  /// A text of the program's own, which is neither copied nor counted: two of them compare by their address.
  public struct FixedText: Sendable, ExpressibleByStringLiteral {
    let text: String

    public init(stringLiteral text: String) { self.text = text }
  }

  public init(stringInterpolation pieces: Interpolation) {
    self.text = pieces.text
    self.binds = pieces.binds
  }

  public struct Interpolation: StringInterpolationProtocol, Sendable {
    var text = ""
    var binds: [Value] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 3 * interpolationCount)
      binds.reserveCapacity(interpolationCount)
    }

    public mutating func appendLiteral(_ literal: String) { text += literal }

    public mutating func appendInterpolation(_ value: some Bindable) {
      bind(value.sqlValue)
    }

    public mutating func appendInterpolation(_ value: (some Bindable)?) {
      bind(value?.sqlValue ?? .null)
    }

    /// Literals for the first placeholders: making their text anew costs a third of a short statement's time.
    private mutating func bind(_ value: Value) {
      binds.append(value)
      switch binds.count {
      case 1: text += "$1"
      case 2: text += "$2"
      case 3: text += "$3"
      case 4: text += "$4"
      case 5: text += "$5"
      case 6: text += "$6"
      case 7: text += "$7"
      case 8: text += "$8"
      case 9: text += "$9"
      default: text += "$\(binds.count)"
      }
    }
  }
}

/// The four storage classes both databases share.
public enum Value: Sendable, Equatable {
  case null
  case integer(Int64)
  /// Without NUL, which PostgreSQL keeps in no text.
  case text(String)
  case bytes([UInt8])
}

/// A type that can be bound into a statement.
public protocol Bindable { var sqlValue: Value { get } }
extension Int: Bindable { public var sqlValue: Value { .integer(Int64(self)) } }
extension Int64: Bindable { public var sqlValue: Value { .integer(self) } }
extension Bool: Bindable { public var sqlValue: Value { .integer(self ? 1 : 0) } }
extension String: Bindable { public var sqlValue: Value { .text(self) } }
extension [UInt8]: Bindable { public var sqlValue: Value { .bytes(self) } }
