/// The cookies a request carries (RFC 6265 §4.2, §5.4).
///
/// A name sent twice reads as absent: one of the two was planted, from a sibling domain or over plain HTTP, and the
/// order does not tell which.
public struct Cookies: Sendable {
  private let lines: [String]

  /// The cookies of all `Cookie` fields together.
  public init(_ headers: Headers) { lines = headers.values(of: "cookie") }

  /// The value of the cookie called `name`, as sent; `nil` when it is absent or there are several.
  public subscript(name: String) -> String? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }

  /// Whether more than one cookie is called `name`.
  public func isRepeated(_ name: String) -> Bool { values(of: name).count > 1 }

  private func values(of name: String) -> [String] {
    var values: [String] = []
    for line in lines {
      let bytes = line.utf8Span.span
      var start = 0
      while start < bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: ";") { end &+= 1 }
        if let value = Self.value(of: name, in: bytes, start..<end) { values.append(bytes.text(value)) }
        start = end &+ 1
      }
    }
    return values
  }

  /// Where the value stands when the pair in `range` is called `name`.
  private static func value(of name: String, in bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
    var equals = range.lowerBound
    while equals < range.upperBound, bytes[equals] != UInt8(ascii: "=") { equals &+= 1 }
    guard equals < range.upperBound else { return nil }
    let found = bytes.extracting(bytes.trimmed(range.lowerBound..<equals)).equals(name)
    return found ? bytes.trimmed(equals + 1..<range.upperBound) : nil
  }
}
