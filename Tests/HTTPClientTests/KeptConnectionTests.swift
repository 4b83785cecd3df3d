import HTTP
import Testing

@testable import HTTPClient

@Suite("Kept connections", .timeLimit(.minutes(1)))
struct KeptConnectionTests {
  let client: OutboundClient

  init() throws { client = try OutboundClient() }

  /// The number of the connection that an answer came on.
  private func connection(_ request: OutboundRequest) async throws -> String? {
    try await client.send(request).headers["x-connection"]
  }

  @Test("Requests one after another share a connection")
  func reuse() async throws {
    let server = try WireServer { wire in while wire.request() != nil { wire.answer("") } }
    for _ in 0..<20 { _ = try await client.send(server.request(post: "a=1")) }
    #expect(server.seen.connections == 1)
    #expect(server.seen.requests.count == 20)
  }

  @Test("Another pool, or other trusted certificates, never get the connection")
  func pools() async throws {
    let server = try WireServer { wire in while wire.request() != nil { wire.answer("") } }
    var first = server.request()
    first.pool = "alice:1"
    var second = server.request()
    second.pool = "alice:2"
    var third = first
    third.authorities = "/nowhere.pem"
    #expect(try await connection(first) == "1")
    #expect(try await connection(second) == "2")
    #expect(try await connection(server.request()) == "3")
    #expect(try await connection(third) == "4")
    #expect(try await connection(first) == "1")
    #expect(try await connection(second) == "2")
    #expect(try await connection(server.request()) == "3")
  }

  @Test("A request that asks for a new connection gets one, which is kept afterwards")
  func fresh() async throws {
    let server = try WireServer { wire in while wire.request() != nil { wire.answer("") } }
    _ = try await client.send(server.request())
    var request = server.request()
    request.mayReuseConnection = false
    #expect(try await connection(request) == "2")
    _ = try await client.send(server.request())
    #expect(server.seen.connections == 2)
  }

  @Test("A kept connection that ended meanwhile is replaced before anything is sent")
  func ended() async throws {
    let server = try WireServer { wire in
      if wire.request() != nil { wire.answer("") }
    }
    _ = try await client.send(server.request(post: "a=1"))
    try await eventually { server.seen.closed == 1 }
    #expect(await outcome(client, server.request(post: "a=1")) == .answer(200))
    #expect(server.seen.connections == 2)
    #expect(server.seen.requests.count == 2)
  }

  @Test("A POST on a kept connection that ends without an answer is not repeated by itself")
  func postNotRepeated() async throws {
    let server = try WireServer { wire in
      if wire.request() != nil { wire.answer("") }
      _ = wire.request()
    }
    _ = try await client.send(server.request())
    #expect(await outcome(client, server.request(post: "a=1")) == .incomplete(.connectionLost))
    #expect(server.seen.requests.count == 2)
  }

  @Test("A GET on a kept connection that ends without an answer is repeated on a new one")
  func getRepeated() async throws {
    let server = try WireServer { wire in
      if wire.request() != nil { wire.answer("") }
      _ = wire.request()
    }
    _ = try await client.send(server.request())
    #expect(await outcome(client, server.request()) == .answer(200))
    #expect(server.seen.requests.count == 3)
  }

  @Test("A pool that nobody uses is closed after its time")
  func idle() async throws {
    var settings = OutboundSettings()
    settings.idle = .milliseconds(50)
    let client = try OutboundClient(settings)
    let server = try WireServer { wire in
      while wire.request() != nil { wire.answer("") }
    }
    _ = try await client.send(server.request())
    try await eventually { server.seen.closed == 1 }
    #expect(await outcome(client, server.request()) == .answer(200))
    #expect(server.seen.connections == 2)
  }

  @Test("Beyond the number of kept pools the longest unused is closed")
  func crowd() async throws {
    var settings = OutboundSettings()
    settings.keptPools = 2
    let client = try OutboundClient(settings)
    let server = try WireServer { wire in while wire.request() != nil { wire.answer("") } }
    for pool in ["a", "b", "c"] {
      var request = server.request()
      request.pool = pool
      _ = try await client.send(request)
    }
    try await eventually { server.seen.closed == 1 }
    for pool in ["b", "c", "a"] {
      var request = server.request()
      request.pool = pool
      _ = try await client.send(request)
    }
    #expect(server.seen.connections == 4)
  }
}
