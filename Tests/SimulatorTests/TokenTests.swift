import HTTP
import JSON
import Simulator
import Testing

@Suite("Codes, refreshes and app tokens")
struct TokenTests {
  let caller = Caller()

  @Test("a code brings the documented members, without token_type and scope")
  func codeAnswer() async throws {
    let answer = try await caller.redeem(try await caller.code())
    #expect(
      try #require(answer.object).map(\.name) == [
        "access_token", "expires_in", "username", "ssl", "refresh_token", "refresh_token_expires_in",
      ])
    #expect(answer.integer("expires_in") == 1_800)
    #expect(answer.string("username") == "ana")
    #expect(answer.bool("ssl") == true)
    #expect(answer.integer("refresh_token_expires_in") == 1_209_600)
  }

  @Test("a code works once")
  func codeOnce() async throws {
    let code = try await caller.code()
    #expect(try await caller.redeem(code).string("access_token") != nil)
    #expect(
      try TokenError(try await caller.redeem(code)) == TokenError(400, "invalid_request", "Invalid authorization code"))
  }

  @Test(
    "a wrong or missing verifier is refused and uses the code up",
    arguments: [
      "wrong-but-long-enough-to-be-a-verifier-of-pkce", Caller.challenge, nil,
    ])
  func verifierMismatch(verifier: String?) async throws {
    let code = try await caller.code()
    let error = try TokenError(try await caller.redeem(code, verifier: verifier))
    #expect(error == TokenError(400, "invalid_grant", "Invalid code_verifier"))
    #expect(try await caller.redeem(code)["error"] != nil)
  }

  @Test(
    "a code is bound to its redirect URI",
    arguments: [
      ("http://localhost:8080/callback/other", "Invalid redirect_uri"), (nil, "redirect_uri not specified"),
    ])
  func codeRedirect(uri: String?, text: String) async throws {
    let answer = try await caller.redeem(try await caller.code(), redirectURI: uri)
    #expect(try TokenError(answer) == TokenError(400, "invalid_request", text))
  }

  @Test("a code is bound to its app")
  func codeClient() async throws {
    let caller = Caller(SimulatorConfiguration(clients: [.demo, SimulatedClient(id: "other", redirectURIs: [])]))
    let answer = try await caller.redeem(try await caller.code(), client: "other")
    #expect(try TokenError(answer).description == "Invalid authorization code")
  }

  @Test("a code expires")
  func codeExpires() async throws {
    let code = try await caller.code()
    try await caller.control(.post, "/_clock", ["advance": 601])
    #expect(try TokenError(try await caller.redeem(code)).description == "Invalid authorization code")
  }

  @Test("a refresh brings a new access token and no refresh token")
  func refreshes() async throws {
    let tokens = try await caller.tokens()
    let answer = try await caller.refresh(tokens.refresh)
    #expect(try #require(answer.object).map(\.name) == ["access_token", "expires_in", "username", "ssl"])
    let access = try #require(answer.string("access_token"))
    #expect(access != tokens.access)
    #expect(try await caller.refusal(of: access) == nil)
    #expect(try await caller.refusal(of: tokens.access) == nil, "the former one lives on")
  }

  @Test("an expired refresh token is refused with 498 inside a 200")
  func refreshExpired() async throws {
    let tokens = try await caller.tokens()
    try await caller.control(.post, "/_clock", ["advance": .integer(20_160 * 60)])
    let error = try TokenError(try await caller.refresh(tokens.refresh))
    #expect(error == TokenError(498, "invalid_request", "refresh_token expired"))
  }

  @Test("an unknown refresh token, and another app's, is refused with 498", arguments: [true, false])
  func refreshUnknown(isOthers: Bool) async throws {
    let caller = Caller(SimulatorConfiguration(clients: [.demo, SimulatedClient(id: "other", redirectURIs: [])]))
    let token = isOthers ? try await caller.tokens().refresh : "unknown"
    let error = try TokenError(try await caller.refresh(token, client: "other"))
    #expect(error == TokenError(498, "invalid_request", "Invalid refresh_token"))
  }

  private static let refusals: [(String, TokenError)] = [
    ("client_id=gatehouse-demo", TokenError(400, "invalid_request", "grant_type not specified")),
    ("grant_type=refresh_token", TokenError(400, "invalid_request", "client_id not specified")),
    (
      "grant_type=refresh_token&client_id=x&refresh_token=y", TokenError(400, "invalid_client_id", "Invalid client_id")
    ),
    (
      "grant_type=password&client_id=gatehouse-demo", TokenError(400, "unsupported_grant_type", "Invalid grant_type")
    ),
    (
      "grant_type=refresh_token&client_id=gatehouse-demo",
      TokenError(400, "invalid_request", "refresh_token not specified")
    ),
    (
      "grant_type=client_credentials&client_id=gatehouse-demo&client_secret=no",
      TokenError(400, "invalid_request", "Invalid client_secret")
    ),
    (
      "grant_type=client_credentials&client_id=gatehouse-demo",
      TokenError(400, "invalid_request", "client_secret not specified")
    ),
  ]

  @Test("refuses what is missing or wrong", arguments: refusals)
  func refuses(form: String, error: TokenError) async throws {
    let answer = await caller.send(
      .post, "/sharing/rest/oauth2/token", body: Array(form.utf8), type: "application/x-www-form-urlencoded")
    #expect(answer.status == .ok)
    #expect(try TokenError(try answer.json) == error)
  }

  @Test("answers JSON without f, by GET, and with a slash at the end")
  func tolerates() async throws {
    let query: QueryItems = [
      "grant_type": "client_credentials", "client_id": "gatehouse-demo", "client_secret": "gatehouse-demo-secret",
    ]
    let answer = await caller.send(.get, "/sharing/rest/oauth2/token/", query)
    #expect(try answer.json.string("access_token") != nil)
    #expect(answer.headers["cache-control"] == "no-store")
  }

  @Test(
    "an app's own token has no user and no refresh token",
    arguments: [
      ("", 7_200), ("7200", 432_000), ("99999", 1_209_600), ("-1", 1_209_600), ("0", 7_200),
    ])
  func appToken(expiration: String, lifetime: Int64) async throws {
    let answer = try await caller.portal(
      "/oauth2/token",
      [
        "grant_type": "client_credentials", "client_id": "gatehouse-demo", "client_secret": "gatehouse-demo-secret",
        "expiration": expiration,
      ])
    #expect(try #require(answer.object).map(\.name) == ["access_token", "expires_in"])
    #expect(answer.integer("expires_in") == lifetime)
    let token = try #require(answer.string("access_token"))
    #expect(try await caller.refusal(of: token) == 403)
    let portal = try await caller.portal("/portals/self", ["token": token])
    #expect(portal["appInfo"]?.string("appId") == "gatehouse-demo")
    #expect(portal["user"] == nil)
  }
}
