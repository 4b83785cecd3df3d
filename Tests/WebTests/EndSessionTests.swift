import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

/// A person who is signed in to an app that may sign them out again.
private struct LogoutStage {
  static let target = "https://app.example/out"

  let gatehouse: TestInstallation
  let client: TestClient
  let person: TestPerson
  let browser: TestBrowser
  /// What the token endpoint answered.
  let tokens: JSONValue

  init(scope: String = "openid", backchannel: String? = nil) async throws {
    gatehouse = try await TestInstallation()
    var options = ClientOptions()
    options.idTokenAlgorithm = "ES256"
    options.postLogoutRedirectURIs = [try #require(RedirectURI(Self.target))]
    options.backchannelLogoutURI = backchannel
    client = try await gatehouse.client(
      grants: [.authorizationCode, .refreshToken], scope: "openid offline_access", options: options)
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
    let code = try await gatehouse.code(for: client, person, scope: scope)
    tokens = try await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic).json
  }

  var hint: String { get throws { try #require(tokens.string("id_token")) } }

  /// What the endpoint answers to the browser.
  func ask(_ fields: QueryItems) async throws -> Response {
    await browser.get(fields.appended(to: "/oauth2/end_session"))
  }

  var isSignedIn: Bool {
    get async throws {
      let hash = person.session.hash
      return try await gatehouse.store.read { try $0.session(hash) } != nil
    }
  }
}

@Suite("Signing out at an app's wish")
struct EndSessionTests {
  @Test("With its ID token, an app signs its person out and gets them back, with state if it sent one")
  func hinted() async throws {
    for state in ["s t", nil] {
      let stage = try await LogoutStage()
      let answer = try await stage.ask([
        "id_token_hint": try stage.hint, "post_logout_redirect_uri": LogoutStage.target, "state": state,
        "client_id": stage.client.id,
      ])
      #expect(answer.status == .seeOther)
      #expect(answer.location == LogoutStage.target + (state == nil ? "" : "?state=s%20t"))
      #expect(answer.headers["clear-site-data"] == "\"cache\", \"storage\"")
      #expect(stage.browser.cookies["gh_s"] == nil)
      #expect(try await !stage.isSignedIn)
    }
  }

  @Test("An app's form, with which no cookie comes, is asked for again by GET")
  func form() async throws {
    let stage = try await LogoutStage()
    let fields: QueryItems = [
      "id_token_hint": try stage.hint, "post_logout_redirect_uri": LogoutStage.target, "state": "s",
    ]
    let posted = await stage.gatehouse.post("/oauth2/end_session", fields)
    #expect(posted.status == .seeOther)
    let again = await stage.browser.get(try #require(posted.location))
    #expect(again.location == LogoutStage.target + "?state=s")
    #expect(try await !stage.isSignedIn)
  }

  @Test("An ID token that has expired is good enough, and nobody signed in is no mistake")
  func late() async throws {
    let stage = try await LogoutStage()
    stage.gatehouse.time.advance(by: 3000)
    let fields: QueryItems = [
      "id_token_hint": try stage.hint, "post_logout_redirect_uri": LogoutStage.target,
    ]
    #expect(try await stage.ask(fields).location == LogoutStage.target)
    #expect(try await stage.ask(fields).location == LogoutStage.target)
    #expect(try await stage.ask([:]).location == "/signed-out")
  }

  @Test("Without proof that this session is meant, the person is asked first")
  func asked() async throws {
    let stage = try await LogoutStage()
    let elsewhere = try await stage.gatehouse.session(of: stage.person.account)
    let code = try await stage.gatehouse.code(for: stage.client, elsewhere, scope: "openid")
    let other = try await stage.gatehouse.post(
      "/oauth2/token", stage.gatehouse.redemption(code), basic: stage.client.basic
    ).json.string("id_token")
    let asks: [QueryItems] = [
      [:], ["state": "s"], ["client_id": stage.client.id, "post_logout_redirect_uri": LogoutStage.target],
      ["id_token_hint": other, "post_logout_redirect_uri": LogoutStage.target],
    ]
    for fields in asks {
      let page = try await stage.ask(fields)
      #expect(page.status == .ok && page.location == nil && page.text.contains("Sign out of this browser?"))
      #expect(try await stage.isSignedIn)
    }
    let target = asks[2].appended(to: "/oauth2/end_session")
    let answer = try await stage.browser.submit(
      ["client_id": stage.client.id, "post_logout_redirect_uri": LogoutStage.target], on: target,
      to: "/oauth2/end_session")
    #expect(answer.location == LogoutStage.target)
    #expect(try await !stage.isSignedIn)
  }

  @Test("A hint that is not ours, or an address that is not registered, leads nowhere")
  func untrusted() async throws {
    let stage = try await LogoutStage()
    let hint = try stage.hint
    let forged = String(hint.dropLast(4)) + "AAAA"
    let other = try await stage.gatehouse.client(grants: [.authorizationCode], scope: "openid")
    let asks: [QueryItems] = [
      ["id_token_hint": forged, "post_logout_redirect_uri": LogoutStage.target],
      ["id_token_hint": "e30.e30.", "post_logout_redirect_uri": LogoutStage.target, "client_id": stage.client.id],
      ["id_token_hint": hint, "post_logout_redirect_uri": LogoutStage.target, "client_id": other.id],
    ]
    for fields in asks {
      let page = try await stage.ask(fields)
      #expect(page.status == .ok && page.location == nil && page.text.contains("Sign out of this browser?"))
    }
    let unregistered = try await stage.ask([
      "id_token_hint": hint, "post_logout_redirect_uri": LogoutStage.target + "?a=b",
    ])
    #expect(unregistered.location == "/signed-out")
    #expect(try await !stage.isSignedIn)
  }

  @Test("The log says to the app's developer why nobody is sent back")
  func objection() async throws {
    let stage = try await LogoutStage()
    var parameters = EndBrowserSession.Parameters()
    func objection() async throws -> String? {
      try await EndBrowserSession(stage.gatehouse.here).wish(parameters, nil).objection
    }
    #expect(try await objection() == nil)
    parameters.redirectURI = LogoutStage.target
    #expect(try await objection()?.hasPrefix("Neither client_id nor id_token_hint names a client") == true)
    parameters.idTokenHint = try stage.hint
    #expect(try await objection() == nil)
    parameters.redirectURI = LogoutStage.target + "/"
    #expect(try await objection()?.contains("is not registered for \(stage.client.id), to the byte") == true)
    parameters.idTokenHint = "e30.e30."
    #expect(try await objection()?.hasPrefix("id_token_hint is no ID token of ours") == true)
  }

  @Test("The person's own answer counts only from our page in their browser")
  func foreignForm() async throws {
    let stage = try await LogoutStage()
    let other = await TestBrowser(stage.gatehouse, stage.person).get("/oauth2/end_session")
    let foreign = TestBrowser.hiddenValue("csrf", in: other.text)
    let wrongPage = TestBrowser.hiddenValue("csrf", in: await stage.browser.get("/signout").text)
    for csrf in [foreign, wrongPage, "x", "x.y"] {
      #expect(await stage.browser.post("/oauth2/end_session", ["csrf": csrf]).status == .forbidden)
      #expect(try await stage.isSignedIn)
    }
  }

  @Test("Tokens end with the session, but for what the app was allowed beyond it")
  func tokens() async throws {
    for (scope, isKept) in [("openid", false), ("openid offline_access", true)] {
      let stage = try await LogoutStage(scope: scope)
      _ = try await stage.ask(["id_token_hint": try stage.hint])
      let refreshed = await stage.gatehouse.post(
        "/oauth2/token",
        ["grant_type": "refresh_token", "refresh_token": stage.tokens.string("refresh_token")],
        basic: stage.client.basic)
      #expect((refreshed.status == .ok) == isKept, "\(scope): \(refreshed.text)")
      let silent = try await DecideConsent(stage.gatehouse.here).step(
        try await stage.gatehouse.waiting(stage.client, scope: "openid", more: [("prompt", "none")]), nil,
        TestInstallation.visitor)
      #expect(silent.target?.contains("?error=login_required&") == true)
    }
  }
}

@Suite("Telling apps of a sign-out")
struct BackchannelLogoutTests {
  @Test("The app gets a logout token for its session, signed, short-lived and without a nonce")
  func told() async throws {
    let app = try AppServer { _ in Response(status: .ok) }
    let stage = try await LogoutStage(backchannel: app.origin + "/logout?a=b")
    _ = try await stage.ask(["id_token_hint": try stage.hint])
    let request = try #require(app.requests.first)
    #expect(request.method == .post && request.target == "/logout?a=b")
    let token = try #require(try Form(request.body)["logout_token"])
    let jws = try JWS(parsing: token)
    #expect(jws.hasType("logout+jwt"))
    let keys = try JWKSet(parsing: Array(await stage.gatehouse.send(.get, "/oauth2/jwks").text.utf8))
    let claims = try JSONValue(parsing: jws.payload(verifiedBy: keys, allowing: [.es256]))
    let hint = try JSONValue(parsing: try JWS(parsing: stage.hint).payload(verifiedBy: keys, allowing: [.es256]))
    for name in ["iss", "aud", "sub", "sid"] { #expect(claims[name] == hint[name], "\(name)") }
    #expect(claims.integer("iat") == stage.gatehouse.time.now.seconds)
    #expect(claims.integer("exp") == stage.gatehouse.time.now.seconds + 120)
    #expect(claims.string("jti") != nil && claims["nonce"] == nil)
    #expect(claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
    #expect(try await stage.gatehouse.audit().contains { $0.name == .appSignedOut && $0.outcome == .success })
  }

  @Test("An app that does not answer holds nobody up for longer than two seconds, and is told all the same")
  func slow() async throws {
    let app = try AppServer { _ in
      Response(status: .ok, body: .stream { _ in try await Task.sleep(for: .seconds(4)) })
    }
    let stage = try await LogoutStage(backchannel: app.origin + "/logout")
    let start = ContinuousClock.now
    let answer = try await stage.ask([
      "id_token_hint": try stage.hint, "post_logout_redirect_uri": LogoutStage.target,
    ])
    let taken = ContinuousClock.now - start
    #expect(taken >= .seconds(2) && taken < .milliseconds(3500), "\(taken)")
    #expect(answer.location == LogoutStage.target && app.requests.count == 1)
    while try await stage.gatehouse.count("logout_notice") > 0 { try await Task.sleep(for: .milliseconds(50)) }
    #expect(try await stage.gatehouse.auditNames().contains(.appSignedOut))
  }

  @Test("Signing out everywhere tells it, too")
  func everywhere() async throws {
    let app = try AppServer { _ in Response(status: .noContent) }
    let stage = try await LogoutStage(scope: "openid offline_access", backchannel: app.origin + "/logout")
    _ = try await SignOut(stage.gatehouse.here)(stage.person.account.id, TestInstallation.visitor)
    #expect(app.requests.count == 1)
    try await NotifyClients(stage.gatehouse.here)()
    #expect(app.requests.count == 1)
  }

  @Test("An app that is down is told again, and one that refuses is not", arguments: [503, 400])
  func again(status: Int) async throws {
    let app = try AppServer { _ in Response(status: Status(integerLiteral: status)) }
    let stage = try await LogoutStage(backchannel: app.origin + "/logout")
    _ = try await stage.ask(["id_token_hint": try stage.hint])
    #expect(app.requests.count == 1)
    for (seconds, count) in [(30, 1), (31, 2), (301, 3), (1801, 4)] {
      stage.gatehouse.time.advance(by: Int64(seconds))
      try await NotifyClients(stage.gatehouse.here)()
      #expect(app.requests.count == (status == 400 ? 1 : count), "after \(seconds) seconds")
    }
    stage.gatehouse.time.advance(by: 3600)
    try await NotifyClients(stage.gatehouse.here)()
    #expect(app.requests.count == (status == 400 ? 1 : 4))
  }
}
