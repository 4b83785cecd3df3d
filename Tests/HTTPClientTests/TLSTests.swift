import HTTP
import Testing

@testable import HTTPClient

@Suite("TLS", .timeLimit(.minutes(1)))
struct TLSTests {
  let client: OutboundClient

  init() throws { client = try OutboundClient() }

  @Test("A certificate of a trusted authority is accepted, and its connection kept")
  func trusted() async throws {
    let server = try TLSServer()
    for _ in 0..<3 {
      let answer = try await client.send(server.request())
      #expect(answer.body == Array("ok".utf8))
      #expect(answer.headers["x-connection"] == "1")
    }
  }

  @Test("A certificate of an unknown authority means that nothing was sent")
  func unknownAuthority() async throws {
    let server = try TLSServer()
    var request = server.request()
    request.authorities = nil
    #expect(await outcome(client, request) == .notSent(.certificate))
    #expect(try await client.send(server.request()).headers["x-connection"] == "1")
  }

  @Test("What one request trusts is not trusted for the next")
  func trustIsPerRequest() async throws {
    let server = try TLSServer()
    var request = server.request()
    #expect(await outcome(client, request) == .answer(200))
    request.authorities = nil
    #expect(await outcome(client, request) == .notSent(.certificate))
  }

  @Test("A certificate for another name means that nothing was sent")
  func wrongName() async throws {
    let server = try TLSServer(name: "elsewhere.example")
    #expect(await outcome(client, server.request()) == .notSent(.certificate))
  }

  @Test("An expired certificate means that nothing was sent")
  func expired() async throws {
    let server = try TLSServer(days: -1)
    #expect(await outcome(client, server.request()) == .notSent(.certificate))
  }

  @Test("A server that does not speak TLS means that nothing was sent")
  func plainServer() async throws {
    let server = try WireServer { wire in wire.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
    var request = OutboundRequest(.post, "https://127.0.0.1:\(server.port)/", body: [1])
    request.reach = server.reach
    #expect(await outcome(client, request) == .notSent(.tls))
  }

  @Test("A handshake that stalls ends with the time to connect")
  func stalled() async throws {
    let server = try WireServer { wire in wire.linger() }
    var request = OutboundRequest(.post, "https://127.0.0.1:\(server.port)/", body: [1])
    request.reach = server.reach
    request.limits.connect = .milliseconds(300)
    #expect(await outcome(client, request) == .notSent(.timeout))
  }

  @Test("A file of authorities that cannot be read means that nothing was sent")
  func missingFile() async throws {
    let server = try TLSServer()
    var request = server.request()
    request.authorities = "/nowhere.pem"
    #expect(await outcome(client, request) == .notSent(.tls))
  }

  @Test("A TLS session is resumed within its pool, and in no other")
  func sessions() async throws {
    let server = try TLSServer()
    var request = server.request("/close")
    request.pool = "alice"
    #expect(try await client.send(request).headers["x-resumed"] == "False")
    #expect(try await client.send(request).headers["x-resumed"] == "True")
    request.pool = "bob"
    #expect(try await client.send(request).headers["x-resumed"] == "False")
    request.pool = nil
    #expect(try await client.send(request).headers["x-resumed"] == "False")
  }
}
