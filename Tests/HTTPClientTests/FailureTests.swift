import Glibc
import HTTP
import Testing

@testable import HTTPClient

@Suite("What a failure says about what was sent", .timeLimit(.minutes(1)))
struct FailureTests {
  let client: OutboundClient

  init() throws { client = try OutboundClient() }

  @Test(
    "An answer that breaks off is incomplete",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "HTTP/1.1 200 OK\r\nContent-Type: text/pl", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTT", "",
    ])
  func truncated(answer: String) async throws {
    let server = try WireServer { wire in
      _ = wire.request()
      wire.send(answer)
    }
    let result = await outcome(client, server.request(post: "a=1"))
    guard case .incomplete = result else {
      Issue.record("\(result)")
      return
    }
    #expect(server.seen.requests.count == 1)
  }

  @Test(
    "What is not HTTP is an incomplete answer", arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9 maybe\r\n\r\n", "{}"])
  func malformed(answer: String) async throws {
    let server = try WireServer { wire in
      _ = wire.request()
      wire.send(answer)
    }
    #expect(await outcome(client, server.request()) == .incomplete(.malformed))
  }

  @Test(
    "A switch of protocols and a status beyond the registry's classes are no answers, streamed or whole",
    arguments: ["101 Switching Protocols", "600 Beyond", "099 Before"])
  func noFinalStatus(status: String) async throws {
    let server = try WireServer { wire in
      _ = wire.request()
      wire.send("HTTP/1.1 \(status)\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
      wire.linger()
    }
    #expect(await outcome(client, server.request()) == .incomplete(.malformed))
    let failure = await #expect(throws: OutboundFailure.self) { try await client.open(server.request()) }
    guard case .incomplete(let cause) = failure, cause.kind == .malformed else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test("An answer that does not come in time is incomplete")
  func slow() async throws {
    let server = try WireServer { wire in wire.linger() }
    var request = server.request(post: "a=1")
    request.limits.total = .milliseconds(200)
    #expect(await outcome(client, request) == .incomplete(.timeout))
    #expect(server.seen.requests.count == 1)
  }

  @Test("An answer that trickles is cut off by the total time")
  func trickle() async throws {
    let server = try WireServer { wire in
      _ = wire.request()
      wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
      for _ in 0..<500 {
        wire.send("x")
        usleep(10_000)
      }
    }
    var request = server.request()
    request.limits.total = .milliseconds(300)
    #expect(await outcome(client, request) == .incomplete(.timeout))
  }

  @Test("A refused port means that nothing was sent")
  func refusedPort() async throws {
    let port = try { try WireServer { wire in wire.linger() }.port }()
    let reach = Reach(endpoints: [.init(host: "127.0.0.1", port: port)], allowsHTTP: true)
    let request = OutboundRequest(.post, "http://127.0.0.1:\(port)/", body: [1], reach: reach)
    try await eventually { !isListening(port) }
    #expect(await outcome(client, request) == .notSent(.connect))
  }

  @Test("A host that does not take connections means that nothing was sent")
  func blackHole() async throws {
    let server = try WireServer(backlog: 0, nil)
    let fillers = (0..<4).map { _ in knock(server.port) }
    defer { fillers.forEach { close($0) } }
    var request = server.request(post: "a=1")
    request.limits.connect = .milliseconds(300)
    #expect(await outcome(client, request) == .notSent(.timeout))
  }

  @Test("A name without an address means that nothing was sent")
  func unknownName() async throws {
    let result = await outcome(client, OutboundRequest(.get, "https://no-such-host.invalid/"))
    #expect(result == .notSent(.name) || result == .notSent(.timeout))
  }

  @Test(
    "An answer over a limit is too large",
    arguments: [
      ("Content-Length: 2000\r\n\r\n", "\r\n"), ("Transfer-Encoding: chunked\r\n\r\n7d0\r\n", "\r\n0\r\n\r\n"),
      ("\r\n", ""), ("X: ", "\r\n\r\n"),
    ])
  func tooLarge(before: String, after: String) async throws {
    let server = try WireServer { wire in
      _ = wire.request()
      wire.send("HTTP/1.1 200 OK\r\n" + before + String(repeating: "x", count: 2000) + after)
    }
    var request = server.request()
    request.limits.body = 1999
    request.limits.head = 1024
    #expect(await outcome(client, request) == .tooLarge)
  }

  @Test("An answer exactly at the limit is whole")
  func atLimit() async throws {
    let server = try WireServer { wire in
      _ = wire.request()
      wire.answer(String(repeating: "x", count: 2000))
    }
    var request = server.request()
    request.limits.body = 2000
    #expect(try await client.send(request).body.count == 2000)
  }

  @Test("A request whose time to be sent has passed is not sent, though the connection stands")
  func late() async throws {
    let server = try WireServer { wire in wire.linger() }
    var request = server.request(post: "a=1")
    request.sendBefore = .now
    #expect(await outcome(client, request) == .notSent(.late))
    try await eventually { server.seen.closed == 1 }
    #expect(server.seen.requests.isEmpty)
  }

  @Test("A name that leads to loopback is refused at the socket, unless its network is allowed")
  func nameToLoopback() async throws {
    let server = try WireServer { wire in while wire.request() != nil { wire.answer("") } }
    var request = OutboundRequest(.post, server.url(host: "localhost"), body: [1])
    request.reach = Reach(endpoints: [.init(host: "localhost", port: server.port)], allowsHTTP: true)
    guard case .refused(.address(_, .loopback)) = await outcome(client, request) else {
      Issue.record("not refused")
      return
    }
    #expect(server.seen.connections == 0)
    request.reach.networks = ["127.0.0.1/32", "::1/128"].compactMap { AddressRange($0) }
    #expect(await outcome(client, request) == .answer(200))
  }

  @Test("A kept connection is refused to a request that could not have opened it")
  func narrowerReach() async throws {
    let server = try WireServer { wire in while wire.request() != nil { wire.answer("") } }
    var request = OutboundRequest(.get, server.url(host: "localhost"))
    request.reach = Reach(
      endpoints: [.init(host: "localhost", port: server.port)],
      networks: ["127.0.0.1/32", "::1/128"].compactMap { AddressRange($0) }, allowsHTTP: true)
    #expect(await outcome(client, request) == .answer(200))
    request.reach.networks = []
    guard case .refused(.address(_, .loopback)) = await outcome(client, request) else {
      Issue.record("not refused")
      return
    }
    #expect(server.seen.requests.count == 1)
  }

  @Test("Plain http and other ports are refused before a connection", arguments: [true, false])
  func refusedEarly(allowsHTTP: Bool) async throws {
    let server = try WireServer { wire in wire.linger() }
    var request = server.request()
    request.reach = Reach(networks: ["127.0.0.0/8"].compactMap { AddressRange($0) }, allowsHTTP: allowsHTTP)
    #expect(await outcome(client, request) == .refused(allowsHTTP ? .port(server.port) : .plainHTTP))
    #expect(server.seen.connections == 0)
  }

  /// Whether something accepts connections on the port.
  private func isListening(_ port: Int) -> Bool {
    let socket = knock(port)
    defer { close(socket) }
    var events = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&events, 1, 1000) == 1 && events.revents & Int16(POLLERR | POLLHUP) == 0
  }

  /// Begins a connection without waiting for it.
  private func knock(_ port: Int) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let socket = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe connect(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    return socket
  }
}
