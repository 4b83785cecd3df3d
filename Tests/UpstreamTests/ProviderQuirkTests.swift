import Domain
import HTTP
import HTTPClient
import JSON
import Testing

@testable import Upstream

@Suite("Where an OpenID provider differs", .timeLimit(.minutes(1)))
struct ProviderQuirkTests {
  private let providers: OIDC

  init() throws { providers = try Upstreams(client: OutboundClient()).providers }

  private func registration(
    _ provider: TestProvider, _ edit: (inout ProviderQuirks) -> Void = { _ in }
  ) throws -> Registration {
    var connection = try provider.connection()
    edit(&connection.provider.quirks)
    return Registration(
      connection: connection, clientSecret: Secret("s"), redirectURI: "https://gate.example.org/callback/maps")
  }

  private func signIn(_ provider: TestProvider, _ registration: Registration, issuer: String? = nil) async throws
    -> SignedIn
  {
    let back = SignInReturn(code: Secret("c0de"), issuer: issuer, verifier: Secret("v"), nonce: "n-0S6")
    return try await providers.signIn(back, registration)
  }

  @Test(
    "its parameters are sent, and its prompt beside ours",
    arguments: [
      (false, "&prompt=consent&access_type=offline"), (true, "&prompt=select_account%20consent&access_type=offline"),
    ])
  func parameters(forcesLogin: Bool, end: String) async throws {
    let provider = try TestProvider()
    let registration = try registration(provider) {
      $0.authorizationParameters = ["access_type=offline", "prompt=consent"].compactMap(AuthorizationParameter.init)
      $0.loginPrompt = "select_account"
    }
    let start = SignInStart(state: "s", challenge: "c", nonce: "n", forcesLogin: forcesLogin)
    #expect(try await providers.authorizationURL(start, registration).hasSuffix("&code_challenge_method=S256" + end))
    await provider.loopback.stop()
  }

  @Test("a parameter cannot replace one of ours", arguments: ["state=x", "redirect_uri=x", "=x", "x", "a b=c", "a=\n"])
  func reserved(text: String) { #expect(AuthorizationParameter(text) == nil) }

  @Test(
    "what is cancelled is what it can cancel",
    arguments: [
      (RevocationWay.eachToken, true, ["old-refresh", "old-access"]), (.oneToken, true, ["old-refresh"]),
      (.oneToken, false, ["old-access"]), (.refreshToken, true, ["old-refresh"]), (.refreshToken, false, []),
    ])
  func revokes(way: RevocationWay, hasRefreshToken: Bool, told: [String]) async throws {
    let provider = try TestProvider()
    let held = Samples.tokens()
    let tokens = UpstreamTokens(
      accessToken: held.accessToken, accessExpiresAt: held.accessExpiresAt,
      refreshToken: hasRefreshToken ? held.refreshToken : nil)
    let outcome = try await providers.revoke(tokens, registration(provider) { $0.revocation = way })
    #expect(outcome == (told.isEmpty ? .unsupported : .revoked))
    #expect(provider.loopback.requests(at: "/revoke").compactMap { $0.form?["token"] } == told)
    await provider.loopback.stop()
  }

  @Test("the secret goes where it wants it, whatever its document says")
  func clientAuthentication() async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims())
    provider.change { $0.idToken = token }
    _ = try await signIn(provider, registration(provider) { $0.clientAuthentication = .post })
    #expect(provider.loopback.requests(at: "/token").first?.form?["client_secret"] == "s")
    await provider.loopback.stop()
  }

  @Test("iss that is not announced is taken where that is known, if it is right")
  func unannouncedIssuer() async throws {
    let provider = try TestProvider()
    let token = try provider.sign(provider.claims())
    provider.change { $0.idToken = token }
    let strict = try registration(provider)
    #expect(try await Verdict.of { try await signIn(provider, strict, issuer: provider.issuer) } == .invalidAnswer)
    let lenient = try registration(provider) { $0.sendsUnannouncedIssuer = true }
    #expect(try await Verdict.of { try await signIn(provider, lenient, issuer: provider.issuer) } == nil)
    #expect(try await Verdict.of { try await signIn(provider, lenient, issuer: "https://evil.org") } == .invalidAnswer)
    await provider.loopback.stop()
  }

  private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"

  @Test(
    "tenants that share a document each have their own issuer",
    arguments: [
      (tenant, tenant, nil), (tenant, "00000000-0000-0000-0000-000000000000", .invalidAnswer),
      ("evil", "evil", .invalidAnswer), (nil, tenant, .invalidAnswer), (tenant, "{tenantid}", .invalidAnswer),
    ] as [(String?, String, Verdict?)])
  func tenants(claimed: String?, issuedBy: String, verdict: Verdict?) async throws {
    let provider = try TestProvider()
    let token = try provider.sign(
      provider.claims([
        "iss": .string("\(provider.issuer)/\(issuedBy)/v2.0"), "tid": claimed.map(JSONValue.string) ?? .null,
      ]))
    provider.change {
      $0.idToken = token
      $0.discovery = ["issuer": .string("\(provider.issuer)/{tenantid}/v2.0")]
    }
    let registration = try registration(provider) { $0.namesTenantIssuers = true }
    #expect(try await Verdict.of { try await signIn(provider, registration) } == verdict)
    if verdict == nil {
      let identity = try await signIn(provider, registration).identity
      #expect(identity.issuer == "\(provider.issuer)/\(Self.tenant)/v2.0")
    }
    let (strict, others) = (try self.registration(provider), try Upstreams(client: OutboundClient()).providers)
    let start = SignInStart(state: "s", challenge: "c", nonce: "n")
    #expect(try await Verdict.of { try await others.authorizationURL(start, strict) } == .misconfigured)
    await provider.loopback.stop()
  }

  @Test("a provider that knows a token no more calls that an error, and it is dead all the same")
  func unknownToken() throws {
    let body = Array(#"{"error":"invalid_token"}"#.utf8)
    let reply = Reply(host: "https://op", status: 400, headers: [:], body: body, date: nil)
    #expect(try OIDC.outcome(of: reply) == .revoked)
  }
}
