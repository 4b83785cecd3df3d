/// The version mark of a representation (RFC 9110 §8.8.3).
public struct EntityTag: Sendable, Hashable {
  /// As sent: `"abc"` or `W/"abc"`.
  public let text: String

  /// A tag of `opaque`, or `nil` when that holds a quote, a blank or a control character.
  public init?(_ opaque: String, isWeak: Bool = false) {
    guard opaque.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }) else { return nil }
    text = (isWeak ? "W/" : "") + "\"\(opaque)\""
  }

  /// Whether the `If-None-Match` of `headers` names this tag or is `*`, so that the answer is 304 (RFC 9110 §13.1.2).
  ///
  /// Weak comparison: `W/` does not count. A malformed field names nothing.
  public func matches(_ headers: Headers) -> Bool {
    headers.values(of: "if-none-match").contains { line in
      let bytes = Array(line.utf8)
      if bytes == [UInt8(ascii: "*")] { return true }
      return Self.opaqueTags(bytes.span).contains { $0 == opaque }
    }
  }

  private var opaque: String { text.hasPrefix("W/") ? String(text.dropFirst(2)) : text }

  /// The tags of a list, each with its quotes and without `W/`; a comma may stand inside one.
  private static func opaqueTags(_ bytes: Span<UInt8>) -> [String] {
    var tags: [String] = []
    var start: Int?
    for position in bytes.indices where bytes[position] == UInt8(ascii: "\"") {
      if let opening = start {
        tags.append(bytes.text(opening..<position + 1))
        start = nil
      } else {
        start = position
      }
    }
    return tags
  }
}
