/// Writes JSON straight into bytes.
///
/// Commas and quotes are its business; that a name comes only once is the caller's.
/// ```
/// let body = JSONWriter.object { $0.member("access_token", token); $0.member("expires_in", 300) }
/// ```
public struct JSONWriter: Sendable {
  /// How the text is laid out.
  public enum Layout: Sendable {
    /// No white space at all, for the wire.
    case compact
    /// A line per member, two spaces per level, for people.
    case pretty
  }

  /// What was written so far.
  public private(set) var bytes: [UInt8] = []
  private let layout: Layout
  private var depth = 0
  private var isFirst = true
  private var followsName = false

  /// Starts with nothing written.
  ///
  /// - Parameters:
  ///   - layout: For the wire or for people.
  ///   - capacity: Bytes to reserve at once.
  public init(layout: Layout = .compact, capacity: Int = 256) {
    self.layout = layout
    bytes.reserveCapacity(capacity)
  }

  /// The bytes of one object whose members `body` writes.
  public static func object(
    layout: Layout = .compact, _ body: (inout JSONWriter) throws -> Void
  ) rethrows -> [UInt8] {
    var writer = JSONWriter(layout: layout)
    try writer.object(body)
    return writer.bytes
  }

  // MARK: Containers

  /// Writes an object as the next value; `body` writes its members.
  public mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes an array as the next value; `body` writes its elements.
  public mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try container(UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  private mutating func container(
    _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    startValue()
    bytes.append(open)
    depth += 1
    isFirst = true
    try body(&self)
    depth -= 1
    if !isFirst { breakLine() }
    bytes.append(close)
    isFirst = false
  }

  // MARK: Values

  public mutating func null() { raw("null") }

  public mutating func value(_ value: Bool) { raw(value ? "true" : "false") }

  public mutating func value(_ value: Int) { self.value(Int64(value)) }

  public mutating func value(_ value: Int64) {
    startValue()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var (rest, start) = (value.magnitude, digits.count)
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    for position in start..<digits.count { bytes.append(digits[position]) }
  }

  /// Writes a number; infinity and NaN, which JSON does not have, become `null`.
  public mutating func value(_ value: Double) {
    guard value.isFinite else { return null() }
    startValue()
    bytes.append(contentsOf: value.description.utf8)
  }

  public mutating func value(_ value: String) {
    startValue()
    quote(value)
  }

  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): self.value(value)
    case .string(let value): self.value(value)
    case .array(let values): array { for value in values { $0.value(value) } }
    case .object(let members): object { for member in members { $0.member(member.name, member.value) } }
    }
  }

  /// Writes bytes that already are one JSON value.
  public mutating func value(encoded: [UInt8]) {
    startValue()
    bytes.append(contentsOf: encoded)
  }

  private mutating func raw(_ word: StaticString) {
    startValue()
    bytes.append(contentsOf: word.description.utf8)
  }
}

// MARK: - Members

extension JSONWriter {
  /// Writes a name; exactly one value must follow.
  public mutating func name(_ name: String) {
    startValue()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
    followsName = true
  }

  public mutating func member(_ name: String, _ value: String) {
    self.name(name)
    self.value(value)
  }

  public mutating func member(_ name: String, _ value: Int) {
    self.name(name)
    self.value(value)
  }

  public mutating func member(_ name: String, _ value: Int64) {
    self.name(name)
    self.value(value)
  }

  public mutating func member(_ name: String, _ value: Double) {
    self.name(name)
    self.value(value)
  }

  public mutating func member(_ name: String, _ value: Bool) {
    self.name(name)
    self.value(value)
  }

  public mutating func member(_ name: String, _ value: JSONValue) {
    self.name(name)
    self.value(value)
  }

  public mutating func member(_ name: String, _ values: [String]) {
    self.name(name)
    array { for value in values { $0.value(value) } }
  }

  /// Writes the member unless there is no value.
  public mutating func member(_ name: String, ifPresent value: String?) {
    if let value { member(name, value) }
  }

  /// Writes the member unless there is no value.
  public mutating func member(_ name: String, ifPresent value: Int64?) {
    if let value { member(name, value) }
  }

  /// Writes an object as the member's value.
  public mutating func object(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
    self.name(name)
    try object(body)
  }

  /// Writes an array as the member's value.
  public mutating func array(_ name: String, _ body: (inout JSONWriter) throws -> Void) rethrows {
    self.name(name)
    try array(body)
  }
}

// MARK: - Punctuation

extension JSONWriter {
  /// Writes what must stand before the next value.
  private mutating func startValue() {
    if followsName {
      followsName = false
      return
    }
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    if depth > 0 { breakLine() }
    isFirst = false
  }

  private mutating func breakLine() {
    guard layout == .pretty else { return }
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: 2 * depth))
  }

  /// Writes a string with the escapes RFC 8259 §7 demands and no others.
  private mutating func quote(_ text: String) {
    if text.utf8.count <= Self.shortCount, quoteShort(text.utf8.span) { return }
    bytes.append(UInt8(ascii: "\""))
    if isPlain(text) {
      bytes.append(contentsOf: text.utf8)
    } else {
      for byte in text.utf8 { append(escaping: byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Most names and values have fewer bytes, and then looking at each while it is copied costs less than a call.
  private static let shortCount = 40

  /// Writes a string in one go; writes nothing and returns `false` when something needs an escape.
  private mutating func quoteShort(_ text: Span<UInt8>) -> Bool {
    var escaped: UInt8 = 0
    bytes.append(addingCapacity: text.count &+ 2) { output in
      output.append(UInt8(ascii: "\""))
      for index in text.indices {
        let byte = text[index]
        escaped |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
        output.append(byte)
      }
      output.append(UInt8(ascii: "\""))
    }
    if escaped != 0 { bytes.removeLast(text.count &+ 2) }
    return escaped == 0
  }

  /// Whether nothing needs an escape.
  ///
  /// Without a way out of the loop, many bytes are compared at once.
  private func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8.span
    let count = bytes.count
    var (index, escaped) = (0, UInt8(0))
    while index < count {
      let byte = bytes[index]
      escaped |= byte < 0x20 ? 1 : 0
      escaped |= byte == UInt8(ascii: "\"") ? 1 : 0
      escaped |= byte == UInt8(ascii: "\\") ? 1 : 0
      index &+= 1
    }
    return escaped == 0
  }

  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
    case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
    case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
    case 0..<0x20: bytes.append(contentsOf: "\(byte < 0x10 ? #"\u000"# : #"\u00"#)\(String(byte, radix: 16))".utf8)
    default: bytes.append(byte)
    }
  }
}

extension JSONValue {
  /// The value as JSON text in UTF-8.
  public func encoded(layout: JSONWriter.Layout = .compact) -> [UInt8] {
    var writer = JSONWriter(layout: layout)
    writer.value(self)
    return writer.bytes
  }
}
