import HTTP
import HTTPServer
import Testing

@Suite(.onOwnThread) struct RequestTests {
  @Test("A connection answers one request after another")
  func keepAlive() async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send("GET /one HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receiveAnswer().body == "GET /one [] from 127.0.0.1 over http")
    client.send("POST /two HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
    #expect(client.receiveAnswer().body == "POST /two [abc] from 127.0.0.1 over http")
    await server.stop(within: .seconds(5))
  }

  @Test("Twenty requests that come together are answered in order")
  func pipelining() async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for number in 0..<20 {
      #expect(client.receiveAnswer().body.hasPrefix("GET /\(number) []"))
    }
    await server.stop(within: .seconds(5))
  }

  @Test("A request may come byte by byte, also between requests that come together")
  func fragments() async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    let text = "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
    for byte in text.utf8 { client.send([byte]) }
    #expect(client.receiveAnswer().body.hasPrefix("GET /a []"))
    #expect(client.receiveAnswer().body.hasPrefix("POST /b [hello]"))
    await server.stop(within: .seconds(5))
  }

  @Test("A chunked body is put together, and the next request is found after it")
  func chunkedIn() async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send("POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
    client.send("2;x=y\r\nde\r\n0\r\nTrailer: dropped\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receiveAnswer().body.hasPrefix("POST /c [abcde]"))
    #expect(client.receiveAnswer().body.hasPrefix("GET /next []"))
    await server.stop(within: .seconds(5))
  }

  @Test("A large body arrives whole")
  func largeBody() async throws {
    let server = try TestServer.start { Response(status: .ok, body: .bytes($0.body)) }
    let client = try RawClient(port: server.port)
    let body = String(repeating: "0123456789abcdef", count: 50_000)
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(client.receiveAnswer().body == body)
    await server.stop(within: .seconds(5))
  }

  @Test("A client that asks first is told to continue")
  func expectContinue() async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send("POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    client.send("ok")
    #expect(client.receiveAnswer().body.hasPrefix("POST /e [ok]"))
    await server.stop(within: .seconds(5))
  }

  @Test("HEAD has the head of GET and no body")
  func head() async throws {
    let server = try TestServer.start { _ in Response(status: .ok, body: .bytes(Array("12345".utf8))) }
    let client = try RawClient(port: server.port)
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receiveAnswer(hasBody: false).head.lowercased().contains("content-length: 5\r\n"))
    let next = client.receiveAnswer()
    #expect(next.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(next.body == "12345")
    await server.stop(within: .seconds(5))
  }

  @Test(
    "HTTP/1.0 and Connection: close end the connection after the answer",
    arguments: [
      "GET /x HTTP/1.0\r\n\r\n", "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ])
  func closing(request: String) async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send(request)
    #expect(client.receiveAll().hasSuffix("GET /x [] from 127.0.0.1 over http"))
    await server.stop(within: .seconds(5))
  }

  @Test("A client that finishes sending still gets its answer")
  func halfClose() async throws {
    let server = try TestServer.start()
    let client = try RawClient(port: server.port)
    client.send("GET /h HTTP/1.1\r\nHost: a\r\n\r\n")
    client.finishSending()
    #expect(client.receiveAll().hasSuffix("GET /h [] from 127.0.0.1 over http"))
    await server.stop(within: .seconds(5))
  }

  @Test("A handler that waits elsewhere does not mix up answers")
  func suspendingHandler() async throws {
    let server = try TestServer.start { request in
      await Task.yield()
      let echoed = await Task.detached { request.target }.value
      return Response(status: .ok, body: .bytes(Array(echoed.utf8)))
    }
    let clients = try (0..<8).map { _ in try RawClient(port: server.port) }
    for round in 0..<5 {
      for (number, client) in clients.enumerated() {
        client.send(
          "GET /\(number)/\(round) HTTP/1.1\r\nHost: a\r\n\r\nGET /\(number)/again HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      for (number, client) in clients.enumerated() {
        #expect(client.receiveAnswer().body == "/\(number)/\(round)")
        #expect(client.receiveAnswer().body == "/\(number)/again")
      }
    }
    await server.stop(within: .seconds(5))
  }
}
