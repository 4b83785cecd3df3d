/// Words of ours that a page tells in its reader's language: in English as they stand in the code, with the values in
/// them.
///
/// ```swift
/// let words: Words = "\(connection.name) does not answer"
/// ```
///
/// A catalogue knows them as `%1 does not answer`: values have the numbers of their places in English, so that another
/// language may put them in another order.
public struct Words: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// Something that stands in words.
  indirect enum Value: Sendable, Equatable {
    /// What has no language: a name, a number, an address.
    case text(String)
    case words(Words)
  }

  /// The English words, with `%1`, `%2` … for the values.
  let key: String
  /// The English words for any number but one, and the number; `nil` when the words count nothing.
  let plural: (key: String, count: Int64)?
  let values: [Value]

  /// Words without values, such as those of a refusal.
  public init(_ text: String) { self.init(key: text, values: []) }

  public init(stringLiteral text: String) { self.init(text) }

  public init(stringInterpolation: Interpolation) {
    self.init(key: stringInterpolation.key, values: stringInterpolation.values)
  }

  private init(key: String, plural: (String, Int64)? = nil, values: [Value]) {
    self.key = key
    self.plural = plural
    self.values = values
  }

  /// `count` of something: `%1 day` and `%1 days` in English, by `day`.
  public static func counting(_ count: some BinaryInteger, _ singular: String) -> Words {
    let count = Int64(clamping: count)
    return Words(key: "%1 \(singular)", plural: ("%1 \(singular)s", count), values: [.text("\(count)")])
  }

  /// `a and b`; one name is told alone.
  public static func all(_ names: some Collection<String>) -> Words {
    joined(names) { "\($0) and \($1)" }
  }

  /// `a or b`; one name is told alone.
  public static func alternatives(_ names: some Collection<String>) -> Words {
    joined(names) { "\($0) or \($1)" }
  }

  private static func joined(_ names: some Collection<String>, _ join: (Words, Words) -> Words) -> Words {
    guard let first = names.first else { return "" }
    return names.dropFirst().reduce("\(first)") { join($0, "\($1)") }
  }

  /// One sentence or literal after another, as one message.
  public static func + (one: Words, other: Words) -> Words {
    var key = one.key
    var rest = other.key[...]
    while let mark = rest.firstIndex(of: "%") {
      key += rest[...mark]
      let digits = rest[rest.index(after: mark)...].prefix { $0.isASCII && $0.isNumber }
      if let number = Int(digits), other.values.indices.contains(number - 1) {
        key += "\(number + one.values.count)"
      } else {
        key += digits
      }
      rest = rest[digits.endIndex...]
    }
    return Words(key: key + rest, values: one.values + other.values)
  }

  /// The words in English.
  public var english: String { Catalogue.english.text(of: self) }

  public static func == (one: Words, other: Words) -> Bool {
    one.key == other.key && one.plural?.count == other.plural?.count && one.values == other.values
  }

  /// Collects the values of a literal.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var key = ""
    fileprivate var values: [Value] = []

    public init(literalCapacity: Int, interpolationCount: Int) { key.reserveCapacity(literalCapacity) }

    public mutating func appendLiteral(_ literal: String) { key += literal }

    public mutating func appendInterpolation(_ text: String) { add(.text(text)) }

    public mutating func appendInterpolation(_ number: some BinaryInteger) { add(.text("\(number)")) }

    public mutating func appendInterpolation(_ words: Words) { add(.words(words)) }

    private mutating func add(_ value: Value) {
      values.append(value)
      key += "%\(values.count)"
    }
  }
}
