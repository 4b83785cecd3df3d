import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Web

@Suite("What an app asks about the sign-in")
struct OpenIDRequestTests {
  @Test(
    "max_age asks for a new sign-in when the old one is older, and for none when it is not", arguments: [0, 1, 100])
  func maximumAge(seconds: Int) async throws {
    let stage = try await OpenIDStage()
    _ = try await stage.signIn()
    stage.gatehouse.time.advance(by: 10)
    let wish = [("max_age", String(seconds))]
    let step = try await stage.step(wish, stage.person)
    #expect(step.signsIn == (seconds < 10))
    let silent = try await stage.step(wish + [("prompt", "none")], stage.person)
    #expect(silent.target?.contains(seconds < 10 ? "?error=login_required&" : "?code=") == true)
  }

  @Test("A new sign-in is followed by the code and a new auth_time, and cannot be skipped by the old session")
  func again() async throws {
    let stage = try await OpenIDStage()
    _ = try await stage.signIn()
    stage.gatehouse.time.advance(by: 10)
    let handle = try await stage.gatehouse.waiting(stage.client, scope: "openid", more: [("max_age", "0")])
    let decide = DecideConsent(stage.gatehouse.here)
    await #expect(throws: Refusal.self) {
      try await decide.allow(handle, connections: [], stage.person.signedIn, TestInstallation.visitor)
    }
    let fresh = try await stage.gatehouse.session(of: stage.person.account)
    let url = try #require(try await decide.step(handle, fresh.signedIn, TestInstallation.visitor).target)
    let code = try #require(url.split(separator: "code=").last?.prefix(43))
    let answer = await stage.gatehouse.post(
      "/oauth2/token", stage.gatehouse.redemption(String(code)), basic: stage.client.basic)
    let claims = try await stage.claims(answer.json)
    #expect(claims.integer("auth_time") == stage.gatehouse.time.now.seconds)
  }

  @Test("An id_token_hint, also an old one, lets on its person alone")
  func hint() async throws {
    let stage = try await OpenIDStage()
    let hint = try #require(try await stage.signIn().string("id_token"))
    stage.gatehouse.time.advance(by: 3000)
    let wish = [("id_token_hint", hint)]
    #expect(try await stage.step(wish + [("prompt", "none")], stage.person).target?.contains("?code=") == true)
    let other = try await stage.gatehouse.person("Ben")
    let silent = try await stage.step(wish + [("prompt", "none")], other)
    #expect(silent.target?.contains("?error=login_required&") == true)
    stage.gatehouse.time.advance(by: 5)
    let handle = try await stage.gatehouse.waiting(stage.client, scope: "openid", more: wish)
    let decide = DecideConsent(stage.gatehouse.here)
    #expect(try await decide.step(handle, other.signedIn, TestInstallation.visitor).signsIn)
    // Who signs in again as somebody else gets no code either.
    let again = try await stage.gatehouse.session(of: other.account)
    let end = try await decide.step(handle, again.signedIn, TestInstallation.visitor)
    #expect(end.target?.contains("?error=login_required&") == true)
  }

  @Test("A sub that is asked for by value is a hint, too", arguments: ["id_token", "userinfo"])
  func subject(place: String) async throws {
    let stage = try await OpenIDStage()
    let other = try await stage.gatehouse.person("Ben")
    _ = try await stage.signIn()
    let wish = [
      ("claims", #"{"\#(place)":{"sub":{"value":"\#(stage.person.account.id.text)"}}}"#), ("prompt", "none"),
    ]
    #expect(try await stage.step(wish, stage.person).target?.contains("?code=") == true)
    #expect(try await stage.step(wish, other).target?.contains("?error=login_required&") == true)
  }

  @Test(
    "What cannot be read or met goes back to the app",
    arguments: [
      ("max_age", "soon", "invalid_request"), ("max_age", "-1", "invalid_request"),
      ("claims", "{", "invalid_request"), ("claims", "[]", "invalid_request"),
      ("id_token_hint", "e30.e30.", "invalid_request"),
      ("nonce", String(repeating: "n", count: 1025), "invalid_request"),
      ("claims", #"{"id_token":{"sub":{"value":"somebody"}}}"#, "login_required"),
      (
        "claims", #"{"id_token":{"acr":{"essential":true,"values":["urn:mace:incommon:iap:silver"]}}}"#,
        "unmet_authentication_requirements"
      ),
    ])
  func refused(name: String, value: String, code: String) async throws {
    let stage = try await OpenIDStage()
    var fields = stage.gatehouse.authorization(stage.client, scope: "openid")
    fields.append(name, value)
    let answer = await stage.gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    let location = try #require(answer.location)
    #expect(location.hasPrefix("https://app.example/back?error=\(code)&"), "\(location)")
    #expect(location.contains("&state=a%20state&iss="))
  }

  @Test("Signed userinfo is no ID token")
  func userInfoHint() async throws {
    let stage = try await OpenIDStage(signsUserInfo: true)
    let access = try #require(try await stage.signIn().string("access_token"))
    var fields = stage.gatehouse.authorization(stage.client, scope: "openid")
    fields.append("id_token_hint", try await stage.userInfo(access).text)
    let answer = await stage.gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    #expect(answer.location?.contains("?error=invalid_request&") == true)
  }

  @Test("Somebody else's ID token is no hint for this client")
  func foreignHint() async throws {
    let stage = try await OpenIDStage()
    let hint = try #require(try await stage.signIn().string("id_token"))
    let other = try await stage.gatehouse.client(grants: [.authorizationCode], scope: "openid")
    var fields = stage.gatehouse.authorization(other, scope: "openid")
    fields.append("id_token_hint", hint)
    let answer = await stage.gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    #expect(answer.location?.contains("?error=invalid_request&") == true)
  }

  @Test(
    "Hints for pages and languages are no mistakes, whatever stands in them",
    arguments: [
      ("login_hint", "ana<script>"), ("ui_locales", "se de xx-YY"), ("display", "wap"),
      ("claims_locales", "se"), ("acr_values", "1 2"), ("claims", #"{"id_token":{"acr":{"essential":true}},"x":7}"#),
    ])
  func hints(name: String, value: String) async throws {
    let stage = try await OpenIDStage()
    #expect(try await stage.step([(name, value)], stage.person).asks)
  }

  @Test("The sign-in page holds the name that the app hints at, escaped")
  func loginHint() async throws {
    let stage = try await OpenIDStage()
    let handle = try await stage.gatehouse.waiting(stage.client, scope: "openid", more: [("login_hint", "a\"na<b>")])
    let page = await stage.gatehouse.send(.get, "/signin?ticket=app:\(handle)")
    #expect(page.text.contains("value=\"a&quot;na&lt;b&gt;\"") || page.status == .seeOther, "\(page.text)")
  }
}

@Suite("A client that knows no PKCE")
struct WithoutPKCETests {
  /// A code that was asked for without a challenge.
  private func code(_ stage: OpenIDStage) async throws -> String {
    let fields: QueryItems = [
      "response_type": "code", "client_id": stage.client.id, "redirect_uri": TestClient.redirectURI, "scope": "openid",
    ]
    let answer = await stage.gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    let handle = try #require(answer.location?.split(separator: "ticket=").last).description
    let url = try await DecideConsent(stage.gatehouse.here).allow(
      handle, connections: [], stage.person.signedIn, TestInstallation.visitor
    ).url
    return try #require(url.split(separator: "code=").last?.prefix(43)).description
  }

  @Test("may leave it out with the profile oidc-basic, and only then")
  func optional() async throws {
    let stage = try await OpenIDStage(profile: .oidcBasic)
    let code = try await code(stage)
    // A verifier now would mean that somebody took the challenge off the request.
    let odd = await stage.gatehouse.post("/oauth2/token", stage.gatehouse.redemption(code), basic: stage.client.basic)
    #expect(odd.status == .badRequest)
    #expect(try odd.error == "invalid_request")
    let strict = try await OpenIDStage()
    let refused = await strict.gatehouse.send(
      .get,
      QueryItems(
        dictionaryLiteral: ("response_type", "code"), ("client_id", strict.client.id),
        ("redirect_uri", TestClient.redirectURI), ("scope", "openid")
      ).appended(to: "/oauth2/authorize"))
    #expect(refused.location?.contains("?error=invalid_request&") == true)
  }

  @Test(
    "has to say its redirect URI once more, since no verifier makes up for it",
    arguments: [nil, TestClient.redirectURI])
  func redirectURI(_ uri: String?) async throws {
    let stage = try await OpenIDStage(profile: .oidcBasic)
    let code = try await code(stage)
    let redeemed = await stage.gatehouse.post(
      "/oauth2/token", ["grant_type": "authorization_code", "code": code, "redirect_uri": uri],
      basic: stage.client.basic)
    #expect(uri == nil ? try redeemed.error == "invalid_grant" : redeemed.status == .ok, "\(redeemed.text)")
  }

  @Test("has to show the verifier of a challenge that it did send")
  func sent() async throws {
    let stage = try await OpenIDStage(profile: .oidcBasic)
    let code = try await stage.gatehouse.code(for: stage.client, stage.person, scope: "openid")
    let answer = await stage.gatehouse.post(
      "/oauth2/token", stage.gatehouse.redemption(code, verifier: nil), basic: stage.client.basic)
    #expect(try answer.error == "invalid_grant")
  }
}
