import Crypto
import Domain
import HTTP
import JOSE
import JSON
import Testing

@testable import Upstream

@Suite("Signing in at Microsoft Entra", .timeLimit(.minutes(1)))
struct IAPSignInTests {
  @Test("keeps the ID token as the one to show, until the first of the two ends")
  func signsIn() async throws {
    let tenant = try TestTenant()
    let hash = IDTokenRule.accessTokenHash("access-1", .rs256)
    let token = try tenant.give(["at_hash": .string(hash)])
    let signedIn = try await tenant.signIn(tenant.registration(secret: "s3cret"))
    #expect(signedIn.identity.issuer == tenant.issuer)
    #expect(signedIn.identity.subject == "\(TestTenant.id)/\(TestTenant.person)")
    #expect(signedIn.identity.displayName == "ana@contoso.com")
    #expect(signedIn.provenName == nil)
    #expect(signedIn.tokens.accessToken == Secret(token) && signedIn.tokens.idToken == Secret(token))
    #expect(signedIn.tokens.accessExpiresAt == Samples.now + 3_600)
    #expect(signedIn.tokens.refreshToken == Secret("refresh-1"))
    let form = try #require(tenant.loopback.requests(at: "/\(TestTenant.id)/oauth2/v2.0/token").first?.form)
    #expect(form["code_verifier"] == "v" && form["client_secret"] == "s3cret")
    #expect(form["grant_type"] == "authorization_code")
    #expect(form["scope"] == "GH1a2b/.default offline_access openid profile")
    tenant.change { $0.accessSeconds = 600 }
    #expect(try await tenant.signIn(tenant.registration()).tokens.accessExpiresAt == Samples.now + 600)
    await tenant.loopback.stop()
  }

  @Test("asks with code, PKCE, nonce and the configured prompt")
  func asks() async throws {
    let tenant = try TestTenant()
    var registration = try tenant.registration()
    let start = SignInStart(state: "s", challenge: "c", nonce: "n")
    let url = try await tenant.proxies.authorizationURL(start, registration)
    #expect(url.hasPrefix("\(tenant.loopback.origin)/\(TestTenant.id)/oauth2/v2.0/authorize?client_id=GH1a2b&"))
    let query = try Form(query: Substring(try #require(URLParts(url)?.query)))
    #expect(query["nonce"] == "n" && query["code_challenge_method"] == "S256" && query["prompt"] == nil)
    var connection = registration.connection
    connection.iap?.prompt = "select_account"
    registration = Registration(connection: connection, clientSecret: nil, redirectURI: registration.redirectURI)
    #expect(try await tenant.proxies.authorizationURL(start, registration).contains("prompt=select_account"))
    let forced = SignInStart(state: "s", challenge: "c", nonce: "n", forcesLogin: true)
    #expect(try await tenant.proxies.authorizationURL(forced, registration).contains("prompt=login"))
    await tenant.loopback.stop()
  }

  @Test(
    "refuses an ID token that says anything else than it must",
    arguments: [
      ["iss": "https://evil.org"], ["iss": .null], ["aud": "other"], ["aud": .null], ["aud": ["GH1a2b", "other"]],
      ["azp": "other"], ["exp": .integer(Samples.now.seconds - 60)], ["exp": .null], ["iat": .null],
      ["iat": .integer(Samples.now.seconds - 700)], ["iat": .integer(Samples.now.seconds + 120)],
      ["nbf": .integer(Samples.now.seconds + 120)], ["nonce": .null], ["nonce": "other"], ["sub": .null], ["sub": ""],
      ["sub": .string(String(repeating: "s", count: 256))], ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"],
      ["ver": "1.0"], ["ver": .null], ["tid": .null], ["tid": "9188040d-6c67-4c5b-b112-36a304b66dad"],
    ] as [[String: JSONValue]])
  func refuses(changes: [String: JSONValue]) async throws {
    let tenant = try TestTenant()
    try tenant.give(changes)
    #expect(try await Verdict.of { try await tenant.signIn(tenant.registration()) } == .invalidAnswer)
    await tenant.loopback.stop()
  }

  @Test("refuses tokens without a signature, or with one that anybody can make")
  func signatures() async throws {
    let tenant = try TestTenant()
    let registration = try tenant.registration()
    func verdict() async throws -> Verdict? { try await Verdict.of { try await tenant.signIn(registration) } }
    let good = try tenant.give()
    let body = good.split(separator: ".")[1]
    for header in [#"{"alg":"none"}"#, #"{"alg":"HS256","kid":"one"}"#, #"{"alg":"PS256","kid":"one"}"#] {
      let token = Base64URL.encode(Array(header.utf8)) + ".\(body)." + good.split(separator: ".")[2]
      tenant.change { $0.idToken = token }
      #expect(try await verdict() == .invalidAnswer, "\(header)")
    }
    let last = good.suffix(1) == "A" ? "Q" : "A"
    tenant.change { $0.idToken = String(good.dropLast(4)) + "AAA" + last }
    #expect(try await verdict() == .invalidAnswer)
    try tenant.give(type: "at+jwt")
    #expect(try await verdict() == .invalidAnswer)
    try tenant.give(keyID: "unknown")
    #expect(try await verdict() == .invalidAnswer)
    tenant.change { $0.idToken = "" }
    #expect(try await verdict() == .invalidAnswer)
    await tenant.loopback.stop()
  }

  @Test("takes the issuer from the token's tenant where any may come, and lets in only those that are listed")
  func severalTenants() async throws {
    let tenant = try TestTenant("organizations")
    try tenant.give()
    let registration = try tenant.registration(tenants: [TestTenant.id])
    #expect(try await tenant.signIn(registration).identity.issuer == tenant.issuer)
    let others = try tenant.registration(tenants: ["9188040d-6c67-4c5b-b112-36a304b66dad"])
    #expect(try await Verdict.of { try await tenant.signIn(others) } == .refused)
    try tenant.give(["tid": "{tenantid}"])
    #expect(try await Verdict.of { try await tenant.signIn(registration) } == .invalidAnswer)
    try tenant.give(["tid": "9188040d-6c67-4c5b-b112-36a304b66dad"])
    #expect(try await Verdict.of { try await tenant.signIn(registration) } == .invalidAnswer)
    await tenant.loopback.stop()
  }

  @Test("believes a key only for the issuer that it is published for", arguments: ["organizations", TestTenant.id])
  func keyIssuer(name: String) async throws {
    let tenant = try TestTenant(name)
    try tenant.give()
    tenant.publish(issuer: "\(tenant.loopback.origin)/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0")
    let registration = try tenant.registration(tenants: [TestTenant.id])
    #expect(try await Verdict.of { try await tenant.signIn(registration) } == .invalidAnswer)
    await tenant.loopback.stop()
  }

  @Test("looks for a new key once when the directory has rotated")
  func rotation() async throws {
    let tenant = try TestTenant()
    try tenant.give()
    let registration = try tenant.registration()
    tenant.change { $0.publishedKeys = [] }
    #expect(try await Verdict.of { try await tenant.signIn(registration) } == .invalidAnswer)
    await tenant.loopback.stop()
    let other = try TestTenant()
    try other.give()
    _ = try await other.signIn(other.registration())
    #expect(other.loopback.requests(at: "/\(TestTenant.id)/discovery/v2.0/keys").count == 1)
    await other.loopback.stop()
  }

  @Test("checks the addresses against the live directory, and finds the tenant's id behind its domain")
  func inspects() async throws {
    let tenant = try TestTenant("contoso.com")
    var draft = try tenant.registration().connection
    let checked = try await tenant.proxies.inspect(draft)
    #expect(checked.origin == tenant.issuer)
    draft.resources = []
    #expect(try await Verdict.of { try await tenant.proxies.inspect(draft) } == .misconfigured)
    await tenant.loopback.stop()
    let shared = try TestTenant("common")
    let none = try shared.registration().connection
    #expect(try await Verdict.of { try await shared.proxies.inspect(none) } == .misconfigured)
    let wrong = try shared.registration(tenants: ["x"]).connection
    #expect(try await Verdict.of { try await shared.proxies.inspect(wrong) } == .misconfigured)
    let listed = try shared.registration(tenants: [TestTenant.id]).connection
    #expect(try await shared.proxies.inspect(listed).origin == listed.origin)
    await shared.loopback.stop()
  }

  @Test("sends the token to hosts behind the proxy alone, and the browser to the sign-out page and back")
  func applies() async throws {
    let tenant = try TestTenant()
    let registration = try tenant.registration()
    let token = Secret(try tenant.give(["login_hint": "O.abc"]))
    func headers(_ text: String) throws -> [String] {
      try tenant.proxies.headers(with: Secret("t"), for: #require(ResourceURL(text)), registration)
        .map { "\($0.name): \($0.value.revealedText)" }
    }
    #expect(try headers("https://gis.contoso.com/portal") == ["Authorization: Bearer t"])
    #expect(try headers("https://other.example/") == [])
    #expect(try headers(tenant.loopback.origin + "/") == [])
    let tokens = UpstreamTokens(
      accessToken: token, accessExpiresAt: Samples.now, refreshToken: nil, idToken: token)
    let page = await tenant.proxies.signOutURL(
      registration, tokens: tokens, returnTo: "https://gate.example.org/signed-out")
    #expect(
      page == "\(tenant.loopback.origin)/\(TestTenant.id)/oauth2/v2.0/logout"
        + "?post_logout_redirect_uri=https%3A%2F%2Fgate.example.org%2Fsigned-out&logout_hint=O.abc")
    #expect(try await tenant.proxies.revoke(tokens, registration) == .unsupported)
    await tenant.loopback.stop()
  }
}
