import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Web

struct TokenLifeTests {
  @Test(
    "Introspection tells the owner about access and refresh tokens",
    arguments: [nil, "access_token", "refresh_token", "x"])
  func active(hint: String?) async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let tokens = try await gatehouse.tokens(for: client, person)
    for token in [tokens.access, tokens.refresh] {
      let json = try await gatehouse.introspect(token, client, hint: hint)
      #expect(json.bool("active") == true)
      #expect(json.string("client_id") == client.id && json.string("sub") == person.account.id.text)
      #expect(json.string("scope") == "vend" && json.string("iss") == TestInstallation.external)
    }
  }

  @Test("An unknown, foreign or expired token is inactive, and nothing else is said")
  func inactive() async throws {
    let gatehouse = try await TestInstallation()
    let (client, other) = (try await gatehouse.client(), try await gatehouse.client())
    let tokens = try await gatehouse.tokens(for: client, try await gatehouse.person())
    for (token, caller) in [("unknown", client), ("a.b.c", client), (tokens.access, other), (tokens.refresh, other)] {
      let answer = await gatehouse.post("/oauth2/introspect", ["token": token], basic: caller.basic)
      #expect(answer.status == .ok && answer.text == #"{"active":false}"#)
    }
    gatehouse.time.advance(by: AccessToken.lifetime)
    #expect(try await gatehouse.introspect(tokens.access, client).bool("active") == false)
  }

  @Test("A caller of introspection who has not proven itself gets 401 whatever it tried", arguments: 0..<4)
  func introspectionNeedsSecret(way: Int) async throws {
    let gatehouse = try await TestInstallation()
    let (client, app) = (try await gatehouse.client(), try await gatehouse.client(.public))
    let forms: [QueryItems] = [
      ["token": "x"], ["token": "x", "client_id": client.id, "client_secret": "wrong"],
      ["token": "x", "client_id": app.id], ["token": "x", "client_id": client.id],
    ]
    let answer = await gatehouse.post("/oauth2/introspect", forms[way])
    #expect(answer.status == .unauthorized && answer.headers["www-authenticate"] != nil)
    #expect(try answer.error == "invalid_client")
  }

  @Test(
    "A request without a token is invalid, and GET is not offered", arguments: ["/oauth2/introspect", "/oauth2/revoke"])
  func malformed(path: String) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let answer = await gatehouse.post(path, [:], basic: client.basic)
    #expect(answer.status == .badRequest)
    #expect(try answer.error == "invalid_request")
    #expect(await gatehouse.send(.get, path).status == .methodNotAllowed)
  }

  @Test("Revoking an access token ends it alone; revoking a refresh token ends the family")
  func revokes() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let tokens = try await gatehouse.tokens(for: client, try await gatehouse.person())
    func revoke(_ token: String) async -> Response {
      await gatehouse.post("/oauth2/revoke", ["token": token], basic: client.basic)
    }
    let first = await revoke(tokens.access)
    #expect(first.status == .ok && first.text.isEmpty)
    #expect(try await gatehouse.introspect(tokens.access, client).bool("active") == false)
    let refreshed = await gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh], basic: client.basic)
    let access = try #require(try refreshed.json.string("access_token"))
    let refresh = try #require(try refreshed.json.string("refresh_token"))
    #expect(await revoke(refresh).status == .ok)
    #expect(try await gatehouse.introspect(access, client).bool("active") == false)
    #expect(try await gatehouse.introspect(refresh, client).bool("active") == false)
  }

  @Test("Revoking what nobody knows succeeds; what belongs to another client is refused and lives on")
  func foreignRevocation() async throws {
    let gatehouse = try await TestInstallation()
    let (client, other) = (try await gatehouse.client(), try await gatehouse.client())
    let tokens = try await gatehouse.tokens(for: client, try await gatehouse.person())
    let unknown = await gatehouse.post("/oauth2/revoke", ["token": "unknown"], basic: other.basic)
    #expect(unknown.status == .ok)
    for token in [tokens.access, tokens.refresh] {
      let answer = await gatehouse.post("/oauth2/revoke", ["token": token], basic: other.basic)
      #expect(answer.status == .badRequest)
      #expect(try answer.error == "unauthorized_client")
      #expect(try await gatehouse.introspect(token, client).bool("active") == true)
    }
  }

  @Test("Introspection tells a client all about its own token, and nothing to another that holds it")
  func members() async throws {
    let stage = try await OpenIDStage()
    let other = try await stage.gatehouse.client()
    let (now, account) = (stage.gatehouse.time.now.seconds, stage.person.account)
    for (scope, username) in [("openid profile", account.username), ("openid", nil)] {
      let token = try #require(try await stage.signIn(scope: scope).string("access_token"))
      let answer = await stage.gatehouse.post("/oauth2/introspect", ["token": token], basic: stage.client.basic)
      #expect(answer.headers["cache-control"] == "no-store")
      let json = try answer.json
      #expect(json.bool("active") == true && json.string("token_type") == "Bearer")
      #expect(json.string("scope") == scope && json.string("client_id") == stage.client.id)
      #expect(json.integer("exp") == now + 600 && json.integer("iat") == now && json.integer("nbf") == now)
      #expect(json.string("sub") == account.id.text && json.string("username") == username)
      #expect(json.string("aud") == TestInstallation.external && json.string("iss") == TestInstallation.external)
      #expect(json.string("jti") != nil && json["acr"] == nil && json["act"] == nil)
      #expect(json.integer("auth_time") == stage.person.session.authenticatedAt.seconds)
      #expect(try await stage.gatehouse.introspect(token, other) == ["active": false])
    }
  }

  @Test("A confidential client revokes only when it proves who it is, a public one by its name")
  func revokesForWhom() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let person = try await gatehouse.person()
    let access = try await gatehouse.tokens(for: client, person).access
    let wrong = await gatehouse.post("/oauth2/revoke", ["token": access], basic: (client.id, "wrong"))
    #expect(wrong.status == .unauthorized)
    #expect(try wrong.error == "invalid_client")
    let bare = await gatehouse.post("/oauth2/revoke", ["token": access, "client_id": client.id])
    #expect(try bare.error == "invalid_client")
    #expect(try await gatehouse.introspect(access, client).bool("active") == true)
    let app = try await gatehouse.client(.public)
    var form = gatehouse.redemption(try await gatehouse.code(for: app, person))
    form.append("client_id", app.id)
    let refresh = try await gatehouse.post("/oauth2/token", form).json.string("refresh_token")
    let revoked = await gatehouse.post(
      "/oauth2/revoke", ["token": refresh, "client_id": app.id, "callback": "run"])
    #expect(revoked.status == .ok && revoked.text.isEmpty && revoked.headers["content-type"] == nil)
    let again: QueryItems = ["grant_type": "refresh_token", "refresh_token": refresh, "client_id": app.id]
    #expect(try await gatehouse.post("/oauth2/token", again).error == "invalid_grant")
  }
}
