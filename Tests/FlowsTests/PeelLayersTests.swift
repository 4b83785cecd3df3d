import Domain
import HTTP
import Storage
import Synchronization
import Testing
import Upstream

@testable import Flows

@Suite("Peeling the layers of a hostile server", .timeLimit(.minutes(1)))
struct PeelLayersTests {
  private let test: TestInstallation

  init() async throws { test = try await TestInstallation() }

  /// What is found at a server that `answer` plays, for a person whose token it covers, and what it was sent.
  private func peel(
    _ path: String = "/api", named name: String = "demo", _ answer: @escaping @Sendable (Int, Request) -> Response
  ) async throws -> (found: PeelLayers.Found, sent: [String?]) {
    let sent = Mutex<[String?]>([])
    let server = try TestServer { request in
      let number = sent.withLock { sent in
        sent.append(request.headers["authorization"])
        return sent.count
      }
      return answer(number, request)
    }
    let connection = try await test.connection(.oidc, to: server, named: name)
    try await hold(at: connection)
    let url = try #require(ResourceURL(server.origin + path))
    let wish = PeelLayers.Wish(url: url, account: test.account.id, connections: [connection])
    let found = try await PeelLayers(test.here)(wish)
    await server.stop()
    return (found, sent.withLock(\.self))
  }

  private func hold(at connection: Connection) async throws {
    _ = try await test.put(
      UpstreamTokens(accessToken: Secret("held"), accessExpiresAt: test.time.now + 600, refreshToken: nil),
      at: connection)
  }

  private static func to(_ location: String) -> Response {
    var headers = Headers()
    if let value = FieldValue(location) { headers.set("location", value) }
    return Response(status: 302, headers: headers, body: .bytes([]))
  }

  private static let wantsToken = Response(
    status: .unauthorized, headers: ["www-authenticate": "Bearer realm=\"maps\""], body: .bytes([]))

  @Test("follows four redirects at most, whether they go in circles or on and on")
  func loops() async throws {
    for name in ["circle", "line"] {
      let (found, sent) = try await peel(named: name) { number, _ in
        Self.to(name == "circle" ? "/api" : "/api/\(number)")
      }
      #expect(found.end == .unknown("It redirects again and again.") && sent.count == 4)
    }
  }

  @Test("shows a token that is asked for, and not a second time when it was refused")
  func refused() async throws {
    let (found, sent) = try await peel { _, _ in Self.wantsToken }
    #expect(sent == [nil, "Bearer held"])
    #expect(found.end == .waits && found.layers.map(\.state) == [.refused])
  }

  @Test("ends where the person is known and has no right, and where everything is satisfied")
  func ends() async throws {
    let (found, _) = try await peel { number, _ in
      number == 1 ? Self.wantsToken : Response(status: .forbidden, headers: [], body: .bytes([]))
    }
    #expect(found.end == .forbidden)
    let (open, sent) = try await peel(named: "open") { number, _ in
      number == 1 ? Self.wantsToken : Response(status: .ok, headers: ["content-type": "image/png"], body: .bytes([1]))
    }
    #expect(open.end == .answers && sent == [nil, "Bearer held"])
    #expect(open.layers.map(\.fieldNames) == [["Authorization"]])
  }

  @Test("a server that asks for another layer each time and redirects in between gets ten requests at most")
  func changing() async throws {
    let (found, sent) = try await peel { number, request in
      if request.path == "/api" { return Self.to("/api/\(number)") }
      return number < 8 && request.headers["authorization"] == nil
        ? Self.wantsToken : Self.to("/api/\(number)")
    }
    #expect(found.end != .answers && sent.count <= 10, "\(sent.count)")
  }

  @Test("does not ask a place that redirects lead to and the connection does not cover")
  func uncovered() async throws {
    let sent = Mutex<[String]>([])
    let server = try TestServer { request in
      sent.withLock { $0.append("\(request.path) \(request.headers["authorization"] ?? "-")") }
      if request.path == "/other" {
        return Response(status: .ok, headers: ["content-type": "image/png"], body: .bytes([1]))
      }
      return request.headers["authorization"] == nil ? Self.wantsToken : Self.to("/other")
    }
    var connection = Connection(
      id: try #require(ConnectionID("narrow")), name: "narrow", kind: .oidc, origin: server.origin, clientID: "us",
      createdAt: test.time.now)
    connection.reach.hosts = [server.hostAndPort]
    connection.resources = [try #require(ResourcePattern(server.origin + "/api"))]
    let narrow = connection
    try await test.store.write { try $0.insert(narrow, clientSecret: nil) }
    try await hold(at: narrow)
    let url = try #require(ResourceURL(server.origin + "/api"))
    _ = try await PeelLayers(test.here)(
      .init(url: url, account: test.account.id, connections: [narrow]))
    #expect(sent.withLock(\.self) == ["/api -", "/api Bearer held"])
    await server.stop()
  }
}
