import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

/// A Gatehouse with a provider that people sign in with.
private struct ProviderStage {
  let gatehouse: TestInstallation
  let provider: OpenIDServer

  init(_ edit: (inout Connection) -> Void = { _ in }) async throws {
    gatehouse = try await TestInstallation()
    provider = try OpenIDServer()
    var connection = try provider.connection()
    edit(&connection)
    let made = connection
    try await gatehouse.store.write { try $0.insert(made, clientSecret: nil) }
    let now = gatehouse.time.now.seconds
    provider.change { $0.now = now }
  }

  /// A browser in which somebody has signed in at the provider, in its session `sessionID`.
  func signIn(_ subject: String = "248289761001", in sessionID: String? = "s-1", scope: String? = nil) async throws
    -> TestBrowser
  {
    provider.change { ($0.subject, $0.sessionID, $0.scope) = (subject, sessionID, scope) }
    let browser = TestBrowser(gatehouse)
    let back = try await browser.travel(await browser.get("/signin/op"), provider)
    try #require(back.location == "/account", "\(back.text)")
    return browser
  }

  /// What the endpoint answers to a logout token.
  func logOut(_ token: String, from address: String = "127.0.0.1") async -> Response {
    await gatehouse.post("/backchannel-logout/op", ["logout_token": token], from: address)
  }

  func isSignedIn(_ browser: TestBrowser) async -> Bool { await browser.get("/account").status == .ok }

  /// Who is signed in in a browser.
  func person(in browser: TestBrowser) async throws -> TestPerson {
    let token = try #require(browser.cookies["gh_s"])
    let (session, account) = try #require(try await gatehouse.store.read { try $0.session(TokenHash(of: token)) })
    return TestPerson(account: account, session: session, token: Secret(token))
  }

  /// Waits for what goes on behind an answer.
  func settle(until isDone: () async throws -> Bool) async throws {
    for _ in 0..<200 where try await !isDone() { try await Task.sleep(for: .milliseconds(25)) }
    #expect(try await isDone())
  }
}

@Suite("Being told by a provider that somebody has signed out there", .timeLimit(.minutes(1)))
struct UpstreamLogoutTests {
  @Test("ends the browser session, what it gave to apps, and what was connected, and tells the apps")
  func ends() async throws {
    let app = try AppServer { _ in Response(status: .ok) }
    let stage = try await ProviderStage()
    let browser = try await stage.signIn()
    let person = try await stage.person(in: browser)
    var options = ClientOptions()
    options.backchannelLogoutURI = app.origin + "/logout"
    let client = try await stage.gatehouse.client(
      grants: [.authorizationCode, .refreshToken], scope: "openid", options: options)
    let tokens = try await stage.gatehouse.tokens(for: client, person)

    let answer = await stage.logOut(try stage.provider.logoutToken())
    #expect(answer.status == .ok && answer.text.isEmpty && answer.headers["cache-control"] == "no-store")
    #expect(await !stage.isSignedIn(browser))
    #expect(app.requests.count == 1)
    let refreshed = await stage.gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh], basic: client.basic)
    #expect(try refreshed.error == "invalid_grant")
    try await stage.settle {
      try await stage.gatehouse.count("credential") == 0 && !stage.provider.script.revoked.isEmpty
    }
    #expect(stage.provider.script.revoked.first == "refresh-1")
    let row = try #require(try await stage.gatehouse.audit().first { $0.name == .upstreamSignedOut })
    #expect(row.account == person.account.id && row.connection?.text == "op" && row.outcome == .success)
    #expect(row.actor == .upstream(try stage.provider.connection().id))
    #expect(row.detail == "browser sessions ended: 1, the credential ends")

    // Whoever is signed out already is as good as signed out.
    #expect(await stage.logOut(try stage.provider.logoutToken()).status == .ok)
    #expect(try await stage.gatehouse.audit().first?.detail == "nobody was signed in by it")
  }

  @Test("leaves what the provider granted for when the person is away")
  func offline() async throws {
    for (granted, asked) in [("openid offline_access", ["openid"]), (nil, ["openid", "offline_access"])] {
      let stage = try await ProviderStage { $0.scopes = asked }
      let browser = try await stage.signIn(scope: granted)
      #expect(await stage.logOut(try stage.provider.logoutToken()).status == .ok)
      #expect(await !stage.isSignedIn(browser))
      #expect(try await stage.gatehouse.count("credential") == 1 && stage.provider.script.revoked.isEmpty)
      let detail = try await stage.gatehouse.audit().first?.detail
      #expect(detail == "browser sessions ended: 1, the credential stays: offline_access")
    }
    let stage = try await ProviderStage { $0.scopes = ["openid", "offline_access"] }
    _ = try await stage.signIn(scope: "openid")
    #expect(await stage.logOut(try stage.provider.logoutToken()).status == .ok)
    try await stage.settle { try await stage.gatehouse.count("credential") == 0 }
  }

  @Test("ends the one session that is named, and all of a person where none is")
  func sessions() async throws {
    let stage = try await ProviderStage()
    let other = try await stage.signIn("somebody", in: "s-3")
    let first = try await stage.signIn(in: "s-1")
    let second = try await stage.signIn(in: "s-2")
    let third = try await stage.signIn(in: nil)

    // A session of somebody else, and one of nobody.
    for changes in [["sid": "s-3"], ["sid": "s-9"], ["sid": "s-1", "sub": "somebody"]] as [[String: JSONValue]] {
      #expect(await stage.logOut(try stage.provider.logoutToken(changes)).status == .ok)
    }
    for browser in [first, second, third, other] { #expect(await stage.isSignedIn(browser)) }

    // By its session alone; what was connected since belongs to another session.
    #expect(await stage.logOut(try stage.provider.logoutToken(["sid": "s-1", "sub": .null])).status == .ok)
    #expect(await !stage.isSignedIn(first))
    #expect(await stage.isSignedIn(second))
    #expect(try await stage.gatehouse.count("credential") == 2)

    #expect(await stage.logOut(try stage.provider.logoutToken(["sid": .null])).status == .ok)
    for browser in [second, third] { #expect(await !stage.isSignedIn(browser)) }
    #expect(await stage.isSignedIn(other))
    try await stage.settle { try await stage.gatehouse.count("credential") == 1 }
  }

  @Test("ends what was connected only, where the browser session began in another way")
  func connected() async throws {
    let stage = try await ProviderStage()
    let browser = TestBrowser(stage.gatehouse, try await stage.gatehouse.person())
    let back = try await browser.travel(try await browser.submit([:], on: "/connect/op"), stage.provider)
    #expect(back.status == .seeOther)
    #expect(await stage.logOut(try stage.provider.logoutToken()).status == .ok)
    #expect(await stage.isSignedIn(browser))
    try await stage.settle { try await stage.gatehouse.count("credential") == 0 }
  }

  @Test("ends a session that was renewed there since, by its new name")
  func renewed() async throws {
    let stage = try await ProviderStage()
    let browser = try await stage.signIn(in: "s-1")
    stage.provider.change { $0.sessionID = "s-2" }
    let back = try await browser.travel(try await browser.submit([:], on: "/connect/op"), stage.provider)
    #expect(back.status == .seeOther)
    #expect(await stage.logOut(try stage.provider.logoutToken(["sid": "s-1"])).status == .ok)
    #expect(await stage.isSignedIn(browser))
    #expect(await stage.logOut(try stage.provider.logoutToken(["sid": "s-2"])).status == .ok)
    #expect(await !stage.isSignedIn(browser))
  }

  @Test("is answered by 400 and leaves everything when anything about the token is wrong, and the audit says what")
  func refuses() async throws {
    let stage = try await ProviderStage()
    let browser = try await stage.signIn()
    let (provider, now) = (stage.provider, stage.provider.script.now)
    let rs256 = try SigningKey.generate(.rs256, bits: 2048)
    let ps256 = try SigningKey.generate(.ps256, bits: 2048)
    provider.change { $0.keys += [JWK(rs256.publicKey, keyID: "rs"), JWK(ps256.publicKey, keyID: "ps")] }
    let good = try provider.logoutToken().split(separator: ".")
    let unsigned = Base64URL.encode(Array(#"{"alg":"none","typ":"logout+jwt"}"#.utf8)) + ".\(good[1])."
    let algorithm = "it is unsigned, or signed by an algorithm that the provider does not announce"
    let cases: [(token: String, reason: String)] = [
      (unsigned, algorithm), (try provider.logoutToken(keyID: "ps", key: ps256), algorithm),
      (try provider.logoutToken(["iss": "https://evil.example"]), "it names another issuer"),
      (try provider.logoutToken(["aud": "them"]), "it is not for our client id alone"),
      (try provider.logoutToken(["events": .null]), "it does not tell of a logout in its events"),
      (
        try provider.logoutToken(["events": ["http://schemas.openid.net/event/foo": [:]]]),
        "it does not tell of a logout in its events"
      ),
      (try provider.logoutToken(["nonce": "n"]), "it has a nonce, which is for ID tokens"),
      (try provider.logoutToken(["exp": .integer(now - 60)]), "it has ended already; compare the clocks"),
      (try provider.logoutToken(["exp": .null]), "it has no exp"),
      (try provider.logoutToken(["jti": .null]), "it has no jti of at most 255 bytes"),
      (try provider.logoutToken(["sub": .null, "sid": .null]), "it names neither a person nor a session"),
      (try provider.logoutToken(type: "at+jwt"), "it is a token of another type"),
      ("\(good[0]).\(good[1]).\(Base64URL.encode(Random.bytes(64)))", "its signature is not the provider's"),
      ("x", "it is no readable token"),
    ]
    for (token, reason) in cases {
      let answer = await stage.logOut(token)
      #expect(answer.status == .badRequest && answer.headers["cache-control"] == "no-store", "\(reason)")
      #expect(try answer.error == "invalid_request", "\(reason)")
      #expect(try answer.json.string("error_description") == "The logout token was refused: \(reason).")
      let row = try await stage.gatehouse.audit().first { $0.name == .upstreamLogoutRefused && $0.detail == reason }
      #expect(row?.connection?.text == "op" && row?.outcome == .failure && row?.actor == .unknown, "\(reason)")
    }
    #expect(await stage.isSignedIn(browser))
    #expect(try await stage.gatehouse.count("used_logout_token") == 0)
    #expect(await stage.logOut(try provider.logoutToken(keyID: "rs", key: rs256)).status == .ok)
    #expect(await !stage.isSignedIn(browser))
  }

  @Test("counts once for each token, also at another instance and at the same moment")
  func replay() async throws {
    let stage = try await ProviderStage()
    let browser = try await stage.signIn()
    let token = try stage.provider.logoutToken()
    let other = try await TestInstallation(beside: stage.gatehouse)
    let installations = (0..<10).map { $0 % 2 == 0 ? stage.gatehouse : other }
    let statuses = await withTaskGroup(of: Status.self) { group in
      for one in installations {
        group.addTask { await one.post("/backchannel-logout/op", ["logout_token": token]).status }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == .ok } == 1 && statuses.count { $0 == .badRequest } == 9)
    #expect(await !stage.isSignedIn(browser))
    let again = await stage.logOut(token)
    #expect(try again.json.string("error_description") == "The logout token was refused: it was used before.")
    stage.gatehouse.time.advance(by: 900)
    try await SweepExpired(stage.gatehouse.here)()
    #expect(try await stage.gatehouse.count("used_logout_token") == 0)
    #expect(await stage.logOut(token).status == .badRequest)
  }

  @Test("finds a key that was changed, and asks the provider once a minute however many keys are invented")
  func keys() async throws {
    let stage = try await ProviderStage()
    _ = try await stage.signIn()
    let before = stage.provider.script.looks
    let new = try SigningKey.generate(.es256)
    stage.provider.change { $0.keys = [JWK(new.publicKey, keyID: "two")] }
    #expect(await stage.logOut(try stage.provider.logoutToken(keyID: "two", key: new)).status == .ok)
    for number in 0..<20 {
      let answer = await stage.logOut(try stage.provider.logoutToken(keyID: "k\(number)", key: new))
      #expect(answer.status == .serviceUnavailable && answer.headers["retry-after"] == "60", "it may be a new key")
    }
    #expect(stage.provider.script.looks == before + 1)
  }

  @Test("is put off while the provider's keys are not known and cannot be fetched, which is tried once a minute")
  func unavailable() async throws {
    let stage = try await ProviderStage()
    stage.provider.change { $0.isDown = true }
    for _ in 0..<3 {
      let answer = await stage.logOut(try stage.provider.logoutToken())
      #expect(answer.status == .serviceUnavailable && answer.headers["retry-after"] == "60")
    }
    #expect(try await stage.gatehouse.count("used_logout_token") == 0)
  }

  @Test("is slowed down when one network sends too many that are refused, and not for those that count")
  func limit() async throws {
    let stage = try await ProviderStage()
    for _ in 0..<310 { #expect(await stage.logOut(try stage.provider.logoutToken()).status == .ok) }
    for _ in 0..<300 { #expect(await stage.logOut("x", from: "192.0.2.7").status == .badRequest) }
    let answer = await stage.logOut("x", from: "192.0.2.7")
    #expect(answer.status == 429 && answer.headers["retry-after"] != nil)
    #expect(await stage.logOut(try stage.provider.logoutToken(), from: "192.0.2.7").status == .ok)
    #expect(try await stage.gatehouse.audit().count { $0.name == .upstreamLogoutRefused } == 1)
  }

  @Test("is taken for providers with ID tokens alone, and its address stands on the connection's page")
  func address() async throws {
    let stage = try await ProviderStage()
    let plain = try OAuthServer().connection()
    try await stage.gatehouse.store.write { try $0.insert(plain, clientSecret: nil) }
    let token = try stage.provider.logoutToken()
    for id in ["hub", "nothing", "%2e%2e"] {
      let answer = await stage.gatehouse.post("/backchannel-logout/\(id)", ["logout_token": token])
      #expect(try answer.status == .notFound && answer.error == "not_found", "\(id)")
    }
    #expect(await stage.gatehouse.send(.get, "/backchannel-logout/op").status == .methodNotAllowed)
    #expect(await stage.gatehouse.send(.post, "/backchannel-logout/op", body: Array(token.utf8)).status == .badRequest)
    let forms: [QueryItems] = [
      ["token": token], ["logout_token": ""], ["logout_token": token, "logout_token": token],
      ["logout_token": token + String(repeating: "A", count: 17_000)],
    ]
    for form in forms { #expect(await stage.gatehouse.post("/backchannel-logout/op", form).status == .badRequest) }
    let root = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let shown = "<code>\(TestInstallation.external)/backchannel-logout/"
    #expect(await root.get("/admin/connections/op").text.contains("\(shown)op</code>"))
    #expect(await !root.get("/admin/connections/hub").text.contains(shown))
  }

  @Test("needs no exp where the provider is known to leave it out")
  func withoutExpiry() async throws {
    let stage = try await ProviderStage { $0.provider.quirks.omitsLogoutExpiry = true }
    let browser = try await stage.signIn()
    #expect(await stage.logOut(try stage.provider.logoutToken(["exp": .null], type: "JWT")).status == .ok)
    #expect(await !stage.isSignedIn(browser))
  }
}
