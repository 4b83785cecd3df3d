/// The HTTP/1.1 request parser: bytes in, a checked head out, no I/O (RFC 9112 §2–§7).
public enum RequestParser {
  /// Parses the request head at the start of `bytes`.
  ///
  /// Call it again with more bytes when it returns `nil`; it keeps no state, and the outcome does not depend on how
  /// the bytes were cut. Whatever is ambiguous is refused.
  /// - Returns: the head, or `nil` while it is incomplete.
  /// - Throws: ``ParseFailure`` as soon as the bytes so far cannot become a request we answer.
  public static func parseHead(
    _ bytes: Span<UInt8>, limits: ParserLimits = ParserLimits()
  ) throws(ParseFailure) -> RequestHead? {
    guard let line = try RequestLine.parse(bytes, limits: limits) else { return nil }
    guard let section = try FieldSection.parse(bytes, from: line.end, limits: limits) else { return nil }
    let target = try RequestTarget(bytes, line.target, method: line.method)
    try checkHost(section.framing.host, in: bytes, version: line.version)
    let expectsContinue = try section.framing.awaitsContinue(line.version)

    let isStreamed = limits.isStreamed(target.path)
    let ignoresBody = line.method.ignoresBody(isStreamed: isStreamed)
    let used = isStreamed ? limits.streamedBody : limits.body
    let limit = ignoresBody ? min(limits.unusedBody, used) : used
    let framing = try section.framing.bodyFraming(
      bytes, version: line.version, limit: limit, excess: .bodyTooLong(isUnused: ignoresBody))

    var headers = Headers(ReceivedFields(bytes.extracting(..<section.end).copy(), lines: section.lines))
    if let authority = target.authority, let value = FieldValue(authority) { headers.set("host", value) }
    return RequestHead(
      byteCount: section.end, method: line.method, target: target.target, path: target.path,
      version: line.version, headers: headers, bodyFraming: framing,
      bodyLimit: limit, isStreamed: isStreamed, keepAlive: section.framing.keepAlive(line.version),
      expectsContinue: expectsContinue && framing != .none)
  }

  /// Refuses HTTP/1.1 without a Host field, and one that is not well-formed (RFC 9112 §3.2).
  private static func checkHost(
    _ host: Range<Int>?, in bytes: Span<UInt8>, version: RequestHead.Version
  ) throws(ParseFailure) {
    guard let host else {
      if version == .http11 { throw .malformed("missing Host") }
      return
    }
    guard Authority.isWellFormed(bytes.extracting(host)) else { throw .malformed("malformed Host") }
  }
}

extension ParseFailure {
  static func bodyTooLong(isUnused: Bool) -> ParseFailure {
    isUnused ? .malformed("long body on a method without one") : ParseFailure(413, "body too long")
  }
}
