import HTTP
import Testing

@Test("Every malformed or odd request gets the one right answer", arguments: Case.all)
func table(_ line: Case) {
  #expect(Exchange.run(line.input).outcomes == line.expected)
}

@Test("How the bytes are cut changes nothing", arguments: Case.all.filter { $0.input.count < 2000 })
func cuts(_ line: Case) {
  let whole = Exchange.run(line.input).details
  for size in [1, 2, 3, 7] { #expect(Exchange.run(line.input, pieces: size).details == whole) }
}

/// The head of a request, which must be complete.
func head(_ text: String, limits: ParserLimits = ParserLimits()) throws -> RequestHead {
  let bytes = Array(text.utf8)
  return try #require(try RequestParser.parseHead(bytes.span, limits: limits))
}

@Test("A head is taken apart")
func wholeHead() throws {
  let text = "POST /a%20b?c=%41 HTTP/1.1\r\nHost: a.test:8080\r\nContent-Length: 7\r\nX-Long-Name: \t v w \t\r\n\r\n"
  let head = try head(text + "1234567")
  #expect(head.byteCount == text.utf8.count)
  #expect(head.method == .post)
  #expect(head.target == "/a%20b?c=%41")
  #expect(head.path == "/a b")
  #expect(head.authority == "a.test:8080")
  #expect(head.version == .http11)
  #expect(head.bodyFraming == .length(7))
  #expect(head.headers["x-long-name"] == "v w")
  #expect(head.headers.fields.map(\.name.text) == ["host", "content-length", "x-long-name"])
  let request = Request(head, body: Array("1234567".utf8), remoteAddress: "::1", isSecure: true)
  #expect(request.query == "c=%41")
  #expect(request.body.count == 7)
}

@Test("The authority of an absolute-form target wins over Host")
func absoluteForm() throws {
  let head = try head("GET http://B.test:81/x?y=1 HTTP/1.1\r\nHost: a.test\r\n\r\n")
  #expect(head.authority == "B.test:81")
  #expect(head.headers.values(of: "host") == ["B.test:81"])
  #expect(head.target == "/x?y=1")
  #expect(head.path == "/x")
}

@Test("An absolute-form target without a path means the root", arguments: [("", "/"), ("?q", "/?q")])
func absoluteRoot(rest: String, target: String) throws {
  let head = try head("GET http://a.test\(rest) HTTP/1.1\r\nHost: a.test\r\n\r\n")
  #expect(head.target == target)
  #expect(head.path == "/")
}

@Test(
  "The connection stays open as version and Connection say",
  arguments: [
    ("1.1", "", true), ("1.1", "close", false), ("1.1", "Close", false), ("1.1", "x, CLOSE ,y", false),
    ("1.1", "keep-alive, close", false), ("1.1", "closed", true), ("1.1", "close, Host", false),
    ("1.0", "", false), ("1.0", "Keep-Alive", true), ("1.0", "keep-alive, close", false), ("1.9", "", true),
  ])
func keepAlive(version: String, connection: String, stays: Bool) throws {
  let head = try head("GET / HTTP/\(version)\r\nHost: a.test\r\nConnection: \(connection)\r\n\r\n")
  #expect(head.keepAlive == stays)
  #expect(head.headers["host"] == "a.test")
}

@Test(
  "100 Continue is awaited only in HTTP/1.1 and before a body",
  arguments: [("1.1", "2", true), ("1.1", "0", false), ("1.0", "2", false)])
func expectation(version: String, length: String, awaits: Bool) throws {
  let head = try head(
    "POST / HTTP/\(version)\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n")
  #expect(head.expectsContinue == awaits)
}

@Test("Trailers are never merged into the header fields")
func trailers() throws {
  let forged = ["Host", "Authorization", "Content-Length", "Transfer-Encoding", "Cookie", "Content-Type"]
  let text = "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
  let body = "0\r\n" + forged.map { "\($0): forged\r\n" }.joined() + "\r\n"
  let head = try head(text + body)
  var decoder = ChunkedDecoder(for: head)
  var decoded: [UInt8] = []
  #expect(try decoder.decode(Array(body.utf8).span, into: &decoded) == body.utf8.count)
  #expect(decoder.isComplete)
  #expect(decoded.isEmpty)
  #expect(head.headers.fields.map(\.value.text) == ["a.test", "chunked"])
}

@Test("The decoder stops where the body ends")
func decoderStops() throws {
  var decoder = ChunkedDecoder(limit: 5)
  var body: [UInt8] = []
  #expect(try decoder.decode(Array("5\r\nhello\r\n0\r\n\r\nGET ".utf8).span, into: &body) == 15)
  #expect(decoder.isComplete)
  #expect(body == Array("hello".utf8))
  #expect(try decoder.decode(Array("GET ".utf8).span, into: &body) == 0)
}

@Test("Limits come from the configuration")
func configuredLimits() {
  var limits = ParserLimits()
  limits.target = 10
  limits.fieldCount = 1
  limits.body = 3
  func outcome(_ text: String) -> [String] { Exchange.run(Array(text.utf8), limits: limits).outcomes }
  #expect(outcome("GET /123456789 HTTP/1.1\r\nHost: a\r\n\r\n") == ["GET /123456789"])
  #expect(outcome("GET /1234567890 HTTP/1.1\r\nHost: a\r\n\r\n") == ["414"])
  #expect(outcome("GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n") == ["431"])
  #expect(outcome("POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc") == ["POST / abc"])
  #expect(outcome("POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\nabcd") == ["413"])
}

@Test("A refusal answers with a generic body, and 405 says what is allowed", arguments: [400, 405, 501])
func failureResponse(code: Int) {
  let response = ParseFailure(Status(integerLiteral: code), "inner detail").response
  #expect(response.status.code == code)
  #expect((response.headers["allow"] != nil) == (code == 405))
  guard case .bytes(let body) = response.body else {
    Issue.record("no body")
    return
  }
  #expect(!String(decoding: body, as: UTF8.self).contains("inner detail"))
}
