import HTTP
import HTTPServer
import Synchronization
import Testing

@Suite("Bodies that are answered while they come", .onOwnThread, .timeLimit(.minutes(1)))
struct StreamedRequestTests {
  private static var limits: Limits {
    var limits = Limits()
    limits.sizes.streamedPath = "/s/"
    limits.sizes.streamedBody = 8 << 20
    limits.bodyStall = .milliseconds(300)
    limits.linger = .milliseconds(100)
    return limits
  }

  /// Sends back what comes, piece by piece.
  private static let echo: Server.Handler = { request in
    guard let pipe = request.stream?.pipe else { return Response(status: .ok, body: .bytes(request.body)) }
    return Response(
      status: .ok,
      body: .stream { writer in while let piece = try await pipe.read() { try await writer.write(piece) } })
  }

  @Test("A part is answered before the next one is sent, and the connection ends as it was said to")
  func duplex() async throws {
    let server = try TestServer.start(limits: Self.limits, handler: Self.echo)
    let client = try RawClient(port: server.port)
    client.send("POST /s/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
    #expect(client.receive(through: "\r\n3\r\none\r\n").lowercased().contains("connection: close"))
    client.send("3\r\ntwo\r\n")
    #expect(client.receive(through: "two\r\n") == "3\r\ntwo\r\n")
    client.send("0\r\n\r\n")
    #expect(client.receiveAll() == "0\r\n\r\n")
    await server.stop(within: .seconds(5))
  }

  @Test("After a body that was read the next request follows on the connection")
  func keepsAlive() async throws {
    let server = try TestServer.start(limits: Self.limits) { request in
      var size = 0
      do { while let piece = try await request.stream?.pipe.read() { size += piece.count } } catch { size = -1 }
      return Response(status: .ok, body: .stream(length: 7) { try await $0.write(Array("7 bytes".utf8)) })
    }
    let client = try RawClient(port: server.port)
    for _ in 0..<2 {
      client.send("PUT /s/a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /s/b HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receiveAnswer().body == "7 bytes")
      #expect(client.receiveAnswer().body == "7 bytes")
    }
    await server.stop(within: .seconds(5))
  }

  @Test("A client that waits is told to send, and a refusal before that closes the connection")
  func continuing() async throws {
    let server = try TestServer.start(limits: Self.limits, handler: Self.echo)
    let client = try RawClient(port: server.port)
    client.send("POST /s/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    client.send("abc")
    #expect(client.receive(through: "0\r\n\r\n").contains("\r\n3\r\nabc\r\n"))
    await server.stop(within: .seconds(5))
  }

  @Test("An answer without the body closes the connection behind it")
  func unread() async throws {
    let server = try TestServer.start(limits: Self.limits) { _ in Response(status: .forbidden) }
    let client = try RawClient(port: server.port)
    client.send("POST /s/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc")
    let answer = client.receiveAll().lowercased()
    #expect(answer.hasPrefix("http/1.1 403 ") && answer.contains("connection: close\r\n"))
    await server.stop(within: .seconds(5))
  }

  @Test("A body that crawls is refused, and one that its reader holds back is not", arguments: [true, false])
  func crawling(crawls: Bool) async throws {
    var limits = Self.limits
    limits.bodyGrace = .milliseconds(300)
    let server = try TestServer.start(limits: limits) { request in
      if !crawls { try? await Task.sleep(for: .milliseconds(1500)) }
      do { while try await request.stream?.pipe.read() != nil {} } catch { return Response(status: 502) }
      return Response(status: .ok)
    }
    let client = try RawClient(port: server.port)
    client.send("POST /s/ HTTP/1.1\r\nHost: a\r\nContent-Length: \(crawls ? 30 : 1 << 20)\r\n\r\n")
    if crawls {
      for _ in 0..<30 {
        client.send("x")
        try await Task.sleep(for: .milliseconds(50))
      }
    } else {
      client.send([UInt8](repeating: 7, count: 1 << 20))
    }
    #expect(client.receiveAnswer().head.hasPrefix("HTTP/1.1 \(crawls ? 408 : 200) "))
    await server.stop(within: .seconds(5))
  }

  @Test("The body of a DELETE is handed on, that of a GET is not", arguments: [("DELETE", "3"), ("GET", "0")])
  func unusual(method: String, size: String) async throws {
    let server = try TestServer.start(limits: Self.limits) { request in
      var size = request.body.count
      do { while let piece = try await request.stream?.pipe.read() { size += piece.count } } catch { size = -1 }
      return Response(status: .ok, body: .bytes(Array("\(size)".utf8)))
    }
    let client = try RawClient(port: server.port)
    client.send("\(method) /s/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
    #expect(client.receiveAnswer().body == size)
    await server.stop(within: .seconds(5))
  }

  @Test(
    "What is malformed, too long or too slow is refused, if nothing was answered yet",
    arguments: [("5\r\nabcdeX", "400"), ("900000\r\n", "413"), ("5\r\nabc", "408")])
  func refused(body: String, status: String) async throws {
    let server = try TestServer.start(limits: Self.limits) { request in
      do { while try await request.stream?.pipe.read() != nil {} } catch { return Response(status: 502) }
      return Response(status: .ok)
    }
    let client = try RawClient(port: server.port)
    client.send("POST /s/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    #expect(client.receiveAll().hasPrefix("HTTP/1.1 \(status) "))
    await server.stop(within: .seconds(5))
  }

  @Test("A reader that takes nothing stops the client, and little is held")
  func bounded() async throws {
    let gate = Gate()
    let server = try TestServer.start(limits: Self.limits) { request in
      await gate.pass()
      var size = 0
      do { while let piece = try await request.stream?.pipe.read() { size += piece.count } } catch { size = -1 }
      return Response(status: .ok, body: .bytes(Array("\(size)".utf8)))
    }
    let client = try RawClient(port: server.port)
    client.send("POST /s/ HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n")
    let sent = client.sendWhatFits([UInt8](repeating: 1, count: 8 << 20))
    #expect(sent < 8 << 20)
    gate.open()
    client.send([UInt8](repeating: 1, count: (8 << 20) - sent))
    #expect(client.receiveAnswer().body == "8388608")
    await server.stop(within: .seconds(5))
  }

  @Test("The work for a client that goes is cancelled, before its answer and within it", arguments: [false, true])
  func departure(isAnswering: Bool) async throws {
    let ended = Gate()
    let server = try TestServer.start(limits: Self.limits) { _ in
      let wait: @Sendable () async -> Void = {
        try? await Task.sleep(for: .seconds(50))
        ended.open()
      }
      if !isAnswering { await wait() }
      return Response(
        status: .ok,
        body: .stream { writer in
          try await writer.write([1])
          await wait()
        })
    }
    do {
      let client = try RawClient(port: server.port)
      client.send("GET /s/ HTTP/1.1\r\nHost: a\r\n\r\n")
      if isAnswering { _ = client.receive(through: "\r\n\r\n") }
    }
    await ended.pass()
    await server.stop(within: .seconds(5))
  }

  @Test("A body of another length than promised is cut", arguments: [3, 5])
  func otherLength(count: Int) async throws {
    let server = try TestServer.start { _ in
      Response(status: .ok, body: .stream(length: 4) { try await $0.write([UInt8](repeating: 0x61, count: count)) })
    }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = client.receiveAll()
    #expect(!answer.hasSuffix("\r\n\r\naaaa") && !answer.contains("aaaaa"))
    await server.stop(within: .seconds(5))
  }
}
