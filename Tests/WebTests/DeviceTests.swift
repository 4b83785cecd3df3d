import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("A device without a browser")
struct DeviceTests {
  private let gatehouse: TestInstallation
  private let client: TestClient
  private let person: TestPerson
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    client = try await gatehouse.client(.public, grants: [.deviceCode, .refreshToken], scope: "openid offline_access")
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
  }

  private func begin() async throws -> JSONValue {
    let answer = await gatehouse.post("/oauth2/device_authorization", ["client_id": client.id])
    try #require(answer.status == .ok, "\(answer.text)")
    return try answer.json
  }

  private func question(_ device: JSONValue, client id: String? = nil) -> QueryItems {
    [
      "grant_type": Client.Grant.deviceCode.rawValue, "device_code": device.string("device_code"),
      "client_id": id ?? client.id,
    ]
  }

  private func ask(_ device: JSONValue, client id: String? = nil) async throws -> Response {
    await gatehouse.post("/oauth2/token", question(device, client: id))
  }

  /// The consent page to which the code leads.
  private func enter(_ device: JSONValue) async throws -> String {
    let code = try #require(device.string("user_code"))
    let answer = try await browser.submit(["user_code": code.lowercased()], on: "/device")
    return try #require(answer.location, "\(answer.text)")
  }

  @Test("gets its codes, where to type the short one, and how often it may ask")
  func begins() async throws {
    let answer = await gatehouse.post("/oauth2/device_authorization", ["client_id": client.id])
    #expect(answer.status == .ok && answer.headers["cache-control"] == "no-store")
    let json = try answer.json
    let code = try #require(json.string("user_code"))
    #expect(json.string("device_code")?.utf8.count == 43)
    #expect(code.wholeMatch(of: /[B-Z]{4}-[B-Z]{4}/) != nil && UserCode(typed: code) != nil)
    #expect(json.string("verification_uri") == TestInstallation.external + "/device")
    #expect(
      json.string("verification_uri_complete") == TestInstallation.external + "/device?user_code=\(code)")
    #expect(json.integer("expires_in") == 600 && json.integer("interval") == 5)
    #expect(try await gatehouse.count("device_authorization") == 1)
  }

  @Test("is refused another scope, another grant and a secret that is wrong, as at the token endpoint")
  func refused() async throws {
    let path = "/oauth2/device_authorization"
    #expect(try await gatehouse.post(path, ["client_id": client.id, "scope": "vend"]).error == "invalid_scope")
    #expect(try await gatehouse.post(path, ["client_id": "nobody"]).error == "invalid_client")
    let other = try await gatehouse.client(grants: [.authorizationCode], scope: "openid")
    #expect(try await gatehouse.post(path, [:], basic: other.basic).error == "unauthorized_client")
    #expect(await gatehouse.post(path, [:], basic: (other.id, "wrong")).status == .unauthorized)
    let twice = await gatehouse.post(path, ["client_id": client.id, "scope": "openid", "scope": "openid"])
    #expect(try twice.error == "invalid_request")
    #expect(try await gatehouse.count("device_authorization") == 0)
  }

  @Test("waits, is slowed down for good when it asks too often, and gets its tokens once when a person allows it")
  func allowed() async throws {
    let device = try await begin()
    #expect(try await ask(device).error == "authorization_pending")
    let early = try await ask(device)
    #expect(try early.status == .badRequest && early.error == "slow_down" && early.headers["retry-after"] == nil)
    gatehouse.time.advance(by: 9)
    #expect(try await ask(device).error == "slow_down", "ten seconds by now")
    gatehouse.time.advance(by: 15)
    #expect(try await ask(device).error == "authorization_pending")

    let answer = try await browser.submit(["answer": "allow"], on: try await enter(device))
    #expect(answer.location == TestInstallation.external + "/device?answer=allowed")
    #expect(await browser.get("/device?answer=allowed").text.contains("Go back to your device"))
    gatehouse.time.advance(by: 15)
    let tokens = try await ask(device)
    try #require(tokens.status == .ok, "\(tokens.text)")
    let json = try tokens.json
    #expect(json.string("scope") == "openid offline_access" && json.string("id_token") != nil)
    let refreshed = await gatehouse.post(
      "/oauth2/token",
      ["grant_type": "refresh_token", "refresh_token": json.string("refresh_token"), "client_id": client.id])
    #expect(refreshed.status == .ok, "\(refreshed.text)")
    #expect(try await ask(device).error == "invalid_grant", "a code is used once")
    #expect(try await gatehouse.auditNames().prefix(4).contains(.tokenIssued))
  }

  @Test("is told when the person refuses, and when nobody answers in time; its code is then unknown to the page")
  func ended() async throws {
    let denied = try await begin()
    let page = try await enter(denied)
    let answer = try await browser.submit(["answer": "deny"], on: page)
    #expect(answer.location == TestInstallation.external + "/device?answer=denied")
    #expect(try await ask(denied).error == "access_denied")
    let again = try await browser.submit(["user_code": denied.string("user_code")], on: "/device")
    #expect(again.status == 422 && again.text.contains("No device waits with this code"))

    let late = try await begin()
    let waiting = try await enter(late)
    gatehouse.time.advance(by: 600)
    #expect(try await ask(late).error == "expired_token")
    #expect(await browser.get(waiting).status == .notFound)
    try await SweepExpired(gatehouse.here)()
    #expect(try await gatehouse.count("device_authorization") == 0)
  }

  @Test("has a code of its own client alone, which twenty questions at once redeem once")
  func once() async throws {
    let device = try await begin()
    let other = try await gatehouse.client(.public, grants: [.deviceCode], scope: "openid")
    #expect(try await ask(device, client: other.id).error == "invalid_grant")
    _ = try await browser.submit(["answer": "allow"], on: try await enter(device))
    let (gatehouse, question) = (gatehouse, question(device))
    let answers = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<20 { group.addTask { await gatehouse.post("/oauth2/token", question) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == .ok } == 1)
    #expect(try answers.filter { $0.status != .ok }.allSatisfy { try $0.error == "invalid_grant" })
    #expect(try await gatehouse.count("token_family") == 1)
  }

  @Test("gets nothing when the person took the consent back, or two answers came for one code")
  func takenBack() async throws {
    let device = try await begin()
    let (first, second) = (try await enter(device), try await enter(device))
    _ = try await browser.submit(["answer": "allow"], on: first)
    #expect(try await browser.submit(["answer": "deny"], on: second).location?.hasSuffix("denied") == true)
    _ = try await WithdrawConsent(gatehouse.here)(
      client.client.id, by: person.account.id, TestInstallation.visitor)
    #expect(try await ask(device).error == "invalid_grant")
    #expect(try await gatehouse.count("token_family") == 0)
  }

  @Test("gets nothing that an administrator took away from its app while it waited")
  func narrowed() async throws {
    let (before, allowed) = (try await begin(), try await begin())
    let page = try await enter(before)
    _ = try await browser.submit(["answer": "allow"], on: try await enter(allowed))
    let draft = CreateClient.Draft(
      name: "Field app", kind: .public, grants: [.deviceCode, .refreshToken], redirectURIs: [],
      scope: try #require(Scope("openid")), permissions: [])
    _ = try await EditClient(gatehouse.here)(draft, of: client.client.id, by: nil, TestInstallation.visitor)
    #expect(await browser.get(page).status == .badRequest)
    #expect(try await ask(allowed).error == "invalid_grant")
    #expect(try await gatehouse.count("token_family") == 0)
  }

  @Test("is asked about on a page that names it and its address, also by a person who allowed the app before")
  func question() async throws {
    _ = try await browser.submit(["answer": "allow"], on: try await enter(try await begin()))
    let page = await browser.get(try await enter(try await begin()))
    for text in ["Sign in to <bdi>Field app</bdi>?", "Do you have it in front of you", "<bdi>127.0.0.1</bdi>"] {
      #expect(page.text.contains(text), "\(text) \(page.text)")
    }
    #expect(!page.text.contains("Returns to"))
    #expect(page.headers["content-security-policy"]?.contains("form-action 'self';") == true)
  }

  @Test("leads whoever is signed out by the sign-in, keeps the code of its link, and still asks for a press")
  func link() async throws {
    let device = try await begin()
    let code = try #require(UserCode(typed: device.string("user_code") ?? ""))
    let stranger = TestBrowser(gatehouse)
    let away = await stranger.get("/device?user_code=\(code.shown)")
    #expect(away.location == "/signin?ticket=device:\(code.letters)")
    let page = await browser.get("/device?user_code=\(code.letters)")
    #expect(page.status == .ok && page.text.contains("value=\"\(code.shown)\""))
    #expect(try await gatehouse.count("authorization_request") == 0, "a link alone asks nothing")
    #expect(await browser.get("/device?user_code=%3Cscript%3E").text.contains("value=\"\""))
  }

  @Test("is not found by guessing: after five wrong codes an account has to wait, with the right one, too")
  func guessing() async throws {
    let device = try await begin()
    for text in ["", "WDJB-MJH", "BBBB-BBBB", "CCCC-CCCC", "DDDD-DDDD"] {
      #expect(try await browser.submit(["user_code": text], on: "/device").status == 422)
    }
    let right = try #require(device.string("user_code"))
    let locked = try await browser.submit(["user_code": right], on: "/device")
    #expect(locked.status == 429 && locked.headers["retry-after"] != nil)
    let other = TestBrowser(gatehouse, try await gatehouse.person("Ben"))
    #expect(try await other.submit(["user_code": right], on: "/device").status == .seeOther)
    gatehouse.time.advance(by: 600)
    for _ in 0..<8 { _ = try await enter(try await begin()) }
  }
}
