/// The first line of a request, delimited but not yet turned into strings (RFC 9112 §3).
struct RequestLine {
  var method: Method
  var target: Range<Int>
  var version: RequestHead.Version
  /// The offset of the first field line.
  var end: Int

  /// Reads the line at the start of `bytes`; `nil` while it is incomplete.
  static func parse(_ bytes: Span<UInt8>, limits: ParserLimits) throws(ParseFailure) -> RequestLine? {
    guard let start = try skipEmptyLines(bytes) else { return nil }
    let methodEnd = bytes.endOfToken(from: start)
    if methodEnd - start > Method.longest { throw ParseFailure(501, "method too long") }
    guard methodEnd < bytes.count else { return nil }
    guard methodEnd > start, bytes[methodEnd] == space else { throw .malformed("malformed method") }

    let target = methodEnd + 1..<bytes.endOfTarget(from: methodEnd + 1)
    if target.count > limits.target { throw ParseFailure(414, "target too long") }
    guard target.upperBound < bytes.count else { return nil }
    guard !target.isEmpty, bytes[target.upperBound] == space else { throw .malformed("malformed target") }

    guard let version = try parseVersion(bytes, at: target.upperBound + 1) else { return nil }
    guard let method = Method(implemented: bytes.extracting(start..<methodEnd)) else {
      throw ParseFailure(501, "method not implemented")
    }
    if method == .trace { throw ParseFailure(.methodNotAllowed, "TRACE") }
    return RequestLine(
      method: method, target: target, version: version, end: target.upperBound + 1 + versionForm.utf8.count)
  }

  /// Skips the empty lines some clients send after a body: two at most (RFC 9112 §2.2).
  private static func skipEmptyLines(_ bytes: Span<UInt8>) throws(ParseFailure) -> Int? {
    var start = 0
    while start < 4, start < bytes.count, bytes[start] == carriageReturn {
      guard start + 1 < bytes.count else { return nil }
      guard bytes[start + 1] == lineFeed else { throw .malformed("bare CR") }
      start += 2
    }
    return start
  }

  /// What follows the target; each `0` stands for any digit (RFC 9112 §2.3).
  private static var versionForm: String { "HTTP/0.0\r\n" }

  private static func parseVersion(
    _ bytes: Span<UInt8>, at start: Int
  ) throws(ParseFailure) -> RequestHead.Version? {
    var position = start
    for expected in versionForm.utf8 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      guard byte == expected || expected == UInt8(ascii: "0") && isDigit(byte) else {
        throw .malformed("malformed version")
      }
      position += 1
    }
    guard bytes[start + 5] == UInt8(ascii: "1") else { throw ParseFailure(505, "version not supported") }
    return bytes[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
  }
}
