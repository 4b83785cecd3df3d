import Domain
import Glibc
import HTTP
import HTTPClient
import Testing

@testable import Upstream

@Suite("generateToken with user name and password")
struct GenerateTokenTests {
  private let kind: GenerateToken
  private let login = TypedLogin(username: "ana", password: Secret("correct horse battery"))
  private let referer = "https://gate.example.org"

  init() throws { kind = try Upstreams(client: OutboundClient()).generatedTokens }

  private func registration(_ origin: String, tokenURL: String? = nil) throws -> Registration {
    let host = String(origin.dropFirst("http://".count).prefix { $0 != "/" })
    var connection = try Samples.connection(.token, origin: origin, resources: [origin], reach: [host])
    connection.portal.tokenURL = tokenURL
    return Registration(connection: connection, clientSecret: nil, redirectURI: "")
  }

  private func connect(
    _ registration: Registration, _ login: TypedLogin? = nil, keeps: Bool = false
  ) async throws -> SignedIn {
    try await kind.connect(
      .login(login ?? self.login, isKept: keeps), referer: referer, registration, now: TestPortal.now)
  }

  @Test(
    "gives a token bound to the referer and its owner; keeps the password only when asked", arguments: [true, false])
  func connects(keeps: Bool) async throws {
    let portal = try TestPortal()
    let signedIn = try await connect(try registration(portal.loopback.origin), keeps: keeps)
    #expect(signedIn.identity.displayName == "ana")
    #expect(signedIn.provenName == nil, "whoever types a password here gets no account by it")
    #expect(signedIn.tokens.referer == referer)
    #expect(signedIn.tokens.login == (keeps ? login : nil))
    #expect(signedIn.tokens.refreshToken == nil && signedIn.tokens.canRenew == keeps)
    let form = try #require(portal.loopback.requests(at: "/sharing/rest/generateToken").first?.form)
    #expect(form["client"] == "referer" && form["referer"] == referer && form["expiration"] == "120")
    #expect(portal.loopback.requests.allSatisfy { !$0.target.contains("ana") }, "nothing typed stands in an address")
  }

  @Test("sends user name and password byte for byte")
  func bytes() async throws {
    let server = try Loopback { _ in .json("{}") }
    let odd = TypedLogin(username: " Åna ", password: Secret(" pä+&=% \u{65}\u{301}\u{1F600} "))
    _ = try? await connect(try registration(server.origin), odd)
    let form = try #require(server.requests.first?.form)
    #expect(form["username"].map { Array($0.utf8) } == Array(odd.username.utf8))
    #expect(form["password"].map { Array($0.utf8) } == odd.password.revealed)
  }

  @Test(
    "tells refusals apart by known words",
    arguments: [
      ("Invalid username or password.", "wrong"), ("User account is locked. Try again in 15 minutes.", "locked"),
      ("Too many failed attempts.", "locked"), ("Multifactor authentication is required.", "oauth"),
      ("SAML users must sign in with their enterprise login.", "oauth"), ("Built-in logins: use OAuth.", "oauth"),
      ("'expiration' must be a number of minutes.", "other"),
    ])
  func refusals(detail: String, verdict: String) throws {
    let body = #"{"error":{"code":400,"message":"Unable to generate token.","details":["\#(detail)"]}}"#
    let reply = Reply(host: "h", status: 200, headers: [], body: Array(body.utf8), date: nil)
    let found =
      switch GenerateToken.refusal(in: reply) {
      case .wrongPassword: "wrong"
      case .accountLocked: "locked"
      case .needsOAuth: "oauth"
      default: "other"
      }
    #expect(found == verdict)
  }

  @Test("a wrong password is asked once and says so without the password")
  func wrongPassword() async throws {
    let portal = try TestPortal()
    let failure = await #expect(throws: ConnectFailure.self) {
      try await connect(
        try registration(portal.loopback.origin), TypedLogin(username: "ana", password: Secret("wr0ng-Pa55")))
    }
    guard case .wrongPassword(let text)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(!text.contains("wr0ng-Pa55"))
    #expect(portal.loopback.requests.count == 1)
  }

  @Test("a page instead of JSON is no token; a fresh token that is refused is not asked for again")
  func oddAnswers() async throws {
    let portal = try TestPortal()
    await portal.fault("html", at: "generateToken")
    let page = await #expect(throws: ConnectFailure.self) {
      try await connect(try registration(portal.loopback.origin))
    }
    guard case .upstream(.invalidAnswer)? = page else {
      Issue.record("\(String(describing: page))")
      return
    }
    await portal.fault("refuse", at: "community.self")
    let fresh = await #expect(throws: ConnectFailure.self) {
      try await connect(try registration(portal.loopback.origin))
    }
    guard case .freshTokenRefused? = fresh else {
      Issue.record("\(String(describing: fresh))")
      return
    }
    #expect(portal.loopback.requests(at: "/sharing/rest/generateToken").count == 2)
  }

  @Test("renews with the kept password and the same referer; a refused password asks the person")
  func renews() async throws {
    let portal = try TestPortal()
    let registration = try registration(portal.loopback.origin)
    var tokens = try await connect(registration, keeps: true).tokens
    func renew() async throws -> UpstreamTokens {
      let request = RefreshRequest(tokens: tokens, isRepeated: false, now: TestPortal.now)
      let answer = try await kind.requestRefresh(request, registration)
      return try await kind.tokens(from: answer, replacing: tokens, registration)
    }
    let renewed = try await renew()
    #expect(renewed.accessToken != tokens.accessToken)
    #expect(renewed.login == login && renewed.referer == referer)
    tokens.login = TypedLogin(username: "ana", password: Secret("changed since"))
    #expect(try await Verdict.of(renew) == .refused)
    #expect(try await kind.revoke(tokens, registration) == .unsupported)
    #expect(await kind.signOutURL(registration, tokens: tokens, returnTo: "/") == nil)
  }

  // MARK: Tokens made elsewhere

  @Test("a token made elsewhere is tried with its referer, and whose it is comes from the portal")
  func pregenerated() async throws {
    let portal = try TestPortal()
    let registration = try registration(portal.loopback.origin)
    let made = try await self.connect(registration).tokens
    let other = try Upstreams(client: OutboundClient()).pregeneratedTokens
    func connect(_ bound: String?) async throws -> SignedIn {
      let typed = TypedToken(token: made.accessToken, expiresAt: made.accessExpiresAt, referer: bound)
      return try await other.connect(.token(typed), referer: "unused", registration, now: TestPortal.now)
    }
    let signedIn = try await connect(referer)
    #expect(signedIn.identity.displayName == "ana")
    #expect(signedIn.tokens.referer == referer && !signedIn.tokens.canRenew)
    #expect(signedIn.tokens.accessExpiresAt == made.accessExpiresAt)
    for bound in [nil, "https://elsewhere.example"] {
      let failure = await #expect(throws: ConnectFailure.self) { try await connect(bound) }
      guard case .freshTokenRefused? = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }
    #expect(try await other.revoke(made, registration) == .unsupported)
  }

  @Test("a token made elsewhere never goes over plain http, whatever is allowed", arguments: [true, false])
  func httpsOnly(allowsHTTP: Bool) async throws {
    var draft = try Samples.connection(.pregeneratedToken, origin: "http://gis.example.org/portal")
    draft.reach.allowsHTTP = allowsHTTP
    let checked = draft
    let kind = try Upstreams(client: OutboundClient()).pregeneratedTokens
    let failure = await #expect(throws: UpstreamFailure.self) { try await kind.inspect(checked) }
    guard case .misconfigured(let text, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(text.contains("https alone"))
    let resource = try #require(ResourceURL("http://gis.example.org/portal/sharing"))
    let registration = Registration(connection: checked, clientSecret: nil, redirectURI: "")
    #expect(kind.headers(with: Secret("t"), for: resource, registration).isEmpty)
  }

  // MARK: Portals and servers

  private func draft(_ address: String, _ server: Loopback) throws -> Connection {
    var connection = try Samples.connection(.token, origin: address, reach: [server.hostAndPort])
    connection.clientID = ""
    return connection
  }

  @Test("the portal is found behind any of its pages, and needs no registration")
  func findsPortal() async throws {
    let portal = try TestPortal()
    let found = try await kind.inspect(try draft(portal.loopback.origin + "/home/index.html", portal.loopback))
    #expect(found.origin == portal.loopback.origin)
    #expect(found.portal.tokenURL == nil)
    #expect(found.resources.map(\.text) == [portal.loopback.origin])
  }

  @Test(
    "a stand-alone server is found by what it says, and its tokens stay there",
    arguments: ["/tokens/", "/tokens/generateToken"])
  func standAlone(place: String) async throws {
    let server = try Loopback { request in Self.server(request, place: place) }
    let found = try await kind.inspect(
      try draft(server.origin + "/server/rest/services/Roads/MapServer", server))
    #expect(found.origin == server.origin + "/server")
    #expect(found.portal.tokenURL == server.origin + "/server/tokens/generateToken")
    let registration = Registration(connection: found, clientSecret: nil, redirectURI: "")
    let signedIn = try await connect(registration)
    #expect(signedIn.identity.subject == "/ana")
    let portals = try Upstreams(client: OutboundClient()).portals
    let inside = try #require(ResourceURL(server.origin + "/server/rest/services/A/MapServer"))
    let outside = try #require(ResourceURL(server.origin + "/other/rest/services/A/MapServer"))
    #expect(portals.federation(for: inside, found) == .portal)
    #expect(portals.federation(for: outside, found) == .notFederated)
  }

  /// A stand-alone server whose token service is where it really always is, wherever it says that it is.
  private static func server(_ request: Request, place: String) -> Response {
    let origin = "http://\(request.headers["host"] ?? "")"
    switch request.path {
    case "/server/rest/info":
      return .json(
        #"{"authInfo":{"isTokenBasedSecurity":true,"tokenServicesUrl":"\#(origin)/server\#(place)"}}"#
      )
    case "/server/tokens/generateToken":
      return .json(#"{"token":"server-token","expires":\#((TestPortal.now.seconds + 600) * 1000)}"#)
    case "/server/rest/services":
      let isBound = request.headers["referer"] == "https://gate.example.org"
      return .json(isBound ? #"{"services":[]}"# : #"{"error":{"code":498,"message":"Invalid token."}}"#)
    default: return Response(status: 404, body: .bytes(Array("<html>404</html>".utf8)))
    }
  }

  @Test(
    "a server that belongs to a portal, takes no tokens, or sends passwords elsewhere is refused",
    arguments: [
      (#"{"owningSystemUrl":"https://gis.example.org/portal","authInfo":{"isTokenBasedSecurity":true}}"#, "portal"),
      (#"{"authInfo":{"isTokenBasedSecurity":false}}"#, "no tokens"),
      (
        #"{"authInfo":{"isTokenBasedSecurity":true,"tokenServicesUrl":"https://evil.example/generateToken"}}"#,
        "elsewhere"
      ),
    ])
  func refused(info: String, why: String) async throws {
    let server = try Loopback { request in
      request.path == "/server/rest/info" ? .json(info) : Response(status: 404, body: .bytes([]))
    }
    let failure = await #expect(throws: UpstreamFailure.self) {
      try await kind.inspect(try draft(server.origin + "/server", server))
    }
    guard case .misconfigured(let text, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(text.contains(why))
  }
}

extension Response {
  fileprivate static func json(_ text: String) -> Response {
    Response(status: .ok, headers: ["content-type": "application/json"], body: .bytes(Array(text.utf8)))
  }
}

extension TestPortal {
  /// The simulator's own time.
  fileprivate static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}
