import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Testing

@testable import Web

@Suite("ID tokens")
struct IDTokenTests {
  @Test("say who signed in, where, when and for whom, and nothing that was not asked for")
  func contents() async throws {
    let stage = try await OpenIDStage()
    let nonce = String(repeating: "n", count: 384)
    let answer = try await stage.signIn(more: [("nonce", nonce)])
    let claims = try await stage.claims(answer)
    let now = stage.gatehouse.time.now.seconds
    #expect(claims.string("iss") == TestInstallation.external)
    #expect(claims.string("sub") == stage.person.account.id.text)
    #expect(claims.string("aud") == stage.client.id)
    #expect(claims.integer("iat") == now && claims.integer("exp") == now + 600)
    #expect(claims.integer("auth_time") == stage.person.session.authenticatedAt.seconds)
    #expect(claims.string("nonce") == nonce)
    let token = try #require(answer.string("access_token"))
    #expect(claims.string("at_hash") == Base64URL.encode(Array(SHA256.hash(token).prefix(16))))
    #expect(claims.string("sid")?.utf8.count == 22)
    #expect(claims["name"] == nil && claims["preferred_username"] == nil && claims["acr"] == nil)
    #expect(claims["amr"] == nil, "an upstream knows how somebody signed in there")
  }

  @Test("say by which methods the person signed in here (RFC 8176)")
  func methods() async throws {
    let stage = try await OpenIDStage()
    let person = try await stage.gatehouse.session(
      of: stage.person.account, by: AuthenticationMethods([.password, .oneTimeCode, .multipleFactors]))
    let code = try await stage.gatehouse.code(for: stage.client, person, scope: "openid")
    let answer = await stage.gatehouse.post(
      "/oauth2/token", stage.gatehouse.redemption(code), basic: stage.client.basic)
    #expect(try await stage.claims(answer.json).strings("amr") == ["pwd", "otp", "mfa"])
  }

  @Test("bind the access token by the hash of their own algorithm, which is SHA-512 for EdDSA")
  func accessTokenHash() async throws {
    let stage = try await OpenIDStage(.edDSA)
    let answer = try await stage.signIn()
    let hash = SHA512.hash(Array(try #require(answer.string("access_token")).utf8))
    #expect(try await stage.claims(answer, .edDSA).string("at_hash") == Base64URL.encode(Array(hash.prefix(32))))
  }

  @Test("have a nonce only when one was sent, and do not come without the scope openid")
  func absent() async throws {
    let stage = try await OpenIDStage()
    #expect(try await stage.claims(stage.signIn())["nonce"] == nil)
    let other = try await stage.signIn(scope: "profile", more: [("nonce", "n")])
    #expect(other["id_token"] == nil)
  }

  @Test("are signed by RS256 where nothing else was registered")
  func algorithm() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client(grants: [.authorizationCode], scope: "openid")
    let code = try await gatehouse.code(for: client, try await gatehouse.person(), scope: "openid")
    let answer = await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic)
    let token = try JWS(parsing: try #require(try answer.json.string("id_token"), "\(answer.text)"))
    #expect(token.algorithm == .rs256)
  }

  @Test("come with a refresh, too: the same person and sign-in, issued now, without the nonce")
  func refreshed() async throws {
    let stage = try await OpenIDStage()
    let first = try await stage.signIn(more: [("nonce", "n"), ("claims", #"{"id_token":{"name":null}}"#)])
    let before = try await stage.claims(first)
    stage.gatehouse.time.advance(by: 120)
    let refresh = try #require(first.string("refresh_token"))
    let answer = await stage.gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": refresh], basic: stage.client.basic)
    let after = try await stage.claims(try answer.json)
    for name in ["iss", "sub", "aud", "auth_time", "sid", "name"] { #expect(after[name] == before[name], "\(name)") }
    #expect(after.integer("iat") == before.integer("iat").map { $0 + 120 })
    #expect(after["nonce"] == nil)
  }

  @Test("are no access tokens, and access tokens are no hints")
  func notInterchangeable() async throws {
    let stage = try await OpenIDStage()
    let answer = try await stage.signIn()
    let (idToken, access) = (try #require(answer.string("id_token")), try #require(answer.string("access_token")))
    #expect(try await stage.userInfo(idToken).status == .unauthorized)
    #expect(try await stage.gatehouse.introspect(idToken, stage.client).bool("active") == false)
    for (hint, isGood) in [(access, false), (idToken, true)] {
      var fields = stage.gatehouse.authorization(stage.client, scope: "openid")
      fields.append("id_token_hint", hint)
      let location = await stage.gatehouse.send(.get, fields.appended(to: "/oauth2/authorize")).location
      #expect(location?.hasPrefix("/consent") == isGood)
    }
  }

  @Test("name a session without giving its cookie away, and the same one to every client")
  func session() async throws {
    let stage = try await OpenIDStage()
    let first = try await stage.claims(stage.signIn()).string("sid")
    #expect(try await stage.claims(stage.signIn()).string("sid") == first)
    let elsewhere = try await stage.gatehouse.session(of: stage.person.account)
    let code = try await stage.gatehouse.code(for: stage.client, elsewhere, scope: "openid")
    let answer = await stage.gatehouse.post(
      "/oauth2/token", stage.gatehouse.redemption(code), basic: stage.client.basic)
    #expect(try await stage.claims(answer.json).string("sid") != first)
  }
}

@Suite("The userinfo endpoint")
struct UserInfoTests {
  @Test("tells sub and what the scope allows, by GET and by POST, whatever the case of the scheme")
  func claims() async throws {
    let stage = try await OpenIDStage()
    let plain = try #require(try await stage.signIn().string("access_token"))
    #expect(try await stage.userInfo(plain).json == ["sub": .string(stage.person.account.id.text)])
    let whole = try #require(try await stage.signIn(scope: "openid profile").string("access_token"))
    for (method, scheme) in [(HTTP.Method.get, "Bearer"), (.post, "bearer")] {
      let answer = try await stage.userInfo(whole, method: method, scheme: scheme)
      #expect(answer.headers["cache-control"] == "no-store")
      let account = stage.person.account
      #expect(
        try answer.json == [
          "sub": .string(account.id.text), "name": .string(account.name),
          "preferred_username": .string(account.username ?? ""),
        ])
    }
  }

  @Test("tells claims that were asked for by name, and leaves out what there is not")
  func byName() async throws {
    let stage = try await OpenIDStage()
    let wishes = #"{"userinfo":{"name":{"essential":true},"birthdate":null,"sub":null}}"#
    let token = try #require(try await stage.signIn(more: [("claims", wishes)]).string("access_token"))
    #expect(
      try await stage.userInfo(token).json == [
        "sub": .string(stage.person.account.id.text), "name": .string(stage.person.account.name),
      ])
  }

  @Test("is a signed JWT for an app that was registered for that", arguments: [SignatureAlgorithm.es256, .rs256])
  func signed(algorithm: SignatureAlgorithm) async throws {
    let stage = try await OpenIDStage(algorithm, signsUserInfo: true)
    let token = try #require(try await stage.signIn(scope: "openid profile").string("access_token"))
    let answer = try await stage.userInfo(token)
    #expect(answer.headers["content-type"] == "application/jwt" && answer.headers["cache-control"] == "no-store")
    let claims = try await stage.claims(of: answer.text, "jwt", algorithm)
    #expect(claims.string("iss") == TestInstallation.external && claims.string("aud") == stage.client.id)
    #expect(claims.string("sub") == stage.person.account.id.text && claims.string("name") == stage.person.account.name)
  }

  @Test("says what is wrong with the token: none, a bad one, one that has ended, one without openid, two")
  func refusals() async throws {
    let stage = try await OpenIDStage()
    let none = await stage.gatehouse.send(.get, "/oauth2/userinfo")
    #expect(none.status == .unauthorized && none.headers["www-authenticate"] == "Bearer realm=\"gatehouse\"")
    let bad = try await stage.userInfo("nonsense")
    #expect(bad.status == .unauthorized && bad.headers["www-authenticate"]?.contains("invalid_token") == true)
    let token = try #require(try await stage.signIn().string("access_token"))
    let inQuery = await stage.gatehouse.send(.get, "/oauth2/userinfo?access_token=\(token)")
    #expect(inQuery.status == .unauthorized)
    let value = try #require(FieldValue("Bearer \(token)"))
    let twice = await stage.gatehouse.send(
      .get, "/oauth2/userinfo?access_token=\(token)", headers: ["authorization": value])
    #expect(twice.status == .badRequest)
    let besides = await stage.gatehouse.send(
      .post, "/oauth2/userinfo",
      headers: ["authorization": value, "content-type": "application/x-www-form-urlencoded"],
      body: Array("access_token=\(token)".utf8))
    #expect(besides.status == .badRequest)
    let without = try #require(try await stage.signIn(scope: "profile").string("access_token"))
    let narrow = try await stage.userInfo(without)
    #expect(narrow.status == .forbidden && narrow.headers["www-authenticate"]?.contains("insufficient_scope") == true)
    let revoked = await stage.gatehouse.post("/oauth2/revoke", ["token": token], basic: stage.client.basic)
    #expect(revoked.status == .ok)
    #expect(try await stage.userInfo(token).status == .unauthorized)
  }
}
