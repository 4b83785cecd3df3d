import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("An app that registered itself")
struct RegisteredAppTests {
  private func authorize(_ app: Registered, _ more: [(String, String)] = []) -> String {
    app.authorization(more).appended(to: "/oauth2/authorize")
  }

  @Test("People are warned, see where its links lead, and are asked; it signs them in")
  func signIn() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register([
      "tos_uri": "https://terms.example/t?a=b", "policy_uri": "https://app.example/p",
      "client_uri": "https://app.example/",
      "logo_uri": "https://logo.example/x.png", "post_logout_redirect_uris": ["https://app.example/out"],
    ])
    let person = try await stage.gatehouse.person()
    let browser = TestBrowser(stage.gatehouse, person)
    let page = await browser.follow(await browser.get(authorize(app)))
    #expect(page.text.contains("registered itself.") && page.text.contains("Nobody at City of Ana has checked it"))
    #expect(
      page.text.contains("<a href=\"https://terms.example/t?a&#61;b\"")
        || page.text.contains("https://terms.example/t?a=b"))
    #expect(page.text.contains(">terms.example</a>") && page.text.contains(">app.example</a>"))
    #expect(!page.text.contains("logo.example"))
    let answer = await browser.submit(["answer": "allow"], after: page, to: "/consent")
    let back = try #require(answer.location)
    #expect(back.hasPrefix("https://app.example/back?code="))
    let code = try Form(query: back.dropFirst("https://app.example/back?".count).prefix { $0 != "#" })["code"]
    let tokens = await stage.gatehouse.post(
      "/oauth2/token", stage.gatehouse.redemption(try #require(code)), basic: app.basic)
    #expect(tokens.status == .ok, "\(tokens.text)")
    let own = await stage.gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: app.basic)
    #expect(try own.error == "unauthorized_client")
    let ask: QueryItems = [
      "id_token_hint": try tokens.json.string("id_token"), "post_logout_redirect_uri": "https://app.example/out",
    ]
    let stranger = await TestBrowser(stage.gatehouse).get(ask.appended(to: "/oauth2/end_session"))
    #expect(stranger.location == "/signed-out", "nobody is sent anywhere by a link of ours")
    let again = await browser.get(authorize(app))
    #expect(again.location?.contains("code=") == true, "allowed before")
    let moved = RegistrationStage.metadata.changed([
      "client_id": .string(app.id), "redirect_uris": ["https://app.example/back", "https://evil.example/"],
    ])
    #expect(await stage.send(.put, app.path, moved, token: app.token).status == .ok)
    #expect(await browser.follow(await browser.get(authorize(app))).text.contains("registered itself."))
    #expect(try await stage.gatehouse.store.read { try $0.consents(of: person.account.id) }.isEmpty)
  }

  @Test("is warned of no more once an administrator has checked it, until it changes")
  func trusted() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register()
    let root = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let path = "/admin/clients/\(app.id)"
    #expect(await root.get(path).text.contains("registered itself"))
    #expect(await root.get("/admin/clients").text.contains("Registered itself"))
    _ = try await root.submit([:], on: path, to: "\(path)/trust")
    func isWarned() async throws -> Bool {
      let browser = TestBrowser(stage.gatehouse, try await stage.gatehouse.person())
      return await browser.follow(await browser.get(authorize(app))).text.contains("registered itself")
    }
    #expect(try await !isWarned())
    let change = RegistrationStage.metadata.changed(["client_id": .string(app.id), "client_name": "Bank"])
    #expect(await stage.send(.put, app.path, change, token: app.token).status == .ok)
    #expect(try await isWarned())
  }

  @Test("A check counts for what its page showed, and ends when anything changes that trust rests on")
  func checkedAsShown() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register()
    let root = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let path = "/admin/clients/\(app.id)"
    func isTrusted() async throws -> Bool { try await stage.stored().first?.isTrusted ?? false }
    for (name, value): (String, JSONValue) in [
      ("redirect_uris", ["https://evil.example/"]), ("post_logout_redirect_uris", ["https://evil.example/"]),
      ("jwks_uri", "https://keys.example/"), ("backchannel_logout_uri", "https://out.example/"),
      ("tos_uri", "https://evil.example/terms"),
    ] {
      let page = await root.get(path)
      let change = RegistrationStage.metadata.changed(["client_id": .string(app.id), name: value])
      #expect(await stage.send(.put, app.path, change, token: app.token).status == .ok, "\(name)")
      #expect(await root.submit([:], after: page, to: "\(path)/trust").status == .badRequest, "\(name)")
      #expect(try await !isTrusted())
      _ = try await root.submit([:], on: path, to: "\(path)/trust")
      #expect(try await isTrusted())
      let back = RegistrationStage.metadata.changed(["client_id": .string(app.id)])
      #expect(await stage.send(.put, app.path, back, token: app.token).status == .ok)
      #expect(try await !isTrusted(), "\(name)")
    }
  }

  @Test("An answer counts for the app that the page showed, and where it returned to then")
  func changedMeanwhile() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register()
    let browser = TestBrowser(stage.gatehouse, try await stage.gatehouse.person())
    let page = await browser.follow(await browser.get(authorize(app)))
    let renamed = RegistrationStage.metadata.changed(["client_id": .string(app.id), "client_name": "Bank"])
    #expect(await stage.send(.put, app.path, renamed, token: app.token).status == .ok)
    let answer = await browser.submit(["answer": "allow"], after: page, to: "/consent")
    #expect(answer.status == 422 && answer.text.contains("<bdi>Bank</bdi>"))
    let moved = renamed.changed(["redirect_uris": ["https://other.example/"]])
    #expect(await stage.send(.put, app.path, moved, token: app.token).status == .ok)
    let late = await browser.submit(["answer": "allow"], after: answer, to: "/consent")
    #expect(late.status == .badRequest && late.location == nil)
    #expect(try await stage.gatehouse.count("consent") == 0)
  }

  @Test("is bounded: how often it changes, how many keys it sends, and not back to this server")
  func bounded() async throws {
    let stage = try await RegistrationStage()
    let own = await stage.send(
      .post, "/oauth2/register", ["redirect_uris": [.string(TestInstallation.external + "/callback/demo")]])
    #expect(try own.error == "invalid_redirect_uri")
    let padding = JSONValue.string(String(repeating: "x", count: 17_000))
    let large = await stage.send(
      .post, "/oauth2/register",
      RegistrationStage.metadata.changed([
        "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [], "x": padding],
      ]))
    #expect(try large.error == "invalid_client_metadata")
    let app = try await stage.register()
    let same = RegistrationStage.metadata.changed(["client_id": .string(app.id)])
    for _ in 0..<30 { #expect(await stage.send(.put, app.path, same, token: app.token).status == .ok) }
    #expect(await stage.send(.put, app.path, same, token: app.token).status.code == 429)
  }

  @Test("An error leads nobody to it without a page that names it and its host")
  func interstitial() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register(["redirect_uris": ["https://app.example:8443/back"]])
    let asks: [([(String, String)], String)] = [
      ([("scope", "vend")], "invalid_scope"), ([("prompt", "none")], "login_required"),
      ([("request", "e30.e30.")], "request_not_supported"),
      ([("state", String(repeating: "s", count: 5000))], "invalid_request"),
    ]
    for (more, error) in asks {
      let browser = TestBrowser(stage.gatehouse)
      let page = await browser.follow(await browser.get(authorize(app, more)))
      #expect(page.status == .ok && page.location == nil, "\(error)")
      #expect(page.text.contains("<bdi>Garden</bdi>") && page.text.contains("<bdi>app.example:8443</bdi>"))
      #expect(!page.text.contains("href=\"https://app.example"))
      let target = try #require(TestBrowser.hiddenValue("target", in: page.text))
      let answer = await browser.submit(["target": target], after: page, to: "/oauth2/leave")
      #expect(answer.status == .seeOther)
      #expect(answer.location?.hasPrefix("https://app.example:8443/back?error=\(error)&") == true, "\(answer.text)")
      let forged = await browser.submit(["target": target + "A"], after: page, to: "/oauth2/leave")
      #expect(forged.status == .badRequest && forged.location == nil)
    }
    let ours = try await stage.gatehouse.client(scope: "openid")
    let direct = await stage.gatehouse.send(
      .get, stage.gatehouse.authorization(ours, scope: "vend").appended(to: "/oauth2/authorize"))
    #expect(direct.location?.hasPrefix("https://app.example/back?error=invalid_scope") == true)
  }

  @Test("gets what an administrator adds, and keeps it when it changes itself")
  func granted() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register()
    let root = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let path = "/admin/clients/\(app.id)/edit"
    var fields: QueryItems = [
      "name": "Garden", "redirect_uris": "https://app.example/back", "authentication": "client_secret_basic",
      "profile": "oauth21",
    ]
    for grant in ["authorization_code", "client_credentials"] { fields.append("grant", grant) }
    for scope in ["openid", "vend"] { fields.append("scope", scope) }
    let edited = try await root.submit(fields, on: path)
    #expect(edited.status == .seeOther, "\(edited.text)")
    func own() async throws -> String? {
      try await stage.gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: app.basic).json
        .string("scope")
    }
    #expect(try await own() == "openid vend")
    let change = RegistrationStage.metadata.changed(["client_id": .string(app.id)])
    #expect(await stage.send(.put, app.path, change, token: app.token).status == .ok)
    #expect(try await own()?.contains("vend") == true)
  }

  @Test("Its own addresses lead to public hosts alone")
  func reach() async throws {
    let publisher = try AppServer { _ in Response(status: .ok, body: .bytes(Array("{\"keys\":[]}".utf8))) }
    let stage = try await RegistrationStage()
    for url in [publisher.origin + "/keys", "https://localhost:8443/keys"] {
      let answer = await stage.send(
        .post, "/oauth2/register",
        RegistrationStage.metadata.changed(["jwks_uri": .string(url), "token_endpoint_auth_method": "private_key_jwt"]))
      #expect(try answer.error == "invalid_client_metadata")
    }
    #expect(publisher.requests.isEmpty)
  }
}
