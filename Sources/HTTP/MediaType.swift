/// The type of a body (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Equatable {
  /// `type/subtype` in lower case.
  public let essence: String
  /// The value of `charset` in lower case, without quotes.
  public let charset: String?

  /// Reads a `Content-Type` value; `nil` when it is malformed or repeats `charset`.
  public init?(_ text: String) {
    if text == Self.form {  // As nearly every client says it.
      (essence, charset) = (text, nil)
      return
    }
    let bytes = Array(text.utf8)
    let span = bytes.span
    let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
    let essence = span.trimmed(0..<end)
    let slash = span.endOfToken(from: essence.lowerBound)
    guard slash > essence.lowerBound, slash < essence.upperBound - 1, span[slash] == UInt8(ascii: "/"),
      span.endOfToken(from: slash + 1) >= essence.upperBound
    else { return nil }
    self.essence = span.text(essence).lowercased()

    var charset: String?
    for parameter in bytes[end...].split(separator: UInt8(ascii: ";")) {
      guard let (name, value) = Self.parameter(Array(parameter).span) else { return nil }
      guard name == "charset" else { continue }
      guard charset == nil else { return nil }
      charset = value
    }
    self.charset = charset
  }

  /// Whether this is a form in the only charset that forms have: `utf-8`, said or not.
  public var isForm: Bool { essence == Self.form && isUTF8 }

  private static let form = "application/x-www-form-urlencoded"

  /// Whether this is JSON; a `charset`, though without meaning for JSON, must not contradict UTF-8.
  public var isJSON: Bool { essence == "application/json" && isUTF8 }

  private var isUTF8: Bool { charset == nil || charset == "utf-8" }

  /// `name=value` in lower case, or `nil` when malformed; nothing between two semicolons is malformed too.
  private static func parameter(_ bytes: Span<UInt8>) -> (String, String)? {
    let whole = bytes.trimmed(0..<bytes.count)
    let equals = bytes.endOfToken(from: whole.lowerBound)
    guard equals > whole.lowerBound, equals < whole.upperBound, bytes[equals] == UInt8(ascii: "=") else { return nil }
    var value = equals + 1..<whole.upperBound
    let quote = UInt8(ascii: "\"")
    if value.count >= 2, bytes[value.lowerBound] == quote, bytes[value.upperBound - 1] == quote {
      value = value.lowerBound + 1..<value.upperBound - 1
    }
    guard !value.isEmpty, bytes.endOfToken(from: value.lowerBound) >= value.upperBound else { return nil }
    return (bytes.text(whole.lowerBound..<equals).lowercased(), bytes.text(value).lowercased())
  }
}

extension Headers {
  /// The body's type; `nil` when the field is missing, repeated or malformed.
  public var contentType: MediaType? { single("content-type").flatMap(MediaType.init) }
}
