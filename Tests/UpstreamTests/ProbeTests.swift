import Domain
import HTTP
import HTTPClient
import JSON
import Simulator
import Synchronization
import Testing

@testable import Upstream

@Suite("A probe", .timeLimit(.minutes(1)))
struct ProbeTests {
  /// Probes a page of a server that always answers the same.
  private func probe(
    _ answer: Response, path: String = "/gis/rest/services/Roads/MapServer", identityProviders: Set<String> = []
  ) async throws -> (challenge: Challenge, requests: Int) {
    let server = try Loopback { _ in answer }
    let url = try #require(ResourceURL(server.origin + path))
    let challenge = try await upstreams().probe(url, .administrator(), identityProviders: identityProviders)
    #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil && $0.headers["cookie"] == nil })
    return (challenge, server.requests.count)
  }

  @Test("follows a redirect for an app only to what the connection covers")
  func uncoveredRedirect() async throws {
    let server = try Loopback { request in
      Self.answer(302, [("location", request.target.hasPrefix("/gis/a") ? "/gis/b" : "/internal/delete?all=1")])
    }
    let url = try #require(ResourceURL(server.origin + "/gis/a"))
    var connection = try Samples.connection(origin: server.origin)
    connection.reach.hosts = ["\(url.host):\(url.port)"]
    connection.resources = [try #require(ResourcePattern(server.origin + "/gis"))]
    let challenge = try await upstreams().probe(url, .connection(connection), identityProviders: [])
    #expect(challenge == .unknown("It redirects to what no connection covers."))
    #expect(server.requests.map(\.target) == ["/gis/a", "/gis/b"])
  }

  private func upstreams() throws -> Upstreams { try Upstreams(client: OutboundClient()) }

  private static func answer(_ status: Status, _ fields: [(FieldName, FieldValue)] = [], _ body: String = "")
    -> Response
  {
    var headers = Headers()
    for (name, value) in fields { headers.add(name, value) }
    return Response(status: status, headers: headers, body: .bytes(Array(body.utf8)))
  }

  @Test(
    "knows a layer by one answer",
    arguments: [
      (
        answer(
          401, [("www-authenticate", "Negotiate, Digest realm=\"gis\", qop=\"auth\""), ("www-authenticate", "NTLM")]),
        Challenge.network(.authentication([.init(.negotiate), .init(.digest, realm: "gis"), .init(.ntlm)]))
      ),
      (
        answer(401, [("www-authenticate", "Bearer realm=\"x\"")]), .accessToken(realm: "x")
      ),
      (
        answer(401, [("www-authenticate", "HOBA max-age=\"10\"")]),
        .unknown("It asks for HTTP authentication of another kind: hoba.")
      ),
      (
        answer(302, [("location", "https://login.microsoftonline.com/t/oauth2/authorize?client_id=x")]),
        .identityAwareProxy(host: "login.microsoftonline.com")
      ),
      (
        answer(302, [("location", "https://id.example.org/a?state=AppProxyState:{\"InvalidTokenRetry\":null}#End#")]),
        .identityAwareProxy(host: "id.example.org")
      ),
      (
        answer(302, [("location", "//id.example.org/a?response_type=code&scope=openid&client_id=x")]),
        .identityAwareProxy(host: "id.example.org")
      ),
      (answer(303, [("location", "https://idp.example.org/page")]), .identityAwareProxy(host: "idp.example.org")),
      (
        answer(
          302,
          [("location", "https://gis.example.org/portal/sharing/rest/oauth2/authorize?client_id=a&response_type=code")]),
        .arcGIS(ArcGISChallenge(portal: "https://gis.example.org/portal", tokenService: nil))
      ),
      (
        answer(301, [("location", "https://elsewhere.example.org/page")]),
        .unknown("It redirects to https://elsewhere.example.org, which was not asked.")
      ),
      (
        answer(302, [("location", "https://a b/")]), .unknown("It redirects to an address that cannot be read.")
      ),
      (answer(200, [("content-type", "application/json")], "{\"layers\":[]}"), .none),
      (answer(200, [("content-type", "image/png")], "PNG"), .none),
      (
        answer(200, [], "{\"error\":{\"code\":400,\"message\":\"Invalid URL\"}}"),
        .unknown("It answers with error 400: Invalid URL")
      ),
      (answer(404), .unknown("It answers with status 404, which names nothing that could be sent.")),
    ] as [(Response, Challenge)])
  func oneAnswer(answer: Response, expected: Challenge) async throws {
    let (challenge, requests) = try await probe(answer, identityProviders: ["idp.example.org"])
    #expect(challenge == expected)
    #expect(requests == 1)
  }

  @Test("asks a page once more for JSON, and not again")
  func page() async throws {
    let answer = Self.answer(200, [("content-type", "text/html")], "<html>Sign in</html>")
    let (challenge, requests) = try await probe(answer, path: "/page?f=html&a=1")
    #expect(
      challenge == .unknown("It answers with a page, also when asked for JSON: a sign-in of its own may stand there."))
    #expect(requests == 2)
    #expect(try await probe(answer, path: "/page?f=json").requests == 1)
  }

  @Test("follows few redirects of the same origin and sends five requests at most")
  func redirects() async throws {
    let server = try Loopback { request in
      let page = Int(request.path.dropFirst(2)) ?? 0
      if page < 3, let next = FieldValue("/p\(page + 1)?f=html") {
        return Self.answer(302, [("location", next)])
      }
      if !request.target.hasSuffix("f=json") { return Self.answer(200, [("content-type", "text/html")], "<p>") }
      return Self.answer(200, [], "{\"error\":{\"code\":499,\"message\":\"Token Required\"}}")
    }
    let url = try #require(ResourceURL(server.origin + "/p0"))
    let challenge = try await upstreams().probe(url, .administrator())
    #expect(challenge == .arcGIS(ArcGISChallenge(portal: nil, tokenService: nil)))
    #expect(challenge.kinds.isEmpty)
    #expect(server.requests.map(\.target) == ["/p0", "/p1?f=html", "/p2?f=html", "/p3?f=html", "/p3?f=json"])
    let circle = Self.answer(302, [("location", "/again")])
    #expect(try await probe(circle).challenge == .unknown("It redirects again and again."))
    #expect(try await probe(circle, identityProviders: ["127.0.0.1"]).requests == 4)
  }

  @Test("sees the layers of a URL peel from the outside in, with four requests for all three")
  func layers() async throws {
    let layer = "/server/rest/services/Traffic/FeatureServer/0"
    let open = Mutex(0)
    let server = try Loopback { request in
      let peeled = open.withLock(\.self)
      if peeled == 0 { return Self.answer(401, [("www-authenticate", "Basic realm=\"web tier\"")]) }
      if peeled == 1 { return Self.answer(302, [("location", "https://id.example.org/a?state=AppProxyState:{}")]) }
      let info = "{\"owningSystemUrl\":\"https://gis.example.org/portal\",\"authInfo\":{\"isTokenBasedSecurity\":true}}"
      let refused = "{\"error\":{\"code\":499,\"message\":\"Token Required\"}}"
      return Self.answer(200, [("content-type", "application/json")], request.path == layer ? refused : info)
    }
    let url = try #require(ResourceURL(server.origin + layer))
    var seen: [Challenge] = []
    for layer in 0..<3 {
      open.withLock { $0 = layer }
      seen.append(try await upstreams().probe(url, .administrator()))
    }
    #expect(
      seen == [
        .network(.authentication([.init(.basic, realm: "web tier")])), .identityAwareProxy(host: "id.example.org"),
        .arcGIS(ArcGISChallenge(portal: "https://gis.example.org/portal", tokenService: nil)),
      ])
    #expect(server.requests.count == 4)
  }

  @Test("goes nowhere that nobody declared")
  func permissions() async throws {
    let portal = try TestPortal()
    let url = try #require(ResourceURL(portal.loopback.origin + "/server/rest/info"))
    var undeclared = portal.connection
    undeclared.reach.hosts = []
    await #expect(throws: Probe.Failure.self) { try await upstreams().probe(url, .connection(undeclared)) }
    #expect(portal.loopback.requests.isEmpty)
    #expect(try await upstreams().probe(url, .connection(portal.connection)) == .none)
  }

  @Test("asks an ArcGIS server whose it is", arguments: ["none", "refuse", "403"])
  func federated(fault: String) async throws {
    let portal = try TestPortal()
    if fault == "refuse" { await portal.fault("refuse", at: "server.layer", times: 9) }
    if fault == "403" { await portal.fault("status", at: "server.layer", value: 403, times: 9) }
    let layer = portal.loopback.origin + "/server/rest/services/Traffic/FeatureServer/0"
    let url = try #require(ResourceURL(layer))
    let challenge = try await upstreams().probe(url, .connection(portal.connection))
    guard case .arcGIS(let wanted) = challenge else {
      Issue.record("\(challenge)")
      return
    }
    #expect(wanted.portal == portal.connection.origin && wanted.signIn == .oauth)
    #expect(wanted.tokenService == portal.connection.origin + "/sharing/rest/generateToken")
    #expect(portal.connection.meets(challenge))
    #expect(try !Samples.connection().meets(challenge))
    #expect(portal.loopback.requests.count <= 3)
  }

  @Test("finds the portal of its own resources, and nothing to demand of a public service")
  func portal() async throws {
    let portal = try TestPortal()
    let own = try #require(ResourceURL(portal.loopback.origin + "/sharing/rest/community/self?f=json"))
    let wanted = ArcGISChallenge(
      portal: portal.connection.origin, tokenService: portal.connection.origin + "/sharing/rest/generateToken")
    #expect(try await upstreams().probe(own, .connection(portal.connection)) == .arcGIS(wanted))
    let roads = try #require(ResourceURL(portal.loopback.origin + "/server/rest/services/Roads/FeatureServer/0"))
    #expect(try await upstreams().probe(roads, .connection(portal.connection)) == .none)
  }

  @Test("knows a server that stands alone by its token service")
  func alone() async throws {
    let server = try Loopback { request in
      let info =
        "{\"authInfo\":{\"isTokenBasedSecurity\":true,\"tokenServicesUrl\":\"https://gis.example.org/tokens/\"}}"
      let refused = "{\"status\":\"error\",\"messages\":[\"Token required\"],\"code\":499}"
      return Self.answer(200, [], request.path.hasSuffix("/rest/info") ? info : refused)
    }
    let url = try #require(ResourceURL(server.origin + "/arcgis/rest/services/Roads/MapServer"))
    let challenge = try await upstreams().probe(url, .administrator())
    #expect(challenge == .arcGIS(ArcGISChallenge(portal: nil, tokenService: "https://gis.example.org/tokens/")))
    #expect(challenge.kinds == [.token])
  }

  @Test("reads a handshake that ended")
  func handshakes() {
    let asked = Handshake(clientAuthorities: ["CN=GIS\u{202E} CA"])
    let certificate = NetworkChallenge.clientCertificate(authorities: ["CN=GIS  CA"])
    #expect(NetworkChallenge(endedBy: .init(.connectionLost, "", handshake: asked)) == certificate)
    #expect(NetworkChallenge(endedBy: .init(.tls, "", handshake: asked)) == certificate)
    #expect(NetworkChallenge(endedBy: .init(.timeout, "", handshake: asked)) == nil)
    #expect(NetworkChallenge(endedBy: .init(.tls, "", handshake: Handshake())) == nil)
    let expired = Handshake(distrust: .expired)
    #expect(NetworkChallenge(endedBy: .init(.certificate, "", handshake: expired)) == .serverTrust(.expired))
  }
}
