import HTTP
import JSON
import Simulator
import Testing

@Suite("Exchange and revocation of refresh tokens")
struct ExchangeTests {
  let caller = Caller()

  @Test(
    "an exchange needs a redirect URI of the app",
    arguments: [
      (nil, "redirect_uri not specified"), ("https://evil.example/", "Invalid redirect_uri"),
    ])
  func needsRedirect(uri: String?, text: String) async throws {
    let tokens = try await caller.tokens()
    let error = try TokenError(try await caller.exchange(tokens.refresh, redirectURI: uri))
    #expect(error == TokenError(400, "invalid_request", text))
    #expect(try await caller.refresh(tokens.refresh).string("access_token") != nil, "a refused one changes nothing")
  }

  @Test("an exchange kills the old refresh token and all its access tokens")
  func killsOld() async throws {
    let old = try await caller.tokens()
    let second = try #require(try await caller.refresh(old.refresh).string("access_token"))
    let other = try await caller.tokens()
    let new = try Tokens(try await caller.exchange(old.refresh))
    #expect(new.refresh != old.refresh)
    #expect(try await caller.refusal(of: old.access) == 498)
    #expect(try await caller.refusal(of: second) == 498)
    #expect(try TokenError(try await caller.refresh(old.refresh)).code == 498)
    #expect(try TokenError(try await caller.exchange(old.refresh)).code == 498)
    #expect(try await caller.refusal(of: new.access) == nil)
    #expect(try await caller.refresh(new.refresh).string("username") == "ana")
    #expect(try await caller.refusal(of: other.access) == nil, "another sign-in is not touched")
  }

  @Test("the new refresh token lives as long as the old one was issued for")
  func lifetime() async throws {
    let old = try await caller.tokens(for: "ana", ["expiration": "100"])
    try await caller.control(.post, "/_clock", ["advance": 3_000])
    #expect(try await caller.exchange(old.refresh).integer("refresh_token_expires_in") == 6_000)
  }

  @Test("revoking a refresh token kills its access tokens")
  func revokesRefresh() async throws {
    let tokens = try await caller.tokens()
    #expect(try await revoke(tokens.refresh) == ["success": true])
    #expect(try await caller.refusal(of: tokens.access) == 498)
    #expect(try TokenError(try await caller.refresh(tokens.refresh)).code == 498)
  }

  @Test("revoking an access token leaves the refresh token alone")
  func revokesAccess() async throws {
    let tokens = try await caller.tokens()
    #expect(try await revoke(tokens.access) == ["success": true])
    #expect(try await caller.refusal(of: tokens.access) == 498)
    #expect(try await caller.refresh(tokens.refresh).string("access_token") != nil)
  }

  @Test("revoking says success for a token nobody knows")
  func revokesUnknown() async throws {
    #expect(try await revoke("unknown") == ["success": true])
  }

  @Test("tokens made with a password, and apps' own, outlive their revocation")
  func unrevocable() async throws {
    let generated = try await caller.portal(
      "/generateToken", ["username": "ana", "password": "correct horse battery"])
    let token = try #require(generated.string("token"))
    #expect(try await revoke(token) == ["success": true])
    #expect(try await caller.refusal(of: token) == nil)
  }

  @Test("only the app a token was issued to can revoke it")
  func revokesOwn() async throws {
    let caller = Caller(SimulatorConfiguration(clients: [.demo, SimulatedClient(id: "other", redirectURIs: [])]))
    let tokens = try await caller.tokens()
    let answer = try await caller.portal("/oauth2/revokeToken", ["client_id": "other", "auth_token": tokens.refresh])
    #expect(answer == ["success": true])
    #expect(try await caller.refusal(of: tokens.access) == nil)
  }

  @Test(
    "revoking needs auth_token and client_id",
    arguments: [
      ("token", "client_id", "auth_token not specified"), ("auth_token", "client", "client_id not specified"),
    ])
  func revokeNeeds(token: String, client: String, text: String) async throws {
    var form = QueryItems()
    form.append(token, "x")
    form.append(client, "gatehouse-demo")
    let error = try TokenError(try await caller.portal("/oauth2/revokeToken", form))
    #expect(error == TokenError(400, "invalid_request", text))
  }

  private func revoke(_ token: String) async throws -> JSONValue {
    try await caller.portal("/oauth2/revokeToken", ["client_id": "gatehouse-demo", "auth_token": token])
  }
}
