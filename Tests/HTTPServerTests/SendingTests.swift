import Glibc
import HTTP
import HTTPServer
import Testing

/// Answers that the system does not take at once.
@Suite(.onOwnThread) struct SendingTests {
  @Test("Answers that nobody reads for a while arrive whole and in order", arguments: [512, 0], [4_000, 20_000])
  func slowReader(waitingTasks: Int, size: Int) async throws {
    var limits = Limits()
    limits.requestsPerConnection = 20_000
    limits.waitingTasks = waitingTasks
    let server = try TestServer.start(limits: limits) { request in
      Response(status: .ok, body: .bytes(Array((request.target + String(repeating: "x", count: size)).utf8)))
    }
    let client = try RawClient(port: server.port)
    var sent = 0
    // One at a time, each answered at the end of a turn, until the socket is full and the server waits.
    while sent < 10_000, await isAnswering(server, sent) {
      sent += 1
      client.send("GET /\(sent)/ HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    #expect(sent < 10_000, "the socket was never full")
    for number in 1...sent {
      let body = client.receiveAnswer().body
      #expect(body.hasPrefix("/\(number)/x") && body.utf8.count > size)
    }
    await server.stop(within: .seconds(5))
  }

  @Test("Answers to requests that come together keep their order, whatever their bodies' sizes")
  func mixedSizes() async throws {
    let sizes = [20_000, 10, 5_000, 100_000, 1, 60_000, 70_000, 3]
    let server = try TestServer.start { request in
      let size = sizes[Int(request.target.dropFirst()) ?? 0]
      return Response(status: .ok, body: .bytes([UInt8](repeating: UInt8(ascii: "x"), count: size)))
    }
    let client = try RawClient(port: server.port)
    client.send(sizes.indices.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for size in sizes { #expect(client.receiveAnswer().body.utf8.count == size) }
    await server.stop(within: .seconds(5))
  }

  @Test("Many connections that ask at once all get their answers")
  func together() async throws {
    let server = try TestServer.start(loops: 1)
    let clients = try (0..<100).map { _ in try RawClient(port: server.port) }
    for round in 1...5 {
      for client in clients { client.send("GET /\(round) HTTP/1.1\r\nHost: a\r\n\r\n") }
      for client in clients { #expect(client.receiveAnswer().body.hasPrefix("GET /\(round) ")) }
    }
    await server.stop(within: .seconds(5))
  }

  /// Whether the server has taken up `count` requests, or does so within half a second.
  private func isAnswering(_ server: Server, _ count: Int) async -> Bool {
    for _ in 0..<5_000 {
      if server.figures.requests >= count { return true }
      usleep(100)
    }
    return false
  }
}
