import HTTP
import HTTPServer
import TLS
import Testing

@Suite(.onOwnThread) struct PauseTests {
  private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test("A connection is answered after a long pause, and again after the next", arguments: ["", request])
  func answered(first: String) async throws {
    let server = try TestServer.start(limits: Self.noTasks)
    let client = try RawClient(port: server.port)
    client.send(first)
    if !first.isEmpty { #expect(client.receiveAnswer().body.hasSuffix("over http")) }
    for _ in 0..<2 {
      await untilParked(1, server)
      client.send(Self.request)
      #expect(client.receiveAnswer().body.hasSuffix("over http"))
    }
    #expect(server.figures.open == 1)
    await server.stop(within: .seconds(5))
  }

  @Test("Only those that paused last keep their task, and all are answered")
  func displaced() async throws {
    var limits = Limits()
    limits.waitingTasks = 3
    let server = try TestServer.start(limits: limits, loops: 1)
    let clients = try (0..<10).map { _ in try RawClient(port: server.port) }
    await untilParked(7, server)
    for client in clients + clients.reversed() {
      client.send(Self.request)
      #expect(client.receiveAnswer().body.hasSuffix("over http"))
    }
    await untilParked(7, server)
    #expect(server.figures.parked == 7)
    #expect(server.figures.requests == 20)
    await server.stop(within: .seconds(5))
  }

  @Test("Many connections that pause are all answered when they speak at once")
  func many() async throws {
    let server = try TestServer.start(limits: Self.noTasks)
    let clients = try (0..<50).map { _ in try RawClient(port: server.port) }
    await untilParked(50, server)
    for (number, client) in clients.enumerated() { client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n") }
    for (number, client) in clients.enumerated() {
      #expect(client.receiveAnswer().body.hasPrefix("GET /\(number) "))
    }
    await server.stop(within: .seconds(5))
  }

  @Test("A pause that is too long ends the connection without an answer", arguments: ["", request])
  func idle(first: String) async throws {
    var limits = Self.noTasks
    limits.firstByte = .milliseconds(300)
    limits.keepAlive = .milliseconds(300)
    let server = try TestServer.start(limits: limits)
    let client = try RawClient(port: server.port)
    client.send(first)
    #expect(client.receiveAll().hasSuffix(first.isEmpty ? "" : "over http"))
    while server.figures.open > 0 { await Task.yield() }
    #expect(server.figures.parked == 0)
    await server.stop(within: .seconds(5))
  }

  @Test("A client that leaves in a pause is noticed")
  func left() async throws {
    let server = try TestServer.start(limits: Self.noTasks)
    var clients = [try RawClient(port: server.port)]
    await untilParked(1, server)
    clients.removeAll()
    while server.figures.open > 0 { await Task.yield() }
    #expect(server.figures.parked == 0)
    await server.stop(within: .seconds(5))
  }

  @Test("A stop closes connections in a pause at once")
  func stop() async throws {
    let server = try TestServer.start(limits: Self.noTasks)
    let clients = try (0..<10).map { _ in try RawClient(port: server.port) }
    await untilParked(10, server)
    #expect(await server.stop(within: .seconds(20)))
    for client in clients { #expect(client.receiveAll().isEmpty) }
    #expect(server.figures.open == 0)
  }

  @Test("A TLS session goes on after a pause", arguments: ["-tls1_3", "-tls1_2"])
  func tls(option: String) async throws {
    let directory = TemporaryDirectory()
    let server = try TestServer.start(limits: Self.noTasks, tls: TLSContext(files: certificate(in: directory)))
    let answers = Shell.run(
      "{ printf 'GET /first HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'; sleep 0.3;"
        + " printf 'GET /second HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n'; }"
        + " | timeout 10 openssl s_client -connect 127.0.0.1:\(server.port) -ign_eof \(option)")
    #expect(answers.contains("GET /first [] from 127.0.0.1 over https"))
    #expect(answers.contains("GET /second [] from 127.0.0.1 over https"))
    await server.stop(within: .seconds(5))
  }

  @Test("A handshake that stops ends at its time, and lets the server stop", arguments: [true, false])
  func handshake(isStopped: Bool) async throws {
    let directory = TemporaryDirectory()
    var limits = Self.noTasks
    limits.handshake = .milliseconds(1_500)
    let server = try TestServer.start(limits: limits, tls: TLSContext(files: certificate(in: directory)))
    let client = try RawClient(port: server.port)
    client.send("\u{16}\u{03}\u{01}")
    while server.figures.open == 0 && isStopped { await Task.yield() }
    if isStopped { #expect(await server.stop(within: .seconds(20))) }
    #expect(client.receiveAll().isEmpty)
    await server.stop(within: .seconds(5))
  }

  @Test("An answer that is ready does not wait for the next one on its connection")
  func pipelining() async throws {
    let gate = Gate()
    let server = try TestServer.start { request in
      if request.target == "/slow" { await gate.pass() }
      return Response(status: .ok, body: .bytes(Array(request.target.utf8)))
    }
    let client = try RawClient(port: server.port)
    client.send("GET /fast HTTP/1.1\r\nHost: a\r\n\r\nGET /slow HTTP/1.1\r\nHost: a\r\n\r\n" + Self.request)
    #expect(client.receiveAnswer().body == "/fast")
    gate.open()
    #expect(client.receiveAnswer().body == "/slow")
    #expect(client.receiveAnswer().body == "/")
    await server.stop(within: .seconds(5))
  }

  /// Every pause is spent without a task.
  private static var noTasks: Limits {
    var limits = Limits()
    limits.waitingTasks = 0
    return limits
  }

  private func untilParked(_ count: Int, _ server: Server) async {
    while server.figures.parked < count { await Task.yield() }
  }

  private func certificate(in directory: TemporaryDirectory) -> CertificateFiles {
    let files = CertificateFiles(chain: "\(directory.path)/c.pem", key: "\(directory.path)/k.pem")
    _ = Shell.run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=pause.test"
        + " -keyout \(files.key) -out \(files.chain)")
    return files
  }
}
