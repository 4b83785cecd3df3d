import Crypto
import Domain
import HTTP
import JSON
import Simulator
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("A portal behind an application proxy", .timeLimit(.minutes(1)))
struct ProxyLayerTests {
  private let test: TestInstallation
  private let simulator: UpstreamSimulator
  private let server: TestServer
  private let proxy: Connection
  private let maps: Connection

  init() async throws {
    let simulator = UpstreamSimulator(
      SimulatorConfiguration(
        clients: [
          SimulatedClient(
            id: "gatehouse-demo",
            redirectURIs: ["http://localhost:8080/callback/entra", "http://localhost:8080/callback/maps"])
        ]))
    self.simulator = simulator
    server = try TestServer { await simulator.respond(to: $0) }
    let port = try #require(server.origin.split(separator: ":").last)
    let (login, apps) = ("login.localhost:\(port)", "apps.localhost:\(port)")
    let root = "http://\(login)/6f0c1a52-9d3b-4a7e-8c21-5b1d7e3f9a04"
    test = try await TestInstallation()
    var proxy = Connection(
      id: try #require(ConnectionID("entra")), name: "Entra", kind: .iap, origin: root + "/v2.0",
      clientID: "gatehouse-demo", createdAt: test.time.now)
    proxy.iap = IAPOptions(
      authorizeURL: root + "/oauth2/v2.0/authorize", tokenURL: root + "/oauth2/v2.0/token",
      logoutURL: root + "/oauth2/v2.0/logout")
    proxy.scopes = ["openid", "profile", "offline_access"]
    proxy.resources = [try #require(ResourcePattern("http://\(apps)"))]
    proxy.reach.hosts = [login, apps]
    var maps = Connection(
      id: try #require(ConnectionID("maps")), name: "Maps", kind: .oauthUser, origin: "http://\(apps)",
      clientID: "gatehouse-demo", createdAt: test.time.now)
    maps.resources = proxy.resources
    maps.reach.hosts = [apps]
    (self.proxy, self.maps) = (proxy, maps)
    try await test.store.write { [proxy, maps] tx in
      try tx.insert(proxy, clientSecret: nil)
      try tx.insert(maps, clientSecret: nil)
    }
  }

  private func ask(_ host: String, _ method: Method, _ target: String, _ body: [UInt8] = []) async -> Response {
    var headers: Headers = ["content-type": "application/x-www-form-urlencoded"]
    let port = server.origin.split(separator: ":").last ?? ""
    if let value = FieldValue("\(host):\(port)") { headers.set("host", value) }
    let path = String(target.prefix { $0 != "?" })
    return await simulator.respond(
      to: Request(method: method, target: target, path: path, headers: headers, body: body))
  }

  private func calls(_ name: String) async throws -> Int64 {
    try JSONValue(parsing: await ask("portal.localhost", .get, "/_counters").bytes).integer(name) ?? 0
  }

  /// Signs `ana` in as a browser would that the proxy lets through, and keeps what comes.
  private func connect(_ connection: Connection, at host: String) async throws -> Credential {
    let registration = try await test.here.registration(for: connection, of: test.account.id)
    let kind = try test.here.upstreams.browserKind(of: connection)
    let verifier = Random.token()
    let start = SignInStart(state: "s", challenge: Base64URL.encode(SHA256.hash(verifier)), nonce: "nonce")
    let address = try await kind.authorizationURL(start, registration)
    let url = try #require(URLParts(address))
    let page = await ask(host, .get, url.path + "?" + (url.query ?? "")).text
    func value(after mark: String) throws -> String {
      let range = try #require(page.firstRange(of: mark))
      return String(page[range.upperBound...].prefix { $0 != "\"" })
    }
    let form: QueryItems = [
      "oauth_state": try value(after: "name=\"oauth_state\" value=\""), "username": "ana",
      "password": "correct horse battery",
    ]
    let answer = await ask(host, .post, try value(after: "action=\""), form.body)
    let location = try #require(answer.headers["location"])
    let query = try #require(URLParts(location)?.query)
    let code = try #require(try Form(query: Substring(query))["code"])
    let back = SignInReturn(
      code: Secret(code), issuer: nil, verifier: Secret(verifier),
      nonce: "nonce")
    let redeemed = try await kind.redeem(back, registration, now: test.time.now)
    let signedIn = try await kind.identify(redeemed, nonce: "nonce", registration, now: test.time.now)
    return try await test.put(signedIn.tokens, at: connection)
  }

  private func connectBoth() async throws -> (Credential, Credential) {
    let first = try await connect(proxy, at: "login.localhost")
    return (first, try await connect(maps, at: "portal.localhost"))
  }

  private func request(_ path: String, _ connections: [Connection], audience: String? = nil) async throws -> VendRequest
  {
    let client = Client(
      id: .random(), name: "Map \(Random.token())", kind: .confidential, redirectURIs: [], grants: [.tokenExchange],
      scope: try #require(Scope("vend")),
      permissions: connections.map { .init(connection: $0.id, handsOutRawTokens: true) }, createdAt: test.time.now)
    let consent = Consent(
      account: test.account.id, client: client.id, scope: client.scope, connections: connections.map(\.id),
      givenAt: test.time.now)
    try await test.store.write {
      try $0.insert(client)
      try $0.put(consent)
    }
    return VendRequest(
      client: client.id, account: test.account.id, resource: try #require(ResourceURL(maps.origin + path)),
      minimumLifetime: 0, audience: audience)
  }

  private func vend(_ request: VendRequest) async throws -> VendedToken {
    try #require(try await VendToken(test.here)(request, with: nil, TestInstallation.visitor).handedOut)
  }

  @Test("a probe peels both layers with what is held, by five requests in all, and asks nothing behind what is missing")
  func peels() async throws {
    let url = try #require(ResourceURL(maps.origin + "/server/rest/services/Traffic/FeatureServer/0"))
    let wish = PeelLayers.Wish(url: url, account: test.account.id, connections: [proxy, maps])
    let outside = try await PeelLayers(test.here)(wish)
    #expect(outside.layers.map(\.state) == [.notConnected] && outside.layers[0].connection == proxy)
    _ = try await connect(proxy, at: "login.localhost")
    let between = try await PeelLayers(test.here)(wish)
    #expect(between.layers.map(\.state) == [.satisfied, .notConnected])
    #expect(between.layers.map(\.connection) == [proxy, maps] && between.end == .waits)
    _ = try await connect(maps, at: "portal.localhost")
    var before = try await calls("apps")
    let inside = try await PeelLayers(test.here)(wish)
    #expect(inside.layers.map(\.state) == [.satisfied, .satisfied] && inside.end == .answers)
    #expect(inside.layers.map(\.fieldNames) == [["Authorization"], ["X-Esri-Authorization"]])
    // The token of the federated server and what it says of itself are asked for once and kept.
    let first = try await calls("apps") - before
    #expect(first == 6, "\(first)")
    before = try await calls("apps")
    _ = try await PeelLayers(test.here)(wish)
    let second = try await calls("apps") - before
    #expect(second == 4, "\(second)")
  }

  @Test("one vend answers the headers of both layers, also for the federated server")
  func stacks() async throws {
    let (first, second) = try await connectBoth()
    let (idToken, token) = (
      try await test.tokens(of: first.id).accessToken, try await test.tokens(of: second.id).accessToken
    )
    let vended = try await vend(try await request("/sharing/rest/community/self", [proxy, maps]))
    #expect(vended.connection == maps.id)
    #expect(vended.headers.map(\.name) == ["Authorization", "X-Esri-Authorization"])
    #expect(vended.headers.map(\.value.revealedText) == [idToken, token].map { "Bearer \($0.revealedText)" })
    #expect(vended.expiresAt == min(first.accessExpiresAt, second.accessExpiresAt))
    let layer = try await vend(
      try await request("/server/rest/services/Traffic/FeatureServer/0", [proxy, maps]))
    #expect(layer.headers.count == 2 && layer.token != token)
    let alone = try await vend(try await request("/home", [proxy], audience: "entra"))
    #expect(alone.headers.map(\.name) == ["Authorization"] && alone.connection == proxy.id)
  }

  @Test("asks for the proxy's layer first, and never hands it out unasked")
  func layers() async throws {
    let both = try await request("/sharing/rest/community/self", [proxy, maps])
    func missing() async throws -> Refusal.Interaction? {
      do {
        _ = try await vend(both)
        return nil
      } catch let refusal as Refusal { return refusal.interaction }
    }
    #expect(try await missing()?.connection == proxy.id)
    _ = try await connect(proxy, at: "login.localhost")
    #expect(try await missing()?.connection == maps.id)
    let one = try await request("/sharing/rest/community/self", [maps])
    await #expect(throws: VendRule.unknownTarget) { try await vend(one) }
  }

  @Test("of two layers that cover a URL equally well none is left out silently", arguments: [nil, "maps"])
  func rivals(audience: String?) async throws {
    _ = try await connectBoth()
    var other = Connection(
      id: try #require(ConnectionID("other")), name: "Other", kind: .iap, origin: proxy.origin, clientID: "other",
      createdAt: test.time.now)
    (other.iap, other.resources) = (proxy.iap, proxy.resources)
    try await test.store.write { [other] in try $0.insert(other, clientSecret: nil) }
    let path = "/sharing/rest/community/self"
    let both = try await request(path, [proxy, other, maps], audience: audience)
    let refusal = await #expect(throws: Refusal.self) { try await vend(both) }
    #expect(refusal?.code == .invalidTarget && refusal?.description.hasPrefix("Entra and Other stand in front") == true)
    let one = try await vend(try await request(path, [proxy, maps], audience: audience))
    #expect(one.headers.count == 2)
    let none = try await request(path, [maps], audience: audience)
    await #expect(throws: VendRule.unknownTarget) { try await vend(none) }
  }

  @Test("refreshes the proxy's layer before the portal's, through the proxy")
  func refreshes() async throws {
    let (first, second) = try await connectBoth()
    test.time.advance(by: 3_590)
    _ = await ask("portal.localhost", .post, "/_clock", Array(#"{"advance":3590}"#.utf8))
    #expect(try await test.refreshOnce(second.id) == .refreshed)
    #expect(try await test.held(first.id)?.generation == 2)
    #expect(try await calls("login.token.refresh_token") == 1)
  }

  @Test("revokes at the portal through the proxy before the proxy's tokens are dropped")
  func signsOut() async throws {
    _ = try await connectBoth()
    let report = try await SignOut(test.here)(test.account.id, TestInstallation.visitor)
    #expect(report.items.first { $0.connection == maps.id }?.outcome == .revoked)
    #expect(report.items.first { $0.connection == proxy.id }?.outcome == .deleted)
    #expect(try await calls("revokeToken") == 1)
    #expect(
      report.items.first { $0.connection == proxy.id }?.upstreamSignOutURL?.contains("/oauth2/v2.0/logout?") == true)
  }

  @Test("revokes at the portal also when the proxy's token has ended")
  func signsOutLate() async throws {
    _ = try await connectBoth()
    test.time.advance(by: 4_000)
    _ = await ask("portal.localhost", .post, "/_clock", Array(#"{"advance":4000}"#.utf8))
    let report = try await SignOut(test.here)(test.account.id, TestInstallation.visitor)
    #expect(report.items.first { $0.connection == maps.id }?.outcome == .revoked)
    #expect(try await calls("revokeToken") == 1)
    #expect(try await calls("login.token.refresh_token") == 1)
  }

  @Test("says that a revocation waits for the proxy, and makes up for it once the person is back there")
  func signsOutInVain() async throws {
    _ = try await connectBoth()
    let fault = #"{"endpoint":"revokeToken","kind":"status","value":503,"times":1}"#
    _ = await ask("portal.localhost", .put, "/_faults", Array(fault.utf8))
    let report = try await SignOut(test.here)(test.account.id, TestInstallation.visitor)
    let item = report.items.first { $0.connection == maps.id }
    #expect(item?.outcome == .retrying && item?.missingLayer?.id == proxy.id)
    func waiting() async throws -> Int64 { try await test.store.read { try $0.countRemains(of: maps.id) } }
    test.time.advance(by: 60)
    try await DeliverRevocations(test.here)()
    #expect(try await waiting() == 1)
    _ = try await connect(proxy, at: "login.localhost")
    test.time.advance(by: 600)
    try await DeliverRevocations(test.here)()
    #expect(try await waiting() == 0)
  }
}

extension Response {
  fileprivate var bytes: [UInt8] {
    guard case .bytes(let bytes) = body else { return [] }
    return bytes
  }

  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
