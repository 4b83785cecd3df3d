/// A JSON value (RFC 8259) whose objects keep the order of their members.
///
/// Names and strings compare byte for byte when a member is looked up, never by Unicode equivalence.
public enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number written without fraction and exponent that fits 64 bits.
  case integer(Int64)
  /// Any other number; always finite when it was parsed.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One name with its value.
  public struct Member: Sendable, Equatable {
    public let name: String
    public let value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value of the member called `name`.
  ///
  /// `nil` when there is no such member or this is not an object.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    // Most names differ in length, which is quicker to see than what they say.
    let length = name.utf8.count
    return members.first { $0.name.utf8.count == length && $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}

// MARK: - Typed access, nil for another type

extension JSONValue {
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The whole number, also when it was written like `1.0` or `1e3`.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// Any number as a double; whole numbers beyond 2⁵³ lose precision.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  public var string: String? { if case .string(let value) = self { value } else { nil } }

  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  public var object: [Member]? { if case .object(let value) = self { value } else { nil } }

  /// The elements of an array of strings; `nil` when one of them is something else.
  public var strings: [String]? {
    guard case .array(let values) = self else { return nil }
    let strings = values.compactMap(\.string)
    return strings.count == values.count ? strings : nil
  }

  public var isNull: Bool { self == .null }
}

// MARK: - Typed access by name

extension JSONValue {
  public func bool(_ name: String) -> Bool? { self[name]?.bool }

  public func integer(_ name: String) -> Int64? { self[name]?.integer }

  public func number(_ name: String) -> Double? { self[name]?.number }

  public func string(_ name: String) -> String? { self[name]?.string }

  public func array(_ name: String) -> [JSONValue]? { self[name]?.array }

  public func object(_ name: String) -> [Member]? { self[name]?.object }

  public func strings(_ name: String) -> [String]? { self[name]?.strings }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }

  public init(booleanLiteral value: Bool) { self = .bool(value) }

  public init(integerLiteral value: Int64) { self = .integer(value) }

  public init(floatLiteral value: Double) { self = .number(value) }

  public init(stringLiteral value: String) { self = .string(value) }

  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
