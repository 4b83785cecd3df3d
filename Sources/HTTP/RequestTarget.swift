/// A request target taken apart (RFC 9112 §3.2).
struct RequestTarget {
  /// Origin form, or `*`.
  var target: String
  var path: String
  /// The authority of an absolute-form target.
  var authority: String?

  /// Reads the target in `range`; CONNECT's authority form never gets here.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>, method: Method) throws(ParseFailure) {
    var start = range.lowerBound
    if bytes[start] == UInt8(ascii: "*"), range.count == 1 {
      guard method == .options else { throw .malformed("* as the target") }
      (target, path) = ("*", "*")
      return
    }
    if bytes[start] != UInt8(ascii: "/") {
      guard let authority = Self.authority(bytes, range) else { throw .malformed("malformed target") }
      guard Authority.isWellFormed(bytes.extracting(authority)) else { throw .malformed("malformed authority") }
      self.authority = bytes.text(authority)
      start = authority.upperBound
    }

    var queryMark = start
    while queryMark < range.upperBound, bytes[queryMark] != UInt8(ascii: "?") { queryMark &+= 1 }
    guard let path = RequestPath.decode(bytes, start..<queryMark) else { throw .malformed("malformed path") }
    self.path = path.isEmpty ? "/" : path
    let isPlainPath = queryMark == range.upperBound && path.utf8.count == range.upperBound - start
    // An escape makes the path shorter, so equal lengths mean equal text, and the string is made once.
    target = isPlainPath ? self.path : (path.isEmpty ? "/" : "") + bytes.text(start..<range.upperBound)
  }

  /// Where the authority of `http://authority/…` stands.
  private static func authority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
    for scheme in ["http://", "https://"] {
      let start = range.lowerBound + scheme.utf8.count
      guard start < range.upperBound, bytes.matches(range.lowerBound..<start, scheme) else { continue }
      var end = start
      while end < range.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
      return start..<end
    }
    return nil
  }
}
