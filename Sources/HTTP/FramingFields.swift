/// The fields that decide where a message ends and whom it is for; a repeated one is refused.
struct FramingFields {
  private(set) var host: Range<Int>?
  private var contentLength: Range<Int>?
  private var transferEncoding: Range<Int>?
  private var hasContentType = false
  private var hasAuthorization = false
  private var closes = false
  private var keepsAlive = false
  private var expectsContinue = false
  private var expectsOther = false

  /// Remembers `line` when it is one of the fields that matter here.
  mutating func note(_ line: FieldLine, in bytes: Span<UInt8>) throws(ParseFailure) {
    let name = line.name
    switch name.count {
    case 4 where bytes.matches(name, "host"): try Self.once(&host, line, "repeated Host")
    case 6 where bytes.matches(name, "expect"): noteExpectation(line.value, in: bytes)
    case 10 where bytes.matches(name, "connection"): noteConnection(line.value, in: bytes)
    case 12 where bytes.matches(name, "content-type"): try Self.once(&hasContentType, "repeated Content-Type")
    case 13 where bytes.matches(name, "authorization"): try Self.once(&hasAuthorization, "repeated Authorization")
    case 14 where bytes.matches(name, "content-length"): try Self.once(&contentLength, line, "repeated Content-Length")
    case 17 where bytes.matches(name, "transfer-encoding"):
      try Self.once(&transferEncoding, line, "repeated Transfer-Encoding")
    default: break
    }
  }

  private static func once(_ field: inout Range<Int>?, _ line: FieldLine, _ reason: String) throws(ParseFailure) {
    guard field == nil else { throw .malformed(reason) }
    field = line.value
  }

  private static func once(_ isSeen: inout Bool, _ reason: String) throws(ParseFailure) {
    guard !isSeen else { throw .malformed(reason) }
    isSeen = true
  }

  private mutating func noteConnection(_ value: Range<Int>, in bytes: Span<UInt8>) {
    for option in bytes.listMembers(value) {
      if bytes.matches(option, "close") { closes = true }
      if bytes.matches(option, "keep-alive") { keepsAlive = true }
    }
  }

  private mutating func noteExpectation(_ value: Range<Int>, in bytes: Span<UInt8>) {
    if bytes.matches(value, "100-continue") { expectsContinue = true } else { expectsOther = true }
  }

  /// Whether the connection may stay open: as the version has it, unless `Connection` differs (RFC 9112 §9.3).
  func keepAlive(_ version: RequestHead.Version) -> Bool { !closes && (version == .http11 || keepsAlive) }

  /// Whether `100 Continue` is awaited; an expectation of another kind fails (RFC 9110 §10.1.1).
  func awaitsContinue(_ version: RequestHead.Version) throws(ParseFailure) -> Bool {
    if expectsOther { throw ParseFailure(417, "unknown expectation") }
    return expectsContinue && version == .http11
  }

  /// How the body ends, and `limit` kept (RFC 9112 §6).
  ///
  /// Content-Length beside Transfer-Encoding is the classic way to smuggle a request and never accepted.
  func bodyFraming(
    _ bytes: Span<UInt8>, version: RequestHead.Version, limit: Int, excess: ParseFailure
  ) throws(ParseFailure) -> RequestHead.BodyFraming {
    if let transferEncoding {
      guard contentLength == nil else { throw .malformed("Content-Length beside Transfer-Encoding") }
      guard version == .http11 else { throw .malformed("Transfer-Encoding in HTTP/1.0") }
      try Self.checkCodings(transferEncoding, in: bytes)
      return .chunked
    }
    guard let contentLength else { return .none }
    let length = try Self.length(contentLength, in: bytes)
    if length > limit { throw excess }
    return length == 0 ? .none : .length(length)
  }

  /// Refuses all codings but `chunked` alone (RFC 9112 §6.1): 501 for another coding under it, else 400.
  private static func checkCodings(_ value: Range<Int>, in bytes: Span<UInt8>) throws(ParseFailure) {
    if bytes.matches(value, "chunked") { return }
    let codings = bytes.listMembers(value)
    guard let last = codings.last, bytes.matches(last, "chunked") else { throw .malformed("chunked is not last") }
    for coding in codings.dropLast() {
      let isToken = !coding.isEmpty && bytes.endOfToken(from: coding.lowerBound) >= coding.upperBound
      if !isToken || bytes.matches(coding, "chunked") { throw .malformed("malformed Transfer-Encoding") }
    }
    throw ParseFailure(501, "transfer coding not implemented")
  }

  /// The number in `value`: digits only, without leading zeros; a number too large for `Int` becomes `Int.max`.
  private static func length(_ value: Range<Int>, in bytes: Span<UInt8>) throws(ParseFailure) -> Int {
    guard !value.isEmpty else { throw .malformed("empty Content-Length") }
    if bytes[value.lowerBound] == UInt8(ascii: "0"), value.count > 1 { throw .malformed("leading zero") }
    var length = 0
    for position in value {
      guard isDigit(bytes[position]) else { throw .malformed("malformed Content-Length") }
      let (tenfold, overflow) = length.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tenfold.addingReportingOverflow(Int(bytes[position] - UInt8(ascii: "0")))
      length = overflow || carry ? Int.max : sum
    }
    return length
  }
}
