/// The fields of an `application/x-www-form-urlencoded` body or of a query (WHATWG URL §5.1).
///
/// A parameter that OAuth defines must not be sent twice (RFC 6749 §3.1): a repeated one reads as absent here, so that
/// nobody picks the first or the last by accident; ``isRepeated(_:)`` tells it from a missing one.
public struct Form: Sendable {
  /// Every field in order, decoded.
  public let fields: [Field]

  /// One field; both parts are UTF-8 without NUL.
  public struct Field: Sendable, Equatable {
    public let name: String
    public let value: String
  }

  /// How much a form may hold.
  public struct Limits: Sendable {
    /// The number of fields.
    public var fieldCount = 64
    /// The length of one decoded name, in bytes.
    public var nameBytes = 128
    /// The length of one decoded value, in bytes.
    public var valueBytes = 64 * 1024

    /// The defaults, which the server's documentation publishes.
    public init() {}
  }

  /// A form of given names and values; of none where a request has no body to read.
  public init(_ fields: [(String, String)]) { self.fields = fields.map { Field(name: $0.0, value: $0.1) } }

  /// Reads a request body.
  ///
  /// - Throws: ``FormFailure`` with a sentence for the client when the body is malformed or over a limit.
  public init(_ body: [UInt8], limits: Limits = Limits()) throws(FormFailure) {
    fields = try Self.parse(body.span, limits: limits)
  }

  /// Reads the query of a URL, without the `?`.
  ///
  /// - Throws: ``FormFailure`` with a sentence for the client when the query is malformed or over a limit.
  public init(query: Substring, limits: Limits = Limits()) throws(FormFailure) {
    fields = try Self.parse(query.utf8.span, limits: limits)
  }

  /// The value of the field called `name`; `nil` when it is absent or repeated.
  ///
  /// It may be empty; ``nonEmpty(_:)`` is what OAuth parameters want.
  public subscript(name: String) -> String? {
    guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
    return fields[(first + 1)...].contains { $0.name == name } ? nil : fields[first].value
  }

  /// As the subscript, but an empty value counts as absent, as it does for OAuth parameters (RFC 6749 §3.1).
  public func nonEmpty(_ name: String) -> String? {
    self[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The values of every field called `name` that are not empty, in order (`resource`, RFC 8707 §2).
  public func values(of name: String) -> [String] {
    fields.lazy.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
  }

  /// Whether more than one field is called `name`.
  public func isRepeated(_ name: String) -> Bool {
    fields.lazy.filter { $0.name == name }.count > 1
  }

  /// The first name that stands more than once although it may not; `nil` when there is none.
  ///
  /// `repeatable` are the names that may: `resource`, and `audience` in token exchange (RFC 8693 §2.1).
  public func repeatedName(except repeatable: Set<String> = []) -> String? {
    fields.indices.first { index in
      let name = fields[index].name
      return !repeatable.contains(name) && fields[..<index].contains { $0.name == name }
    }.map { fields[$0].name }
  }

  private static func parse(_ bytes: Span<UInt8>, limits: Limits) throws(FormFailure) -> [Field] {
    var fields: [Field] = []
    var start = 0
    while start < bytes.count {
      let end = bytes.endOfPart(before: UInt8(ascii: "&"), from: start)
      if end > start {
        if fields.count == limits.fieldCount { throw .tooManyFields(limits.fieldCount) }
        fields.append(try field(bytes.extracting(start..<end), number: fields.count + 1, limits: limits))
      }
      start = end &+ 1
    }
    return fields
  }

  private static func field(_ bytes: Span<UInt8>, number: Int, limits: Limits) throws(FormFailure) -> Field {
    let equals = bytes.endOfPart(before: UInt8(ascii: "="), from: 0)
    let name = try text(bytes.extracting(..<equals), number: number, limit: limits.nameBytes)
    let rest = bytes.extracting(min(equals + 1, bytes.count)...)
    return Field(name: name, value: try text(rest, number: number, limit: limits.valueBytes))
  }

  private static func text(_ bytes: Span<UInt8>, number: Int, limit: Int) throws(FormFailure) -> String {
    guard let text = PercentCoding.formText(bytes) else { throw .malformed(number) }
    if text.utf8.count > limit { throw .tooLong(number, limit: limit) }
    return text
  }
}

/// Why a form or query was not read.
public enum FormFailure: Error, Equatable, CustomStringConvertible {
  /// More fields than this limit.
  case tooManyFields(Int)
  /// The field of this number, counted from 1, is not percent-encoded UTF-8, or holds NUL.
  case malformed(Int)
  /// A part of the field of this number, counted from 1, is longer than the limit in bytes.
  case tooLong(Int, limit: Int)

  /// One sentence that the client may read; it repeats nothing of the input.
  public var description: String {
    switch self {
    case .tooManyFields(let limit): "The form has more than \(limit) fields."
    case .malformed(let number): "Field \(number) of the form is not percent-encoded UTF-8."
    case .tooLong(let number, let limit): "Field \(number) of the form is longer than \(limit) bytes."
    }
  }
}
