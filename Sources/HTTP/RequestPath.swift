/// The one decoding of a request path; nothing behind it decodes again.
enum RequestPath {
  /// The path in `range`, percent-decoded once, or `nil` when it is refused.
  ///
  /// Refused are bad escapes, bytes that are not UTF-8 (so overlong forms), control characters, backslashes, and the
  /// segments `.` and `..`, each in the raw and in the encoded spelling (RFC 3986 §2.1, §5.2.4). `%2F` becomes `/`.
  static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
    let raw = bytes.extracting(range)
    let isPlain = raw.indices.allSatisfy { raw[$0] != UInt8(ascii: "%") }
    if isPlain { return isSafe(raw) ? raw.validText : nil }
    guard let decoded = PercentCoding.decode(raw), isSafe(decoded.span) else { return nil }
    return decoded.span.validText
  }

  private static func isSafe(_ path: Span<UInt8>) -> Bool {
    var segmentStart = 0
    for position in path.indices {
      let byte = path[position]
      if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\") { return false }
      if byte == UInt8(ascii: "/") {
        if isDots(path.extracting(segmentStart..<position)) { return false }
        segmentStart = position &+ 1
      }
    }
    return !isDots(path.extracting(segmentStart...))
  }

  private static func isDots(_ segment: Span<UInt8>) -> Bool {
    switch segment.count {
    case 1: segment[0] == UInt8(ascii: ".")
    case 2: segment[0] == UInt8(ascii: ".") && segment[1] == UInt8(ascii: ".")
    default: false
    }
  }
}
