import HTTP
import Testing

private let date = "Sun, 06 Nov 1994 08:49:37 GMT"

/// The bytes before the remainder, as text, and the remainder.
private func encode(
  _ response: Response, _ encoder: ResponseEncoder = ResponseEncoder(keepAlive: true)
) -> (String, ResponseEncoder.Remainder) {
  var output: [UInt8] = []
  let remainder = encoder.encode(response, date: date, to: &output)
  return (String(decoding: output, as: UTF8.self), remainder)
}

private let page = Response(status: .ok, headers: ["content-type": "text/plain"], body: .bytes(Array("hello".utf8)))
private let stream = Response(status: .ok, body: .stream { try await $0.write([1]) })

@Test("A short answer is one buffer")
func shortAnswer() {
  let (text, remainder) = encode(page)
  #expect(
    text == "HTTP/1.1 200 OK\r\ndate: \(date)\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello")
  guard case .nothing = remainder else {
    Issue.record("something remains")
    return
  }
}

@Test("What the buffer holds already stays")
func appends() {
  var output = Array("before".utf8)
  _ = ResponseEncoder().encode(page, date: date, to: &output)
  #expect(output.starts(with: Array("beforeHTTP/1.1 200 OK\r\n".utf8)))
}

@Test(
  "Connection says what the server does next",
  arguments: [
    (RequestHead.Version.http11, true, ""), (.http11, false, "connection: close\r\n"),
    (.http10, true, "connection: keep-alive\r\n"), (.http10, false, "connection: close\r\n"),
  ])
func connection(version: RequestHead.Version, keepAlive: Bool, line: String) {
  let (text, _) = encode(Response(status: .ok), ResponseEncoder(version: version, keepAlive: keepAlive))
  #expect(text == "HTTP/1.1 200 OK\r\ndate: \(date)\r\n\(line)content-length: 0\r\n\r\n")
}

@Test("HEAD gets the head of GET and no body")
func headRequest() {
  let (text, _) = encode(page, ResponseEncoder(isHead: true, keepAlive: true))
  #expect(text.hasSuffix("content-type: text/plain\r\ncontent-length: 5\r\n\r\n"))
}

@Test("A handler may say the length for HEAD without making the body")
func headLength() {
  let response = Response(status: .ok, headers: ["content-length": "77"])
  let (text, _) = encode(response, ResponseEncoder(isHead: true, keepAlive: true))
  #expect(text == "HTTP/1.1 200 OK\r\ndate: \(date)\r\ncontent-length: 77\r\n\r\n")
}

@Test("What is no final status is never sent as one", arguments: [0, 100, 101, 199, 600])
func noFinalStatus(code: Int) {
  var response = page
  response.status = Status(integerLiteral: code)
  let (text, _) = encode(response)
  #expect(text == "HTTP/1.1 500 Internal Server Error\r\ndate: \(date)\r\ncontent-length: 0\r\n\r\n")
}

@Test("204 and 304 have neither body nor framing", arguments: [204, 304])
func noContent(code: Int) {
  let status = Status(integerLiteral: code)
  for body in [Response.Body.empty, page.body, stream.body] {
    let (text, remainder) = encode(Response(status: status, headers: ["content-length": "5"], body: body))
    #expect(text == "HTTP/1.1 \(code) \(status.phrase)\r\ndate: \(date)\r\n\r\n")
    if case .nothing = remainder {} else { Issue.record("something remains") }
  }
}

@Test("The encoder alone writes framing, Connection and Date")
func ownFields() {
  let headers: Headers = [
    "content-length": "9", "transfer-encoding": "chunked", "connection": "upgrade", "date": "now", "x": "y",
  ]
  let (text, _) = encode(Response(status: .ok, headers: headers, body: .bytes([UInt8(ascii: "a")])))
  #expect(text == "HTTP/1.1 200 OK\r\ndate: \(date)\r\nx: y\r\ncontent-length: 1\r\n\r\na")
}

@Test("A long body is not copied")
func longBody() {
  let body = [UInt8](repeating: 7, count: ResponseEncoder.longestCopiedBody + 1)
  let (text, remainder) = encode(Response(status: .ok, body: .bytes(body)))
  #expect(text.hasSuffix("content-length: \(body.count)\r\n\r\n"))
  guard case .bytes(let rest) = remainder else {
    Issue.record("no bytes remain")
    return
  }
  #expect(rest == body)
}

@Test("A stream is chunked in HTTP/1.1, ends with the connection in HTTP/1.0, and is left out for HEAD")
func streams() {
  let (chunked, first) = encode(stream)
  #expect(chunked.hasSuffix("transfer-encoding: chunked\r\n\r\n"))
  if case .chunks = first {} else { Issue.record("not chunked") }
  let (plain, second) = encode(stream, ResponseEncoder(version: .http10))
  #expect(plain == "HTTP/1.1 200 OK\r\ndate: \(date)\r\nconnection: close\r\n\r\n")
  if case .untilClose = second {} else { Issue.record("not until close") }
  let (_, third) = encode(stream, ResponseEncoder(isHead: true, keepAlive: true))
  if case .nothing = third {} else { Issue.record("something remains") }
}

@Test("A stream that only closing ends says so, whatever the server planned")
func streamCloses() {
  let (text, _) = encode(stream, ResponseEncoder(version: .http10, keepAlive: true))
  #expect(text.contains("\r\nconnection: close\r\n"))
}

@Test("Chunks written are chunks read")
func chunkRoundTrip() throws {
  var output: [UInt8] = []
  let pieces = [Array("hello ".utf8), [], [UInt8](repeating: 0, count: 300), Array("\r\n0\r\n\r\n".utf8)]
  for piece in pieces { ResponseEncoder.appendChunk(piece, to: &output) }
  ResponseEncoder.appendLastChunk(to: &output)
  var decoder = ChunkedDecoder(limit: 1000)
  var body: [UInt8] = []
  #expect(try decoder.decode(output.span, into: &body) == output.count)
  #expect(decoder.isComplete)
  #expect(body == pieces.flatMap { $0 })
}
