import HTTP
import HTTPServer
import Testing

@Suite(.onOwnThread) struct LimitTests {
  @Test(
    "Bad and oversized requests get the right status, and the connection closes",
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n", 413),
      ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
      ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
      ("garbage\r\n\r\n", 400),
    ])
  func refusals(request: String, status: Int) async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send(request)
    let answer = client.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    #expect(answer.lowercased().contains("connection: close\r\n"))
    #expect(answer.lowercased().contains("content-type: application/json\r\n"))
    #expect(answer.contains(#"{"error":"invalid_request","error_description":"\#(status) "#))
    #expect(server.figures.refused == 1)
    #expect(server.figures.requests == 0)
    await server.stop(within: .seconds(5))
  }

  @Test(
    "What writes refusals is told the target and the page of a request, however far it came",
    arguments: [
      ("GET /a/%2e%2e/b HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n\r\n", "400 /a/%2e%2e/b https://a.example"),
      (
        "POST /a?b HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nContent-Length: 2000000\r\n\r\n",
        "413 /a?b https://a.example"
      ),
      (
        "POST /a HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n",
        "413 /a https://a.example"
      ),
      (
        "GET /a HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nOrigin: https://b.example\r\nX y: z\r\n\r\n",
        "400 /a none"
      ),
      ("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx GET /b\r\nOrigin: c\r\n\r\n", "400 /a none"),
      ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\n", "414 /\(String(repeating: "x", count: 511)) none"),
      ("garbage\r\n\r\n", "400  none"),
    ])
  func written(request: String, expected: String) async throws {
    let server = try TestServer.start(refusalHandler: { refused in
      guard refused.target != "/plain" else { return nil }
      let text = "\(refused.failure.status.code) \(refused.target) \(refused.origin ?? "none")"
      return Response(status: refused.failure.status, body: .bytes(Array(text.utf8)))
    })
    for (request, expected) in [
      (request, expected), ("GET /plain HTTP/1.1\r\n\r\n", #"{"error":"invalid_request","error_description":"400 "#),
    ] {
      let client = try RawClient(port: server.port)
      client.send(request)
      let answer = client.receiveAll()
      #expect(answer.contains("\r\n\r\n\(expected)"))
      #expect(answer.lowercased().contains("connection: close\r\n"))
    }
    #expect(server.figures.refused == 2 && server.figures.requests == 0)
    await server.stop(within: .seconds(5))
  }

  @Test(
    "A request that does not come to its end in time is answered 408",
    arguments: [
      "GET / HTTP/1.1\r\nHos", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    ])
  func slow(request: String) async throws {
    var limits = Limits()
    limits.head = .milliseconds(100)
    limits.bodyGrace = .milliseconds(100)
    let server = try TestServer.start(limits: limits)
    let client = try RawClient(port: server.port)
    client.send(request)
    #expect(client.receiveAll().hasPrefix("HTTP/1.1 408 "))
    #expect(server.figures.timedOut == 1)
    await server.stop(within: .seconds(5))
  }

  @Test(
    "A connection that says nothing is closed without an answer", arguments: ["", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
  func silent(first: String) async throws {
    var limits = Limits()
    limits.firstByte = .milliseconds(100)
    limits.keepAlive = .milliseconds(100)
    let server = try TestServer.start(limits: limits)
    let client = try RawClient(port: server.port)
    client.send(first)
    #expect(client.receiveAll().hasSuffix(first.isEmpty ? "" : "over http"))
    await server.stop(within: .seconds(5))
  }

  @Test("After its share of requests a connection closes")
  func requestsPerConnection() async throws {
    var limits = Limits()
    limits.requestsPerConnection = 2
    let server = try TestServer.start(limits: limits)
    let client = try RawClient(port: server.port)
    client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
    #expect(!client.receiveAnswer().head.lowercased().contains("connection: close"))
    #expect(client.receiveAnswer().head.lowercased().contains("connection: close"))
    #expect(client.receiveAll().isEmpty)
    await server.stop(within: .seconds(5))
  }

  @Test("Beyond the limit a connection is answered 503, and admitted again when others have left")
  func connections() async throws {
    var limits = Limits()
    limits.connections = 2
    let server = try TestServer.start(limits: limits)
    var clients = try (0..<2).map { _ in try RawClient(port: server.port) }
    for client in clients {
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receiveAnswer().head.hasPrefix("HTTP/1.1 200"))
    }
    let third = try RawClient(port: server.port)
    let refusal = third.receiveAnswer()
    #expect(refusal.head.hasPrefix("HTTP/1.1 503 "))
    #expect(refusal.head.lowercased().contains("retry-after: 5"))
    #expect(refusal.body.hasSuffix("try again in a few seconds.\"}"))
    #expect(server.figures.shed == 1)
    clients.removeAll()
    while server.figures.open > 0 { await Task.yield() }
    let fourth = try RawClient(port: server.port)
    fourth.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(fourth.receiveAnswer().head.hasPrefix("HTTP/1.1 200"))
    await server.stop(within: .seconds(5))
  }

  @Test("A client that takes nothing of its answer is given up")
  func writeStall() async throws {
    var limits = Limits()
    limits.writeStall = .milliseconds(100)
    let server = try TestServer.start(limits: limits) { _ in
      Response(status: .ok, body: .bytes([UInt8](repeating: 0x61, count: 30_000_000)))
    }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
    while server.figures.open > 0 { await Task.yield() }
    #expect(client.receiveAll().utf8.count < 30_000_000)
    await server.stop(within: .seconds(5))
  }
}
