import HTTP
import HTTPServer
import Logging
import Testing

@Suite(.onOwnThread) struct StopTests {
  @Test("A stop lets a request in flight be answered, closes idle connections, and takes no new ones")
  func graceful() async throws {
    let gate = Gate()
    let server = try TestServer.start { request in
      if request.target == "/slow" { await gate.pass() }
      return Response(status: .ok, body: .bytes(Array("done".utf8)))
    }
    let port = server.port
    let idle = try RawClient(port: port)
    idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(idle.receiveAnswer().body == "done")
    let busy = try RawClient(port: port)
    busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
    while server.figures.requests < 2 { await Task.yield() }
    let stopping = Task.detached { await server.stop(within: .seconds(20)) }
    #expect(idle.receiveAll().isEmpty)
    // Each loop closes its listening socket once it drains; the answer is due after all of them do.
    while (try? RawClient(port: port)) != nil { await Task.yield() }
    gate.open()
    let answer = busy.receiveAnswer()
    #expect(answer.body == "done")
    #expect(answer.head.lowercased().contains("connection: close"))
    #expect(await stopping.value)
  }

  @Test("What is not answered within the limit is cut, and the stop says so")
  func cut() async throws {
    let gate = Gate()
    let server = try TestServer.start { _ in
      await gate.pass()
      return Response(status: .ok)
    }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    while server.figures.requests < 1 { await Task.yield() }
    #expect(await server.stop(within: .milliseconds(50)) == false)
    #expect(client.receiveAll().isEmpty)
    gate.open()
  }

  @Test("A port that is taken is reported in words that help")
  func portTaken() async throws {
    let first = try TestServer.start()
    let second = Server(
      configuration: ServerConfiguration(
        address: try ListenAddress("127.0.0.1:\(first.port)"), logger: Logger(level: .error)),
      handler: TestServer.echo)
    let failure = ServerFailure.listen(
      "port \(first.port) on 127.0.0.1 is in use by another program")
    #expect(throws: failure) { try second.start() }
    await first.stop(within: .seconds(5))
  }
}
