import Glibc
import HTTP
import HTTPServer
import Testing

/// Answers that the system does not take at once.
@Suite(.onOwnThread) struct SendingTests {
  @Test("Answers that nobody reads for a while arrive whole and in order", arguments: [512, 0])
  func slowReader(waitingTasks: Int) async throws {
    var limits = Limits()
    limits.requestsPerConnection = 20_000
    limits.waitingTasks = waitingTasks
    let server = try TestServer.start(limits: limits) { request in
      Response(status: .ok, body: .bytes(Array((request.target + String(repeating: "x", count: 4_000)).utf8)))
    }
    let client = try RawClient(port: server.port)
    var sent = 0
    // One at a time, each answered at the end of a turn, until the socket is full and the server waits.
    while sent < 10_000, await isAnswering(server, sent) {
      sent += 1
      client.send("GET /\(sent)/ HTTP/1.1\r\nHost: a\r\n\r\n")
    }
    #expect(sent < 10_000, "the socket was never full")
    for number in 1...sent { #expect(client.receiveAnswer().body.hasPrefix("/\(number)/x")) }
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
