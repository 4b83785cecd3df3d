import Domain
import HTTP
import HTTPClient
import JSON
import Simulator
import Testing

@testable import Upstream

@Suite("Signing in to a portal", .timeLimit(.minutes(1)))
struct PortalSignInTests {
  @Test("yields tokens and the identity that the portal vouches for")
  func signsIn() async throws {
    let portal = try TestPortal()
    let signedIn = try await portal.signIn()
    #expect(signedIn.identity.issuer == portal.loopback.origin)
    #expect(signedIn.identity.subject == "0123456789ABCDEF/ana")
    #expect(signedIn.identity.displayName == "ana")
    #expect(signedIn.tokens.accessExpiresAt == Samples.now + 1800)
    #expect(signedIn.tokens.refreshExpiresAt.map { $0 - Samples.now } ?? 0 >= 1_209_590)
    #expect(signedIn.tokens.refreshToken != nil)
    await portal.loopback.stop()
  }

  @Test("asks for what the connection is set to")
  func authorizationURL() async throws {
    var connection = try Samples.connection()
    connection.portal = PortalOptions(refreshTokenMinutes: -1, locale: "de-CH", style: "dark", forcesLogin: true)
    let registration = Registration(
      connection: connection, clientSecret: nil, redirectURI: "https://gate.example.org/callback/maps?a=b")
    let url = try await Upstreams(client: OutboundClient()).portals.authorizationURL(
      SignInStart(state: "s t", challenge: "c", nonce: "n"), registration)
    #expect(
      url == "https://gis.example.org/portal/sharing/rest/oauth2/authorize?client_id=GH1a2b&response_type=code"
        + "&redirect_uri=https%3A%2F%2Fgate.example.org%2Fcallback%2Fmaps%3Fa%3Db&state=s%20t&code_challenge=c"
        + "&code_challenge_method=S256&expiration=-1&locale=de-CH&style=dark&force_login=true")
  }

  @Test("fails for good when the code is used twice, foreign, or the verifier is another")
  func refusesCodes() async throws {
    let portal = try TestPortal()
    let back = try await portal.browse()
    let other = SignInReturn(code: back.code, issuer: nil, verifier: Secret("another-verifier"), nonce: "nonce")
    #expect(
      try await Verdict.of { try await portal.portals.signIn(other, portal.registration) } == .refused
    )
    #expect(
      try await Verdict.of { try await portal.portals.signIn(back, portal.registration) } == .refused)
    await portal.loopback.stop()
  }

  @Test("sends the code nowhere when the callback names an issuer")
  func mixUp() async throws {
    let portal = try TestPortal()
    let back = SignInReturn(
      code: Secret("c"), issuer: "https://evil.org", verifier: Secret(TestPortal.verifier), nonce: "nonce")
    #expect(
      try await Verdict.of { try await portal.portals.signIn(back, portal.registration) }
        == .invalidAnswer)
    #expect(portal.loopback.requests.isEmpty)
    await portal.loopback.stop()
  }

  @Test("is undone when the portal says that the token is somebody else's")
  func anotherPerson() async throws {
    let loopback = try Loopback { request in
      let body: JSONValue =
        request.path.hasSuffix("/community/self")
        ? ["username": "ben", "orgId": "o"] : ["access_token": "t", "expires_in": 1800, "username": "ana"]
      return Response(status: .ok, body: .bytes(body.encoded()))
    }
    let connection = try Samples.connection(origin: loopback.origin, reach: [loopback.hostAndPort])
    let registration = Registration(connection: connection, clientSecret: nil, redirectURI: "http://localhost/c")
    let back = SignInReturn(code: Secret("c"), issuer: nil, verifier: Secret("v"), nonce: "n")
    let portals = try Upstreams(client: OutboundClient()).portals
    #expect(try await Verdict.of { try await portals.signIn(back, registration) } == .invalidAnswer)
    await loopback.stop()
  }

  @Test(
    "A refresh without a complete answer says what may have happened",
    arguments: [
      ("drop-after", Verdict.ambiguous), ("truncate", .ambiguous), ("drop", .ambiguous), ("garbage", .transient),
      ("html", .transient), ("status", .transient), ("refuse", .refused),
    ])
  func faults(kind: String, verdict: Verdict) async throws {
    let portal = try TestPortal()
    let tokens = try await portal.signIn().tokens
    await portal.fault(kind, at: "token", value: kind == "status" ? 503 : 0)
    #expect(try await Verdict.of { try await portal.refresh(tokens) } == verdict)
    #expect(portal.loopback.requests(at: "/sharing/rest/oauth2/token").count == 2)
    await portal.loopback.stop()
  }

  @Test("A refresh keeps the refresh token; near its end it is exchanged, and a repeated one is plain")
  func exchanges() async throws {
    let portal = try TestPortal()
    let tokens = try await portal.signIn().tokens
    let refreshed = try await portal.refresh(tokens)
    #expect(refreshed.refreshToken == tokens.refreshToken)
    #expect(refreshed.accessToken != tokens.accessToken)
    let late = try #require(tokens.refreshExpiresAt) - 3600
    let repeated = try await portal.refresh(tokens, now: late, isRepeated: true)
    #expect(repeated.refreshToken == tokens.refreshToken)
    let exchanged = try await portal.refresh(tokens, now: late)
    #expect(exchanged.refreshToken != tokens.refreshToken)
    #expect(try await Verdict.of { try await portal.refresh(tokens) } == .refused)
    let grants = portal.loopback.requests(at: "/sharing/rest/oauth2/token").map { $0.form?["grant_type"] }
    #expect(
      grants == ["authorization_code", "refresh_token", "refresh_token", "exchange_refresh_token", "refresh_token"])
    await portal.loopback.stop()
  }

  @Test("Nothing is sent without a refresh token, nor after the lease's last moment")
  func sendsNothing() async throws {
    let portal = try TestPortal()
    let bare = UpstreamTokens(accessToken: Secret("a"), accessExpiresAt: Samples.now, refreshToken: nil)
    #expect(try await Verdict.of { try await portal.refresh(bare) } == .refused)
    let late = RefreshRequest(
      tokens: Samples.tokens(), isRepeated: false, now: Samples.now, sendBefore: .now - .seconds(1))
    #expect(
      try await Verdict.of { try await portal.portals.requestRefresh(late, portal.registration) } == .transient)
    #expect(portal.loopback.requests(at: "/sharing/rest/oauth2/token").isEmpty)
    await portal.loopback.stop()
  }

  @Test("A revoked credential can be refreshed no more, and revoking it again is no failure")
  func revokes() async throws {
    let portal = try TestPortal()
    let tokens = try await portal.signIn().tokens
    #expect(try await portal.portals.revoke(tokens, portal.registration) == .revoked)
    #expect(try await portal.portals.revoke(tokens, portal.registration) == .revoked)
    #expect(try await Verdict.of { try await portal.refresh(tokens) } == .refused)
    await portal.loopback.stop()
  }

  @Test("A portal without revocation is told from one that is down")
  func cannotRevoke() async throws {
    let portal = try TestPortal()
    await portal.fault("status", at: "revokeToken", value: 404)
    #expect(try await portal.portals.revoke(Samples.tokens(), portal.registration) == .unsupported)
    var foreign = portal
    foreign.connection.clientID = "unknown"
    #expect(
      try await Verdict.of { try await portal.portals.revoke(Samples.tokens(), foreign.registration) } == .misconfigured
    )
    await portal.fault("status", at: "revokeToken", value: 503)
    #expect(
      try await Verdict.of { try await portal.portals.revoke(Samples.tokens(), portal.registration) } == .transient)
    await portal.loopback.stop()
  }

  @Test("Signing out leads the browser to the portal's own page")
  func signOut() async throws {
    let connection = try Samples.connection()
    let registration = Registration(connection: connection, clientSecret: nil, redirectURI: "https://gate/callback")
    let url = try await Upstreams(client: OutboundClient()).kind(of: connection).signOutURL(
      registration, tokens: nil, returnTo: "https://gate.example.org/signed-out")
    #expect(
      url == "https://gis.example.org/portal/sharing/rest/oauth2/signout?client_id=GH1a2b"
        + "&redirect_uri=https%3A%2F%2Fgate.example.org%2Fsigned-out")
  }
}
