import Domain
import HTTP
import HTTPClient
import JSON
import Testing

@testable import Upstream

@Suite("Staying with an OpenID provider", .timeLimit(.minutes(1)))
struct ProviderLifeTests {
  private let providers: OIDC

  init() throws { providers = try Upstreams(client: OutboundClient()).providers }

  private func registration(_ provider: TestProvider) throws -> Registration {
    Registration(
      connection: try provider.connection(), clientSecret: Secret("s"),
      redirectURI: "https://gate.example.org/callback/maps")
  }

  private func refresh(_ tokens: UpstreamTokens, _ provider: TestProvider) async throws -> UpstreamTokens {
    let registration = try registration(provider)
    let request = RefreshRequest(tokens: tokens, isRepeated: false, now: Samples.now)
    let answer = try await providers.requestRefresh(request, registration)
    return try await providers.tokens(from: answer, replacing: tokens, registration)
  }

  @Test("A refresh replaces the refresh token by one POST")
  func rotates() async throws {
    let provider = try TestProvider()
    let body = #"{"access_token":"access-2","token_type":"Bearer","expires_in":120,"refresh_token":"refresh-2"}"#
    provider.change { $0.tokenAnswer = (.ok, body) }
    let new = try await refresh(Samples.tokens(), provider)
    #expect(new.refreshToken == Secret("refresh-2") && new.accessToken == Secret("access-2"))
    let posts = provider.loopback.requests(at: "/token")
    #expect(posts.count == 1)
    #expect(posts.first?.form?["refresh_token"] == "old-refresh")
    await provider.loopback.stop()
  }

  @Test("A bare 400 ends the credential, as Glewlwyd answers; a page does not")
  func bareRefusal() async throws {
    let provider = try TestProvider()
    provider.change { $0.tokenAnswer = (.badRequest, "") }
    #expect(try await Verdict.of { try await refresh(Samples.tokens(), provider) } == .refused)
    provider.change { $0.tokenAnswer = (.badRequest, "<html></html>") }
    #expect(try await Verdict.of { try await refresh(Samples.tokens(), provider) } == .transient)
    await provider.loopback.stop()
  }

  @Test("Tokens of another person in a refresh are refused, other ID tokens are kept for sign-out")
  func continuity() async throws {
    let provider = try TestProvider()
    let mine = try provider.sign(provider.claims())
    let tokens = UpstreamTokens(
      accessToken: Secret("a"), accessExpiresAt: Samples.now, refreshToken: Secret("r"), idToken: Secret(mine))
    let later = try provider.sign(provider.claims(["iat": .integer(Samples.now.seconds + 5), "nonce": .null]))
    provider.change { $0.tokenAnswer = (.ok, #"{"access_token":"b","id_token":"\#(later)"}"#) }
    #expect(try await refresh(tokens, provider).idToken == Secret(later))
    let foreign = try provider.sign(provider.claims(["sub": "somebody else"]))
    provider.change { $0.tokenAnswer = (.ok, #"{"access_token":"b","id_token":"\#(foreign)"}"#) }
    #expect(try await Verdict.of { try await refresh(tokens, provider) } == .refused)
    await provider.loopback.stop()
  }

  @Test("The discovery document is asked for once, and a provider that is down is transient without a POST")
  func discoveryIsKept() async throws {
    let provider = try TestProvider()
    let registration = try registration(provider)
    let start = SignInStart(state: "s", challenge: "c", nonce: "n", forcesLogin: true)
    provider.change { $0.isDown = true }
    #expect(try await Verdict.of { try await providers.authorizationURL(start, registration) } == .transient)
    #expect(try await Verdict.of { try await refresh(Samples.tokens(), provider) } == .transient)
    #expect(provider.loopback.requests(at: "/token").isEmpty)
    provider.change { $0.isDown = false }
    let url = try await providers.authorizationURL(start, registration)
    #expect(
      url == provider.issuer + "/authorize?response_type=code&client_id=GH1a2b"
        + "&redirect_uri=https%3A%2F%2Fgate.example.org%2Fcallback%2Fmaps&scope=openid%20profile&state=s&nonce=n"
        + "&code_challenge=c&code_challenge_method=S256&prompt=login")
    provider.change { $0.isDown = true }
    #expect(try await providers.authorizationURL(start, registration) == url)
    #expect(provider.loopback.requests(at: "/.well-known/openid-configuration").count == 3)
    await provider.loopback.stop()
  }

  @Test("Revocation presents the refresh token, then the access token, with our secret")
  func revokes() async throws {
    let provider = try TestProvider()
    #expect(try await providers.revoke(Samples.tokens(), registration(provider)) == .revoked)
    let posts = provider.loopback.requests(at: "/revoke")
    #expect(posts.map { $0.form?["token"] } == ["old-refresh", "old-access"])
    #expect(posts.map { $0.form?["token_type_hint"] } == ["refresh_token", "access_token"])
    #expect(posts.allSatisfy { $0.headers["authorization"]?.hasPrefix("Basic ") == true })
    await provider.loopback.stop()
  }

  @Test("A provider without revocation and sign-out page says so")
  func offersLess() async throws {
    let provider = try TestProvider()
    provider.change { $0.discovery = ["revocation_endpoint": .null, "end_session_endpoint": .null] }
    let registration = try registration(provider)
    #expect(try await providers.revoke(Samples.tokens(), registration) == .unsupported)
    #expect(await providers.signOutURL(registration, tokens: nil, returnTo: "https://gate") == nil)
    await provider.loopback.stop()
  }

  @Test("Signing out names the session that ends and where to come back")
  func signOut() async throws {
    let provider = try TestProvider()
    let tokens = UpstreamTokens(
      accessToken: Secret("a"), accessExpiresAt: Samples.now, refreshToken: nil, idToken: Secret("i.d.t"))
    let url = try await providers.signOutURL(registration(provider), tokens: tokens, returnTo: "https://gate/out")
    #expect(
      url == provider.issuer + "/logout?id_token_hint=i.d.t&client_id=GH1a2b"
        + "&post_logout_redirect_uri=https%3A%2F%2Fgate%2Fout")
    await provider.loopback.stop()
  }

  @Test("An administrator may type the document's address or forget the last slash", arguments: [false, true])
  func inspects(hasSlash: Bool) async throws {
    let provider = try TestProvider()
    let issuer = provider.issuer + (hasSlash ? "/" : "")
    provider.change {
      $0.discovery = ["issuer": .string(issuer), "scopes_supported": ["openid", "email", "offline_access"]]
    }
    var draft = try provider.connection()
    draft.origin = provider.issuer + "/.well-known/openid-configuration"
    draft.scopes = []
    draft.resources = []
    draft.reach.hosts = []
    let saved = try await providers.inspect(draft)
    #expect(saved.origin == issuer)
    #expect(saved.scopes == ["openid", "email", "offline_access"])
    #expect(saved.reach.hosts == [provider.loopback.hostAndPort])
    #expect(saved.resources.map(\.text) == [provider.issuer])
    await provider.loopback.stop()
  }

  @Test("An issuer without a discovery document is said to be no provider, with what was asked")
  func noProvider() async throws {
    let loopback = try Loopback { _ in Response(status: 404) }
    let draft = try Samples.connection(.oidc, origin: loopback.origin + "/realm")
    let failure = await #expect(throws: UpstreamFailure.self) { try await providers.inspect(draft) }
    #expect(failure?.text.contains("/realm/.well-known/openid-configuration was asked") == true)
    #expect(failure?.text.contains("is no OpenID provider") == true)
    await loopback.stop()
  }

  @Test(
    "A provider that cannot be used is explained",
    arguments: [
      ["issuer": "https://evil.org"], ["token_endpoint": .null],
      ["id_token_signing_alg_values_supported": ["HS256", "none"]],
    ] as [[String: JSONValue]])
  func explains(discovery: [String: JSONValue]) async throws {
    let provider = try TestProvider()
    provider.change { $0.discovery = discovery }
    let draft = try provider.connection()
    #expect(try await Verdict.of { try await providers.inspect(draft) } == .misconfigured)
    await provider.loopback.stop()
  }
}
