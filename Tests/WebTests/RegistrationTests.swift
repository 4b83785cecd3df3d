import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("Registering as an app")
struct RegistrationTests {
  @Test("is off unless it is turned on, and then in the metadata")
  func off() async throws {
    for (mode, isOffered) in [(RegistrationPolicy.Mode.off, false), (.token, true), (.open, true)] {
      let stage = try await RegistrationStage(mode)
      let metadata = try await stage.gatehouse.send(.get, "/.well-known/openid-configuration").json
      #expect((metadata.string("registration_endpoint") == TestInstallation.external + "/oauth2/register") == isOffered)
    }
    let stage = try await RegistrationStage(.off)
    let token = try await stage.token()
    for token in [nil, token] {
      let answer = await stage.send(.post, "/oauth2/register", RegistrationStage.metadata, token: token)
      #expect(answer.status == .notFound)
    }
    #expect(try await stage.stored().isEmpty)
  }

  @Test("needs a token that an administrator made, as often and as long as they said")
  func byToken() async throws {
    let stage = try await RegistrationStage(.token)
    let none = await stage.send(.post, "/oauth2/register", RegistrationStage.metadata)
    #expect(none.status == .unauthorized && none.headers["www-authenticate"] == "Bearer realm=\"gatehouse\"")
    func attempt(_ token: String, _ json: JSONValue = RegistrationStage.metadata) async -> Response {
      await stage.send(.post, "/oauth2/register", json, token: token)
    }
    #expect(await attempt("wrong").status == .unauthorized)
    let token = try await stage.token(uses: 2)
    #expect(try await attempt(token, ["redirect_uris": []]).error == "invalid_redirect_uri")
    #expect(await attempt(token).status == .created)
    #expect(await attempt(token).status == .created)
    let third = await attempt(token)
    #expect(third.status == .unauthorized && third.headers["www-authenticate"]?.contains("invalid_token") == true)
    let short = try await stage.token(days: 1)
    stage.gatehouse.time.advance(by: 24 * 60 * 60)
    #expect(await attempt(short).status == .unauthorized)
    let revoked = try await stage.token()
    let id = try #require(try await RegistrationTokens(stage.gatehouse.here).list().first { $0.used == 0 }?.id)
    try await RegistrationTokens(stage.gatehouse.here).revoke(id, by: nil, TestInstallation.visitor)
    #expect(await attempt(revoked).status == .unauthorized)
    #expect(try await stage.stored().count == 2)
    #expect(try await !stage.gatehouse.contents().contains { $0.contains(token) })
  }

  @Test("the dashboard makes the token, shows it once, and revokes it")
  func dashboard() async throws {
    let stage = try await RegistrationStage(.token)
    let root = try await stage.gatehouse.administrator()
    let (browser, path) = (TestBrowser(stage.gatehouse, root), "/admin/registration")
    for (field, value) in [("token_name", ""), ("token_uses", "0"), ("token_days", "many")] {
      var fields: QueryItems = [:]
      for (name, right) in [("token_name", "Team"), ("token_uses", "2"), ("token_days", "3")] {
        fields.append(name, name == field ? value : right)
      }
      let answer = try await browser.submit(fields, on: path)
      #expect(answer.status == 422 && answer.text.contains("id=\"\(field)-error\""))
    }
    let made = try await browser.submit(["token_name": "Team", "token_uses": "2", "token_days": "3"], on: path)
    let page = await browser.follow(made)
    let mark = try #require(page.text.firstRange(of: "<code id=\"token\">"))
    let token = String(page.text[mark.upperBound...].prefix { $0 != "<" })
    #expect(await !browser.follow(made).text.contains(token), "shown once")
    _ = try await stage.register(token: token)
    #expect(await browser.get(path).text.contains("1 of 2"))
    let id = try #require(try await RegistrationTokens(stage.gatehouse.here).list().first?.id)
    _ = try await browser.submit([:], on: path, to: "\(path)/\(id)/revoke")
    #expect(
      await stage.send(.post, "/oauth2/register", RegistrationStage.metadata, token: token).status == .unauthorized)
    let events = try await stage.gatehouse.audit().filter { $0.account == root.account.id }.map(\.name)
    #expect(events == [.registrationTokenRevoked, .registrationTokenCreated])
  }

  @Test("one token for one app serves one of many that come at once")
  func race() async throws {
    let stage = try await RegistrationStage(.token)
    let token = try await stage.token()
    let created = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 {
        group.addTask {
          await stage.send(.post, "/oauth2/register", RegistrationStage.metadata, token: token).status == .created
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(created == 1)
  }

  @Test("answers 201 with everything that is registered, which is kept from caches")
  func answer() async throws {
    let stage = try await RegistrationStage()
    let answer = await stage.send(
      .post, "/oauth2/register",
      RegistrationStage.metadata.changed([
        "client_id": "client_of_my_own", "client_secret": "chosen", "scope": "openid vend", "favourite_colour": "green",
        "tos_uri": "https://app.example/terms", "grant_types": ["authorization_code", "refresh_token"],
      ]))
    #expect(answer.status == .created && answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["content-type"] == "application/json")
    let json = try answer.json
    let id = try #require(json.string("client_id"))
    #expect(id.hasPrefix("client_") && id != "client_of_my_own")
    #expect(json.integer("client_id_issued_at") == stage.gatehouse.time.now.seconds)
    let secret = try #require(json.string("client_secret"))
    #expect(secret.utf8.count == 43 && json.integer("client_secret_expires_at") == 0)
    #expect(json.string("registration_client_uri") == "\(TestInstallation.external)/oauth2/register/\(id)")
    #expect(json.string("registration_access_token")?.utf8.count == 43)
    #expect(json.strings("redirect_uris") == ["https://app.example/back"])
    #expect(json.strings("grant_types") == ["authorization_code", "refresh_token"])
    #expect(json.strings("response_types") == ["code"] && json.string("application_type") == "web")
    #expect(json.string("scope") == "openid", "what it may not have is not there")
    #expect(json.string("token_endpoint_auth_method") == "client_secret_basic")
    #expect(json.string("id_token_signed_response_alg") == "RS256" && json.string("subject_type") == "public")
    #expect(json.string("tos_uri") == "https://app.example/terms" && json["favourite_colour"] == nil)
    let known = await stage.gatehouse.post("/oauth2/introspect", ["token": "none"], basic: (id, secret))
    #expect(known.status == .ok)
    let contents = try await stage.gatehouse.contents()
    for text in [secret, json.string("registration_access_token") ?? ""] {
      #expect(!contents.contains { $0.contains(text) })
    }
    let event = try #require(try await stage.gatehouse.audit().first { $0.name == .clientCreated })
    #expect(event.client?.text == id && event.origin.address == "192.0.2.1" && event.detail == "registered itself")
  }

  @Test("gives a public app no secret")
  func publicApp() async throws {
    let json = try await RegistrationStage().register(["token_endpoint_auth_method": "none"]).json
    #expect(json["client_secret"] == nil && json["client_secret_expires_at"] == nil)
    #expect(json.string("token_endpoint_auth_method") == "none")
  }

  @Test(
    "what is no metadata is refused by its code",
    arguments: [
      ("{}", "invalid_redirect_uri"), ("{\"redirect_uris\":\"https://app.example/\"}", "invalid_redirect_uri"),
      ("{\"redirect_uris\":[1]}", "invalid_redirect_uri"), ("[]", "invalid_client_metadata"),
      ("{\"redirect_uris\":[\"http://app.example/\"]}", "invalid_redirect_uri"),
      ("{\"redirect_uris\":[\"https://app.example/\"],\"client_name\":7}", "invalid_client_metadata"),
      (
        "{\"redirect_uris\":[\"https://app.example/\"],\"grant_types\":\"authorization_code\"}",
        "invalid_client_metadata"
      ),
      ("{\"redirect_uris\":[\"https://app.example/\"],\"jwks\":\"{}\"}", "invalid_client_metadata"),
      ("{\"redirect_uris\":[\"https://app.example/\"],\"jwks\":{\"keys\":[]}}", "invalid_client_metadata"),
      (
        "{\"redirect_uris\":[\"https://app.example/\"],\"dpop_bound_access_tokens\":\"true\"}",
        "invalid_client_metadata"
      ),
      (
        "{\"redirect_uris\":[\"https://app.example/\"],\"software_statement\":\"a.b.c\"}",
        "unapproved_software_statement"
      ),
      ("{\"redirect_uris\":[\"https://app.example/\"],\"software_statement\":\"a\"}", "invalid_software_statement"),
      ("{\"redirect_uris\":[\"https://app.example/\"],\"redirect_uris\":[]}", "invalid_client_metadata"),
      ("{\"redirect_uris\":", "invalid_client_metadata"), ("", "invalid_client_metadata"),
    ])
  func mistakes(body: String, error: String) async throws {
    let stage = try await RegistrationStage()
    let answer = await stage.gatehouse.send(
      .post, "/oauth2/register", headers: ["content-type": "application/json"], body: Array(body.utf8))
    #expect(answer.status == .badRequest)
    #expect(try answer.error == error, "\(answer.text)")
    #expect(try await stage.stored().isEmpty)
  }

  @Test("takes no form, and no other method")
  func form() async throws {
    let stage = try await RegistrationStage()
    #expect(try await stage.gatehouse.post("/oauth2/register", ["client_name": "x"]).error == "invalid_request")
    let other = await stage.send(.get)
    #expect(other.status == .methodNotAllowed && other.headers["allow"] == "POST")
  }

  @Test("where anybody may, each network can make so many an hour; a token counts for itself")
  func bounded() async throws {
    let stage = try await RegistrationStage()
    for _ in 0..<30 {
      #expect(await stage.send(.post, "/oauth2/register", RegistrationStage.metadata).status == .created)
    }
    let over = await stage.send(.post, "/oauth2/register", RegistrationStage.metadata)
    #expect(over.status.code == 429 && over.headers["retry-after"] != nil)
    #expect(try over.error == "slow_down")
    let elsewhere = await stage.send(.post, "/oauth2/register", RegistrationStage.metadata, from: "198.51.100.7")
    #expect(elsewhere.status == .created)
    let withToken = await stage.send(
      .post, "/oauth2/register", RegistrationStage.metadata, token: try await stage.token())
    #expect(withToken.status == .created)
    #expect(
      await stage.send(.post, "/oauth2/register", RegistrationStage.metadata, token: "wrong").status == .unauthorized)
  }

  @Test("nobody can call themselves what an administrator's app is called")
  func name() async throws {
    let stage = try await RegistrationStage()
    _ = try await stage.gatehouse.client()
    for name in ["Field app", " field  APP"] {
      let answer = await stage.send(
        .post, "/oauth2/register", RegistrationStage.metadata.changed(["client_name": .string(name)]))
      #expect(try answer.error == "invalid_client_metadata", "\(answer.text)")
    }
    _ = try await stage.register()
    _ = try await stage.register()
  }
}

@Suite("Managing a registration")
struct ManageRegistrationTests {
  @Test("reads, replaces and removes it, with the token that registering gave")
  func life() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register([
      "tos_uri": "https://app.example/terms", "post_logout_redirect_uris": ["https://app.example/out"],
    ])
    let read = await stage.send(.get, app.path, token: app.token)
    #expect(read.status == .ok && read.headers["cache-control"] == "no-store")
    let same = app.json.changed(["client_secret": nil, "client_secret_expires_at": nil])
    for member in same.object ?? [] { #expect(try read.json[member.name] == member.value, "\(member.name)") }

    let changed = await stage.send(
      .put, app.path,
      ["client_id": .string(app.id), "redirect_uris": ["https://app.example/new"], "client_name": "Garden 2"],
      token: app.token)
    #expect(changed.status == .ok, "\(changed.text)")
    let json = try changed.json
    #expect(json.strings("redirect_uris") == ["https://app.example/new"] && json.string("client_name") == "Garden 2")
    #expect(json["tos_uri"] == nil && json["post_logout_redirect_uris"] == nil, "what is left out is taken away")
    #expect(json.string("registration_access_token") == app.token && json["client_secret"] == nil)
    #expect(await stage.gatehouse.post("/oauth2/introspect", ["token": "x"], basic: app.basic).status == .ok)
    let old = await stage.gatehouse.send(.get, app.authorization().appended(to: "/oauth2/authorize"))
    #expect(old.status == .badRequest && old.location == nil)

    let removed = await stage.send(.delete, app.path, token: app.token)
    #expect(removed.status == .noContent && removed.text.isEmpty)
    #expect(await stage.send(.get, app.path, token: app.token).status == .unauthorized)
    #expect(try await stage.stored().isEmpty)
    let names = try await stage.gatehouse.audit().filter { $0.client?.text == app.id }.map {
      "\($0.name.rawValue) \($0.detail ?? "")"
    }
    #expect(
      names == ["client_deleted removed itself", "client_updated changed itself", "client_created registered itself"])
  }

  @Test("a wrong token, an unknown client, a disabled one and one of an administrator are all answered 401")
  func refused() async throws {
    let stage = try await RegistrationStage()
    let (app, other) = (try await stage.register(), try await stage.register())
    let ours = try await stage.gatehouse.client()
    let disabled = try await stage.register()
    try await ChangeClient(stage.gatehouse.here)(
      .disable, try #require(ClientID(disabled.id)), by: nil, TestInstallation.visitor)
    let asks: [(String, String?)] = [
      (app.path, nil), (app.path, "wrong"), (app.path, other.token), ("/oauth2/register/\(ours.id)", app.token),
      ("/oauth2/register/client_none", app.token), ("/oauth2/register/x", app.token), (disabled.path, disabled.token),
    ]
    for (path, token) in asks {
      for method in [HTTP.Method.get, .put, .delete] {
        let answer = await stage.send(method, path, ["client_id": "x"], token: token)
        #expect(answer.status == .unauthorized && answer.headers["www-authenticate"] != nil, "\(method.name) \(path)")
        #expect(try answer.error == "invalid_token")
      }
    }
    #expect(try await stage.stored().count == 4)
  }

  @Test("a change names its client, keeps the rules, and may not become another kind")
  func badChange() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register()
    let changes: [([String: JSONValue?], String)] = [
      (["client_id": nil], "invalid_client_metadata"), (["client_id": "client_other"], "invalid_client_metadata"),
      (["redirect_uris": ["http://evil.example/"]], "invalid_redirect_uri"),
      (["redirect_uris": nil], "invalid_redirect_uri"),
      (["token_endpoint_auth_method": "none"], "invalid_client_metadata"),
    ]
    for (change, error) in changes {
      let answer = await stage.send(
        .put, app.path, RegistrationStage.metadata.changed(["client_id": .string(app.id)]).changed(change),
        token: app.token)
      #expect(answer.status == .badRequest)
      #expect(try answer.error == error, "\(answer.text)")
    }
    #expect(try await stage.stored().first?.redirectURIs.map(\.text) == ["https://app.example/back"])
  }

  @Test("a client that goes over to a key loses its secret, and back gets another")
  func methods() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register()
    func put(_ change: [String: JSONValue?]) async throws -> JSONValue {
      let answer = await stage.send(
        .put, app.path, RegistrationStage.metadata.changed(["client_id": .string(app.id)]).changed(change),
        token: app.token)
      try #require(answer.status == .ok, "\(answer.text)")
      return try answer.json
    }
    _ = try await put(["token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example/keys"])
    #expect(await stage.gatehouse.post("/oauth2/introspect", ["token": "x"], basic: app.basic).status == .unauthorized)
    let back = try await put([:])
    let secret = try #require(back.string("client_secret"))
    #expect(back.integer("client_secret_expires_at") == 0 && secret != app.basic.secret)
    #expect(await stage.gatehouse.post("/oauth2/introspect", ["token": "x"], basic: (app.id, secret)).status == .ok)
  }

  @Test("who nobody used for the time that was set is removed, but for those that somebody checked")
  func sweep() async throws {
    let stage = try await RegistrationStage()
    let apps = [try await stage.register(), try await stage.register(), try await stage.register()]
    let id = try #require(ClientID(apps[1].id))
    try await EditClient(stage.gatehouse.here).trust(
      id, as: try await stage.mark(id), by: nil, TestInstallation.visitor)
    stage.gatehouse.time.advance(by: 29 * 24 * 60 * 60)
    stage.gatehouse.store.touchClient(try #require(ClientID(apps[2].id)), at: stage.gatehouse.time.now)
    try await SweepExpired(stage.gatehouse.here)()
    #expect(try await stage.stored().count == 3)
    stage.gatehouse.time.advance(by: 24 * 60 * 60 + 1)
    try await SweepExpired(stage.gatehouse.here)()
    #expect(Set(try await stage.stored().map(\.id.text)) == [apps[1].id, apps[2].id])
    let event = try #require(try await stage.gatehouse.audit().first)
    #expect(event.name == .clientDeleted && event.detail == "unused" && event.client?.text == apps[0].id)
  }
}
