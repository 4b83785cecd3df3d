/// The header fields of a message, in order; names compare without case (RFC 9110 §5).
public struct Headers: Sendable, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  /// The fields a message came with; they stand before those added here.
  private var received = ReceivedFields()
  private var added: [Field]
  /// Fields of many messages; they stand behind all others.
  private var shared: SharedFields?

  /// One field line.
  public struct Field: Sendable, Equatable {
    public let name: FieldName
    public let value: FieldValue

    /// A field line of `name` and `value`.
    public init(_ name: FieldName, _ value: FieldValue) {
      self.name = name
      self.value = value
    }
  }

  /// Headers made of `fields`, in this order.
  public init(_ fields: [Field] = []) { added = fields }

  init(_ received: ReceivedFields) {
    self.received = received
    added = []
  }

  public init(arrayLiteral elements: Field...) { added = elements }

  public init(dictionaryLiteral elements: (FieldName, FieldValue)...) {
    added = elements.map { Field($0.0, $0.1) }
  }

  /// Every field, in order.
  public var fields: [Field] { received.fields + added + (shared?.fields ?? []) }

  /// The fields that are to be encoded, and those that are already.
  var parts: (own: [Field], shared: SharedFields?) {
    (received.isEmpty ? added : received.fields + added, shared)
  }

  /// The value of the first field called `name`.
  public subscript(name: FieldName) -> String? {
    received.first(name) ?? (added.first { $0.name == name } ?? shared?.fields.first { $0.name == name })?.value.text
  }

  /// Whether there is a field with one of these names.
  public func contains(oneOf names: [FieldName]) -> Bool {
    received.contains(oneOf: names) || added.contains { names.contains($0.name) }
      || shared?.fields.contains { names.contains($0.name) } ?? false
  }

  /// Whether the first field called `name` has exactly this value.
  public func has(_ name: FieldName, _ value: String) -> Bool {
    received.first(name, is: value) ?? (self[name] == value)
  }

  /// Which of `names` stand here: bit n for the name at n.
  public func present(among names: [FieldName]) -> Int {
    var present = 0
    // Every answer comes by here, and has two fields of its own or three.
    for field in received.isEmpty && shared == nil ? added : fields {
      for position in names.indices where names[position] == field.name { present |= 1 << position }
    }
    return present
  }

  /// The values of every field called `name`, in order.
  public func values(of name: FieldName) -> [String] {
    received.all(name) + (added + (shared?.fields ?? [])).lazy.filter { $0.name == name }.map(\.value.text)
  }

  /// The value of the only field called `name`; `nil` when there is none or more than one.
  public func single(_ name: FieldName) -> String? {
    guard added.isEmpty && shared == nil else {
      let values = values(of: name)
      return values.count == 1 ? values[0] : nil
    }
    return received.single(name)
  }

  /// Replaces every field called `name` with one, at the end.
  public mutating func set(_ name: FieldName, _ value: FieldValue) {
    remove(name)
    added.append(Field(name, value))
  }

  /// Adds a field and keeps those already there (`Set-Cookie`, `WWW-Authenticate`).
  public mutating func add(_ name: FieldName, _ value: FieldValue) { added.append(Field(name, value)) }

  /// Adds fields that many messages carry, behind all others.
  public mutating func share(_ fields: SharedFields) {
    dissolve()
    shared = fields
  }

  /// The same fields, encoded once for all messages that carry them.
  public func encodedOnce() -> Headers {
    var headers = Headers()
    headers.share(SharedFields(fields))
    return headers
  }

  /// Removes every field called `name`.
  public mutating func remove(_ name: FieldName) {
    if shared?.contains(name) == true { dissolve() }
    received.remove(name)
    added.removeAll { $0.name == name }
  }

  /// Makes the shared fields ones of this message alone.
  private mutating func dissolve() {
    added += shared?.fields ?? []
    shared = nil
  }
}

/// A field name in lower case; an invalid one cannot exist.
public struct FieldName: Sendable, Hashable, ExpressibleByStringLiteral {
  public let text: String

  public static func == (one: FieldName, other: FieldName) -> Bool {
    // Most names differ in length, which is quicker to see than what they say.
    one.text.utf8.count == other.text.utf8.count && one.text == other.text
  }

  /// Refuses anything but a token (RFC 9110 §5.6.2).
  public init?(_ name: String) {
    guard !name.isEmpty, name.utf8.allSatisfy(isTokenCharacter) else { return nil }
    text = name.lowercased()
  }

  /// A literal is checked when it is first used: a wrong one is a fault of the program.
  public init(stringLiteral name: String) {
    assert(!name.isEmpty && name.utf8.allSatisfy { isTokenCharacter($0) && !(0x41...0x5A).contains($0) })
    text = name
  }
}

/// A field value; one that would break the message (CR, LF, NUL, other controls) cannot exist.
public struct FieldValue: Sendable, Hashable, ExpressibleByStringLiteral {
  public let text: String

  /// Refuses control characters other than tab (RFC 9110 §5.5), so that no value can inject a header.
  public init?(_ value: String) {
    let bytes = value.utf8Span.span
    for position in bytes.indices {
      let byte = bytes[position]
      guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return nil }
    }
    text = value
  }

  public init(stringLiteral value: String) {
    assert(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    text = value
  }

  public init(_ number: some BinaryInteger) { text = String(number) }
}

/// Whether `byte` may stand in a token (RFC 9110 §5.6.2): letters, digits and ``!#$%&'*+-.^_`|~``.
@inline(__always) func isTokenCharacter(_ byte: UInt8) -> Bool {
  // One bit per character: a table of two words, because this runs for every byte of every field name.
  let set: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
  return byte < 128 && set &>> UInt64(byte & 63) & 1 == 1
}

/// Whether `byte` may stand in a token68 before the `=` at its end (RFC 9110 §11.2): letters, digits and `-._~+/`.
@inline(__always) func isToken68Character(_ byte: UInt8) -> Bool {
  // One bit per character, as in `isTokenCharacter`: a token of ours has hundreds of them.
  let set: UInt64 = byte < 64 ? 0x03FF_E800_0000_0000 : 0x47FF_FFFE_87FF_FFFE
  return byte < 128 && set &>> UInt64(byte & 63) & 1 == 1
}
