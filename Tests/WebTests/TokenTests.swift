import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

struct TokenTests {
  @Test("Client credentials give a signed token for the client itself, and no refresh token")
  func clientCredentials() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client(grants: [.clientCredentials])
    let answer = await gatehouse.post(
      "/oauth2/token", ["grant_type": "client_credentials", "extra": "foobar"], basic: client.basic)
    #expect(answer.status == .ok)
    #expect(answer.headers["cache-control"] == "no-store" && answer.headers["pragma"] == "no-cache")
    #expect(answer.headers["content-type"] == "application/json")
    let json = try answer.json
    #expect(json.string("token_type") == "Bearer" && json.integer("expires_in") == 600)
    #expect(json.string("scope") == "vend" && json["refresh_token"] == nil)
    let keys = try JWKSet(parsing: Array(await gatehouse.send(.get, "/oauth2/jwks").text.utf8))
    let token = try JWS(parsing: try #require(json.string("access_token")))
    let claims = try JSONValue(parsing: token.payload(verifiedBy: keys, allowing: [.es256]))
    #expect(token.hasType("at+jwt"))
    #expect(claims.string("iss") == TestInstallation.external && claims.string("aud") == "urn:gatehouse:vend")
    #expect(claims.string("sub") == client.id && claims.string("client_id") == client.id)
    let now = gatehouse.time.now.seconds
    #expect(claims.integer("iat") == now && claims.integer("exp") == now + 600)
    #expect(claims.string("scope") == "vend" && claims.string("jti")?.utf8.count == 32)
    #expect(try await gatehouse.auditNames().contains(.tokenIssued))
  }

  @Test("A scope may narrow; an empty one counts as absent, a wider or malformed one is refused")
  func scope() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    func ask(_ scope: String) async -> Response {
      await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials", "scope": scope], basic: client.basic)
    }
    #expect(try await ask("").json.string("scope") == "vend")
    for scope in ["vend admin", " ", "a\"b"] { #expect(try await ask(scope).error == "invalid_scope", "\(scope)") }
  }

  @Test(
    "A wrong request gets the error of RFC 6749 §5.2",
    arguments: [
      (["grant_type": "password"], "unsupported_grant_type"), (["grant_type": "implicit"], "unsupported_grant_type"),
      ([:], "invalid_request"), (["grant_type": ""], "invalid_request"),
      (["grant_type": "client_credentials"], "unauthorized_client"),
      (["grant_type": "authorization_code"], "invalid_request"),
      (["grant_type": "authorization_code", "code": "x"], "invalid_grant"),
      (["grant_type": "authorization_code", "code": "x", "code_verifier": "short"], "invalid_grant"),
      (["grant_type": "refresh_token", "refresh_token": "unknown"], "invalid_grant"),
      (["grant_type": "refresh_token"], "invalid_request"),
    ] as [([String: String], String)])
  func wrong(fields: [String: String], code: String) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client(grants: [.authorizationCode, .refreshToken])
    var form = QueryItems()
    for (name, value) in fields { form.append(name, value) }
    let answer = await gatehouse.post("/oauth2/token", form, basic: client.basic)
    #expect(answer.status == .badRequest)
    #expect(try answer.error == code)
    #expect(answer.headers["cache-control"] == "no-store")
  }

  @Test("A repeated parameter is an invalid request, another method is not offered, JSON is no form")
  func form() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    var twice: QueryItems = ["grant_type": "client_credentials", "scope": "vend"]
    twice.append("scope", "vend")
    #expect(try await gatehouse.post("/oauth2/token", twice, basic: client.basic).error == "invalid_request")
    let inAddress: QueryItems = ["client_id": client.id, "client_secret": client.secret]
    let exposed = await gatehouse.post(inAddress.appended(to: "/oauth2/token"), ["grant_type": "client_credentials"])
    #expect(try exposed.error == "invalid_client")
    let get = await gatehouse.send(.get, "/oauth2/token?grant_type=client_credentials")
    #expect(get.status == .methodNotAllowed && get.headers["allow"] == "POST")
    let json = await gatehouse.send(
      .post, "/oauth2/token", headers: ["content-type": "application/json"], body: Array("{}".utf8))
    #expect(json.status == .badRequest)
    #expect(try json.error == "invalid_request")
  }

  @Test("A code gives tokens for its person once")
  func code() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let code = try await gatehouse.code(for: client, person)
    let answer = await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic)
    #expect(answer.status == .ok)
    let json = try answer.json
    #expect(json.string("refresh_token")?.utf8.count == 65)
    let token = try #require(json.string("access_token"))
    #expect(try await gatehouse.introspect(token, client).string("sub") == person.account.id.text)
  }

  @Test("A challenge or nonce that a client uses again is written down, once; another client may use the same")
  func repeatedValues() async throws {
    let gatehouse = try await TestInstallation()
    let options = {
      var options = ClientOptions(); options.idTokenAlgorithm = "ES256"; return options
    }()
    let person = try await gatehouse.person()
    func details(_ client: TestClient) async throws -> [String?] {
      try await gatehouse.audit().filter { $0.name == .valueRepeated && $0.client == client.client.id }.map(\.detail)
    }
    func signIn(_ client: TestClient, nonce: String) async throws {
      let code = try await gatehouse.code(for: client, person, scope: "openid", more: [("nonce", nonce)])
      let answer = await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic)
      #expect(answer.status == .ok)
    }
    let (one, other) = (
      try await gatehouse.client(scope: "openid", options: options),
      try await gatehouse.client(scope: "openid", options: options)
    )
    for client in [one, other] {
      try await signIn(client, nonce: "a")
      #expect(try await details(client) == [])
    }
    try await signIn(one, nonce: "b")
    #expect(try await details(one) == ["the same code_challenge as before"])
    for _ in 0..<3 { try await signIn(one, nonce: "b") }
    #expect(try await details(one) == ["the same nonce as before", "the same code_challenge as before"])
    #expect(try await details(other) == [])
  }

  @Test("A public client redeems its code with PKCE alone")
  func publicClient() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(.public), try await gatehouse.person())
    var form = gatehouse.redemption(try await gatehouse.code(for: client, person))
    form.append("client_id", client.id)
    #expect(await gatehouse.post("/oauth2/token", form).status == .ok)
  }

  @Test(
    "A code is refused with another verifier, without one, or with another redirect URI",
    arguments: [
      ("code_verifier", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_verifier", nil),
      ("redirect_uri", "https://app.example/"),
    ]
      as [(String, String?)])
  func wrongRedemption(name: String, value: String?) async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let code = try await gatehouse.code(for: client, person)
    var form = gatehouse.redemption(code, verifier: name == "code_verifier" ? value : TestInstallation.verifier)
    if name != "code_verifier" { form.append(name, value) }
    let answer = await gatehouse.post("/oauth2/token", form, basic: client.basic)
    #expect(answer.status == .badRequest)
    #expect(try answer.error == "invalid_grant")
  }

  @Test("A code that another client stole, or that is a minute old, is worthless")
  func strangersCode() async throws {
    let gatehouse = try await TestInstallation()
    let (client, thief) = (try await gatehouse.client(), try await gatehouse.client())
    let person = try await gatehouse.person()
    let stolen = try await gatehouse.code(for: client, person)
    let theft = await gatehouse.post("/oauth2/token", gatehouse.redemption(stolen), basic: thief.basic)
    #expect(try theft.error == "invalid_grant")
    let old = try await gatehouse.code(for: client, person)
    gatehouse.time.advance(by: 60)
    let late = await gatehouse.post("/oauth2/token", gatehouse.redemption(old), basic: client.basic)
    #expect(try late.error == "invalid_grant")
  }

  @Test("A code redeemed fifty times at once yields exactly one answer, whose tokens the replays end")
  func parallelRedemption() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let code = try await gatehouse.code(for: client, person)
    let answers = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<50 {
        group.addTask { await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let good = answers.filter { $0.status == .ok }
    #expect(good.count == 1)
    #expect(try answers.filter { $0.status != .ok }.allSatisfy { try $0.error == "invalid_grant" })
    let token = try #require(try good.first?.json.string("access_token"))
    #expect(try await gatehouse.introspect(token, client).bool("active") == false)
    #expect(try await gatehouse.auditNames().filter { $0 == .codeReplayed }.count == 1)
  }

  @Test("A replay that is wrong in anything ends nobody's tokens")
  func wrongReplay() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let code = try await gatehouse.code(for: client, person)
    let answer = await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic)
    let token = try #require(try answer.json.string("access_token"))
    let other = String(repeating: "v", count: 43)
    _ = await gatehouse.post("/oauth2/token", gatehouse.redemption(code, verifier: other), basic: client.basic)
    #expect(try await gatehouse.introspect(token, client).bool("active") == true)
  }

  @Test(
    "A code is worthless once the person has signed out, taken the consent back, or been disabled", arguments: 0..<3)
  func codeAfterTheEnd(way: Int) async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let code = try await gatehouse.code(for: client, person)
    let (account, now) = (person.account.id, gatehouse.time.now)
    switch way {
    case 0: _ = try await SignOut(gatehouse.here)(account, TestInstallation.visitor)
    case 1: try await gatehouse.store.write { _ = try $0.deleteConsent(of: account, for: client.client.id) }
    default: try await gatehouse.store.write { try $0.setAccount(account, disabled: true, at: now) }
    }
    let answer = await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic)
    #expect(try answer.error == "invalid_grant")
  }
}
