import UnicodeText

/// A value of CBOR (RFC 8949), as far as WebAuthn uses it in the CTAP2 canonical form.
enum CBOR: Equatable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  /// In the order in which they stand; no key stands twice.
  case map([(key: CBOR, value: CBOR)])
  case bool(Bool)
  case null

  static func == (one: CBOR, other: CBOR) -> Bool {
    switch (one, other) {
    case (.integer(let one), .integer(let other)): one == other
    case (.bytes(let one), .bytes(let other)): one == other
    case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.map(let one), .map(let other)): one.elementsEqual(other) { $0.key == $1.key && $0.value == $1.value }
    case (.bool(let one), .bool(let other)): one == other
    case (.null, .null): true
    default: false
    }
  }

  /// The value of an integer key of a map.
  subscript(key: Int64) -> CBOR? { member(.integer(key)) }

  /// The value of a text key of a map.
  subscript(key: String) -> CBOR? { member(.text(key)) }

  private func member(_ key: CBOR) -> CBOR? {
    if case .map(let members) = self { members.first { $0.key == key }?.value } else { nil }
  }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
}

/// Reads CBOR of definite lengths; never further than its bytes go, nor deeper than it says.
struct CBORReader {
  /// As deep as an attestation of any kind goes.
  static let depth = 6
  /// More members than any map of WebAuthn has; each is compared with those before it.
  private static let mostMembers = 32

  private let bytes: [UInt8]
  private(set) var offset: Int

  /// Begins at `offset`, which must not be behind the end.
  init(_ bytes: [UInt8], at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func value(depth: Int = CBORReader.depth) throws(WebAuthnFailure) -> CBOR {
    guard depth > 0 else { throw .malformed("CBOR is nested too deeply.") }
    let initial = try byte()
    let (major, argument) = (initial >> 5, initial & 31)
    switch major {
    case 0: return .integer(try number(argument))
    case 1: return .integer(-1 - (try number(argument)))
    case 2: return .bytes(try take(try count(argument)))
    case 3:
      guard let text = String(streamSafe: try take(try count(argument))) else {
        throw .malformed("A text in CBOR is no UTF-8.")
      }
      return .text(text)
    case 4: return .array(try array(try count(argument), depth))
    case 5: return .map(try map(try count(argument), depth))
    case 7 where argument == 20 || argument == 21: return .bool(argument == 21)
    case 7 where argument == 22: return .null
    default: throw .malformed("CBOR holds something that WebAuthn does not use.")
    }
  }

  private mutating func array(_ count: Int, _ depth: Int) throws(WebAuthnFailure) -> [CBOR] {
    var values: [CBOR] = []
    for _ in 0..<count { values.append(try value(depth: depth - 1)) }
    return values
  }

  private mutating func map(_ count: Int, _ depth: Int) throws(WebAuthnFailure) -> [(key: CBOR, value: CBOR)] {
    guard count <= Self.mostMembers else { throw .malformed("A map in CBOR has too many members.") }
    var members: [(key: CBOR, value: CBOR)] = []
    for _ in 0..<count {
      let key = try value(depth: 1)
      guard key.integer != nil || key.text != nil else { throw .malformed("A key of a map in CBOR is no name.") }
      guard !members.contains(where: { $0.key == key }) else { throw .malformed("A map in CBOR has a key twice.") }
      members.append((key, try value(depth: depth - 1)))
    }
    return members
  }

  /// A length; there is at least one byte for each of what it counts.
  private mutating func count(_ argument: UInt8) throws(WebAuthnFailure) -> Int {
    let number = try number(argument)
    guard number <= Int64(bytes.count - offset) else { throw .malformed("CBOR ends too early.") }
    return Int(number)
  }

  private mutating func number(_ argument: UInt8) throws(WebAuthnFailure) -> Int64 {
    let size: Int
    switch argument {
    case 0..<24: return Int64(argument)
    case 24: size = 1
    case 25: size = 2
    case 26: size = 4
    case 27: size = 8
    default: throw .malformed("A length in CBOR is indefinite or reserved.")
    }
    let value = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let number = Int64(exactly: value) else { throw .malformed("A number in CBOR is too large.") }
    return number
  }

  private mutating func byte() throws(WebAuthnFailure) -> UInt8 { try take(1)[0] }

  private mutating func take(_ count: Int) throws(WebAuthnFailure) -> [UInt8] {
    guard count <= bytes.count - offset else { throw .malformed("CBOR ends too early.") }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }
}
