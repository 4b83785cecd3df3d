extension JSONValue {
  /// Parses one JSON text, strictly as RFC 8259 writes it.
  ///
  /// UTF-8 without byte order mark; nothing but white space around the value; names are unique within
  /// their object (RFC 8259 §4 leaves that open, signatures over ambiguous objects do not).
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - limits: What it may cost.
  /// - Throws: ``JSONFailure`` with the offset of the first fault.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFailure) {
    var reader = JSONReader(bytes: bytes, depthLimit: limits.depth)
    guard bytes.count <= limits.size else { throw reader.failure(.tooLong, at: limits.size) }
    self = try reader.document()
  }

  /// Parses one JSON text given as a string.
  ///
  /// - Throws: ``JSONFailure`` with the offset of the first fault in UTF-8 bytes.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONFailure) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

/// A recursive descent over the bytes of one document.
struct JSONReader {
  let bytes: [UInt8]
  let depthLimit: Int
  var at = 0
  private var depth = 0

  init(bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  /// The byte at the cursor; NUL at the end, which is nowhere allowed outside a string.
  var current: UInt8 { at < bytes.count ? bytes[at] : 0 }

  func failure(_ reason: JSONFailure.Reason, at offset: Int? = nil) -> JSONFailure {
    JSONFailure(reason: reason, offset: offset ?? at)
  }

  /// The fault of a byte that is not there or not allowed there.
  func unexpected() -> JSONFailure { failure(at < bytes.count ? .unexpectedByte : .unexpectedEnd) }

  mutating func document() throws(JSONFailure) -> JSONValue {
    skipSpace()
    let value = try value()
    skipSpace()
    guard at == bytes.count else { throw failure(.trailingBytes) }
    return value
  }

  private mutating func skipSpace() {
    while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { at += 1 }
  }

  private mutating func value() throws(JSONFailure) -> JSONValue {
    switch current {
    case UInt8(ascii: "{"): try object()
    case UInt8(ascii: "["): try array()
    case UInt8(ascii: "\""): .string(try string())
    case UInt8(ascii: "t"): try word("true", .bool(true))
    case UInt8(ascii: "f"): try word("false", .bool(false))
    case UInt8(ascii: "n"): try word("null", .null)
    default: try number()
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONFailure) -> JSONValue {
    for byte in text.description.utf8 {
      guard current == byte else { throw unexpected() }
      at += 1
    }
    return value
  }

  private mutating func array() throws(JSONFailure) -> JSONValue {
    try enter()
    var values: [JSONValue] = []
    guard !take(UInt8(ascii: "]")) else { return leave(.array(values)) }
    repeat {
      skipSpace()
      values.append(try value())
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw unexpected() }
    return leave(.array(values))
  }

  private mutating func object() throws(JSONFailure) -> JSONValue {
    try enter()
    var members = MemberList()
    guard !take(UInt8(ascii: "}")) else { return leave(.object([])) }
    repeat {
      skipSpace()
      let start = at
      guard current == UInt8(ascii: "\"") else { throw unexpected() }
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw unexpected() }
      skipSpace()
      guard members.append(name, try value()) else { throw failure(.duplicateName, at: start) }
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw unexpected() }
    return leave(.object(members.members))
  }

  private mutating func enter() throws(JSONFailure) {
    guard depth < depthLimit else { throw failure(.tooDeep) }
    depth += 1
    at += 1
    skipSpace()
  }

  private mutating func leave(_ value: JSONValue) -> JSONValue {
    depth -= 1
    return value
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }
}

/// Members of an object under construction; notices a name that comes twice in time linear in their number.
private struct MemberList {
  private(set) var members: [JSONValue.Member] = []
  private var names: Set<ExactName> = []

  /// Objects up to this size compare names one by one, which is faster than hashing them.
  private static let smallSize = 8

  mutating func append(_ name: String, _ value: JSONValue) -> Bool {
    if members.count < Self.smallSize {
      guard !members.contains(where: { ExactName(text: $0.name) == ExactName(text: name) }) else { return false }
    } else {
      if members.count == Self.smallSize { names = Set(members.map { ExactName(text: $0.name) }) }
      guard names.insert(ExactName(text: name)).inserted else { return false }
    }
    members.append(JSONValue.Member(name, value))
    return true
  }
}

/// A name that compares by its bytes; `String` would take canonically equivalent names for equal.
private struct ExactName: Hashable {
  let text: String

  static func == (one: ExactName, other: ExactName) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

  func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}
