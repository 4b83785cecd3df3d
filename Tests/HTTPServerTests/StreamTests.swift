import HTTP
import HTTPServer
import Testing

@Suite(.onOwnThread) struct StreamTests {
  private struct Broken: Error {}

  @Test("A streamed body is chunked, and the connection goes on")
  func chunkedOut() async throws {
    let server = try TestServer.start(handler: Self.streaming)
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let head = client.receive(through: "\r\n\r\n").lowercased()
    #expect(head.contains("transfer-encoding: chunked\r\n"))
    #expect(client.receive(through: "0\r\n\r\n") == "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive(through: "0\r\n\r\n").hasSuffix("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
    await server.stop(within: .seconds(5))
  }

  @Test("An HTTP/1.0 client gets a streamed body as it is, until the end")
  func untilClose() async throws {
    let server = try TestServer.start(handler: Self.streaming)
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.0\r\n\r\n")
    #expect(client.receiveAll().hasSuffix("\r\n\r\nonetwo"))
    await server.stop(within: .seconds(5))
  }

  @Test("A body that fails is cut, so that the client notices")
  func failing() async throws {
    let server = try TestServer.start { _ in
      Response(
        status: .ok,
        body: .stream { writer in
          try await writer.write(Array("half".utf8))
          throw Broken()
        })
    }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = client.receiveAll()
    #expect(answer.contains("half"))
    #expect(!answer.contains("0\r\n\r\n"))
    await server.stop(within: .seconds(5))
  }

  @Test(
    "A body that fails is no whole one to a client that knows its end by the connection's", arguments: [false, true])
  func failingUntilClose(fails: Bool) async throws {
    let server = try TestServer.start { _ in
      Response(
        status: .ok,
        body: .stream { writer in
          try await writer.write(Array("half".utf8))
          try await Task.sleep(for: .milliseconds(100))
          if fails { throw Broken() }
        })
    }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.0\r\n\r\n")
    #expect(client.receiveAll().hasSuffix("half"))
    #expect(client.wasReset == fails)
    await server.stop(within: .seconds(5))
  }

  @Test("A body that fails before its first write is cut without a head; what came before it is sent")
  func failingAtOnce() async throws {
    let server = try TestServer.start { request in
      Response(status: .ok, body: request.target == "/fine" ? .empty : .stream { _ in throw Broken() })
    }
    let client = try RawClient(port: server.port)
    client.send("GET /fine HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receiveAnswer().head.hasPrefix("HTTP/1.1 200 "))
    #expect(client.receiveAll().isEmpty)
    await server.stop(within: .seconds(5))
  }

  @Test("A body without any write is an empty one")
  func nothingWritten() async throws {
    let server = try TestServer.start { _ in Response(status: .ok, body: .stream { _ in }) }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive(through: "0\r\n\r\n").hasSuffix("\r\n\r\n0\r\n\r\n"))
    await server.stop(within: .seconds(5))
  }

  @Test("A body may be written from a task of another executor")
  func foreignTask() async throws {
    let server = try TestServer.start { _ in
      Response(
        status: .ok,
        body: .stream { writer in
          try await Task.detached { try await writer.write(Array("far".utf8)) }.value
        })
    }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive(through: "0\r\n\r\n").hasSuffix("3\r\nfar\r\n0\r\n\r\n"))
    await server.stop(within: .seconds(5))
  }

  @Test("A long stream to a slow reader arrives whole")
  func backpressure() async throws {
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    let server = try TestServer.start { _ in
      Response(
        status: .ok,
        body: .stream { writer in
          for _ in 0..<100 { try await writer.write(piece) }
        })
    }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.0\r\n\r\n")
    #expect(client.receiveAll().utf8.filter { $0 == UInt8(ascii: "x") }.count == 10_000_000)
    await server.stop(within: .seconds(5))
  }

  private static let streaming: Server.Handler = { _ in
    Response(
      status: .ok,
      body: .stream { writer in
        try await writer.write(Array("one".utf8))
        try await writer.write(Array("two".utf8))
      })
  }
}
