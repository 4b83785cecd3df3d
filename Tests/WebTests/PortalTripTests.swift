import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Signing in through a connection")
struct PortalTripTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    browser = TestBrowser(gatehouse)
    try await gatehouse.openConnection(to: portal)
  }

  @Test("makes an account, begins a session, and leaves for an address without the code")
  func signsIn() async throws {
    let back = try await browser.travel(await browser.get("/signin/demo"), portal)
    #expect(back.status == .seeOther)
    #expect(back.location == "/account")
    #expect(back.headers["cache-control"] == "no-store")
    #expect(back.headers["referrer-policy"] == "no-referrer")
    let page = await browser.follow(back)
    #expect(page.text.contains("signed in as <bdi>ana</bdi>"))
    #expect(try await gatehouse.count("account") == 1)
  }

  @Test("a second time finds the same account, and revokes the tokens of before")
  func again() async throws {
    _ = try await browser.travel(await browser.get("/signin/demo"), portal)
    let other = TestBrowser(gatehouse)
    #expect(try await other.travel(await other.get("/signin/demo"), portal).status == .seeOther)
    #expect(try await gatehouse.count("account") == 1)
    #expect(try await gatehouse.count("credential") == 1)
    try await DeliverRevocations(gatehouse.here)()
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await gatehouse.count("revocation") == 0)
  }

  @Test("tokens whose owner the portal does not name are revoked", arguments: ["html", "truncate", "garbage"])
  func nobodysTokens(fault: String) async throws {
    let path = try await browser.way(back: await browser.get("/signin/demo"), portal)
    await portal.fault(fault, at: "community.self")
    #expect(await browser.get(path).status != .seeOther)
    #expect(try await gatehouse.count("credential") == 0)
    #expect(try await gatehouse.count("revocation") == 1)
    try await DeliverRevocations(gatehouse.here)()
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await gatehouse.count("revocation") == 0)
  }

  @Test("two browsers that arrive at once make one account")
  func race() async throws {
    var backs: [(TestBrowser, String)] = []
    for _ in 0..<6 {
      let one = TestBrowser(gatehouse)
      backs.append((one, try await one.way(back: await one.get("/signin/demo"), portal)))
    }
    let (gatehouse, arrivals) = (gatehouse, backs.map { ($0.0.cookies, $0.1) })
    let statuses = await withTaskGroup(of: Status.self) { group in
      for (cookies, path) in arrivals {
        group.addTask { await TestBrowser(gatehouse, cookies: cookies).get(path).status }
      }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(statuses == [.seeOther])
    #expect(try await gatehouse.count("account") == 1)
    #expect(try await gatehouse.count("identity") == 1)
    #expect(try await gatehouse.count("session") == 6)
  }

  @Test("the same callback again redeems nothing and ends where the first did")
  func reload() async throws {
    let path = try await browser.way(back: await browser.get("/signin/demo"), portal)
    let first = await browser.get(path)
    let token = browser.cookies["gh_s"]
    let second = await browser.get(path)
    #expect(second.location == first.location)
    #expect(browser.cookies["gh_s"] == token)
    #expect(try await portal.calls(of: "token.authorization_code") == 1)
  }

  @Test("a callback in another browser is refused, and the right one still works")
  func foreignBrowser() async throws {
    let path = try await browser.way(back: await browser.get("/signin/demo"), portal)
    let other = TestBrowser(gatehouse)
    _ = await other.get("/signin/demo")
    #expect(await other.get(path).status == .badRequest)
    #expect(await TestBrowser(gatehouse).get(path).status == .badRequest)
    #expect(try await portal.calls(of: "token") == 0)
    #expect(await browser.get(path).status == .seeOther)
  }

  @Test("a callback is refused after 10 minutes")
  func expired() async throws {
    let path = try await browser.way(back: await browser.get("/signin/demo"), portal)
    gatehouse.time.advance(by: SignInAttempt.lifetime)
    #expect(await browser.get(path).status == .badRequest)
    #expect(try await portal.calls(of: "token") == 0)
  }

  @Test("an answer at another connection's address is refused, and so is its second try")
  func mixUp() async throws {
    try await gatehouse.openConnection(to: portal, "other")
    let path = try await browser.way(back: await browser.get("/signin/demo"), portal)
    let wrong = path.replacing("/callback/demo", with: "/callback/other")
    #expect(await browser.get(wrong).status == .badRequest)
    #expect(await browser.get(wrong).status == .badRequest)
    #expect(try await portal.calls(of: "token") == 0)
    #expect(try await gatehouse.count("session") == 0)
  }

  @Test(
    "what no upstream sends is refused and redeems nothing",
    arguments: [
      "?", "?code=x", "?state=", "?state=STATE", "?state=unknown&code=x", "?state=STATE&code=x&code=y",
      "?state=STATE&state=STATE&code=x", "?state=STATE&code=x&error=access_denied",
      "?state=STATE&code=x&iss=https://evil.example",
      "?state=STATE&code=%ff", "?state=STATE&code=",
    ])
  func malformed(query: String) async throws {
    let start = await browser.get("/signin/demo")
    let state = try TestBrowser.state(in: start)
    let answer = await browser.get("/callback/demo" + query.replacing("STATE", with: state))
    #expect([400, 502].contains(answer.status.code))
    #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
    #expect(try await portal.calls(of: "token") == 0)
    #expect(try await gatehouse.count("session") == 0)
  }

  @Test("a long code is refused")
  func longCode() async throws {
    let state = try TestBrowser.state(in: await browser.get("/signin/demo"))
    let code = String(repeating: "x", count: 4097)
    #expect(await browser.get("/callback/demo?state=\(state)&code=\(code)").status == .badGateway)
    #expect(try await portal.calls(of: "token") == 0)
  }

  @Test("Cancel is no error")
  func cancelled() async throws {
    let state = try TestBrowser.state(in: await browser.get("/signin/demo"))
    let answer = await browser.get("/callback/demo?state=\(state)&error=access_denied&error_description=evil")
    #expect(answer.status == .ok)
    #expect(answer.text.contains("You cancelled the sign-in"))
    #expect(answer.text.contains("href=\"/signin\""))
    #expect(!answer.text.contains("evil"))
  }

  @Test("a sign-in for an app that was cancelled is tried again for the app")
  func cancelledForApp() async throws {
    let handle = try await gatehouse.waiting(try await gatehouse.client(scope: ""))
    let state = try TestBrowser.state(in: await browser.get("/signin/demo?ticket=app:\(handle)"))
    let answer = await browser.get("/callback/demo?state=\(state)&error=access_denied")
    #expect(answer.text.contains("href=\"/consent?ticket=\(handle)\""))
  }

  @Test("the upstream's own words are not repeated", arguments: ["server_error", "temporarily_unavailable", "evil"])
  func ownWords(error: String) async throws {
    let state = try TestBrowser.state(in: await browser.get("/signin/demo"))
    let answer = await browser.get(
      "/callback/demo?state=\(state)&error=\(error)&error_description=evil%20%3Cb%3E&error_uri=https://evil.example")
    #expect(answer.status == .badRequest)
    #expect(answer.text.contains("Demo did not complete the sign-in"))
    #expect(!answer.text.contains("evil"))
  }

  @Test(
    "an upstream that fails is named, and nothing is kept",
    arguments: [
      ("status", 503, 503), ("garbage", 0, 502), ("html", 0, 502), ("drop-after", 0, 503),
    ])
  func failing(kind: String, value: Int64, status: Int) async throws {
    let path = try await browser.way(back: await browser.get("/signin/demo"), portal)
    await portal.fault(kind, at: "token", value: value)
    let answer = await browser.get(path)
    #expect(answer.status.code == status)
    #expect(answer.text.contains("Demo"))
    #expect(!answer.text.contains(portal.hostAndPort))
    #expect(try await gatehouse.count("account") == 0)
    #expect(browser.cookies["gh_s"] == nil)
  }

  @Test("somebody who is not invited is told so, gets nothing, and their tokens are revoked")
  func notInvited() async throws {
    let gatehouse = try await TestInstallation()
    try await gatehouse.connection(to: portal)
    let browser = TestBrowser(gatehouse)
    let answer = try await browser.travel(await browser.get("/signin/demo"), portal)
    #expect(answer.status == .forbidden)
    #expect(answer.text.contains("admits only invited people"))
    #expect(try await gatehouse.count("account") == 0)
    #expect(try await gatehouse.count("credential") == 0)
    #expect(browser.cookies["gh_s"] == nil)
    try await DeliverRevocations(gatehouse.here)()
    #expect(try await portal.calls(of: "revokeToken") == 1)
  }

  @Test("a disabled account stays out, and its new tokens are revoked")
  func disabled() async throws {
    _ = try await browser.travel(await browser.get("/signin/demo"), portal)
    let account = try #require(try await gatehouse.store.read { try $0.accounts().first })
    let now = gatehouse.time.now
    try await gatehouse.store.write { try $0.setAccount(account.id, disabled: true, at: now) }
    #expect(await browser.get("/account").location == "/signin")
    let answer = try await browser.travel(await browser.get("/signin/demo"), portal)
    #expect(answer.status == .forbidden)
    #expect(answer.text.contains("Your account is disabled"))
    #expect(try await gatehouse.count("session") == 0)
    #expect(try await gatehouse.count("revocation") == 1)
  }

  @Test("goes on with what the app waits for", arguments: ["app:HANDLE", "//evil.example", "app:https://evil.example"])
  func goesOn(ticket: String) async throws {
    let handle = try await gatehouse.waiting(try await gatehouse.client(scope: ""))
    let start = await browser.get("/signin/demo?ticket=\(ticket.replacing("HANDLE", with: handle))")
    let back = try await browser.travel(start, portal)
    #expect(back.location == (ticket == "app:HANDLE" ? "/consent?ticket=\(handle)" : "/account"))
  }

  @Test("is not offered for a connection that is unknown", arguments: ["nothing", "%2e%2e", "DEMO"])
  func unknown(id: String) async throws {
    #expect(await browser.get("/signin/\(id)").status == .notFound)
  }

  @Test("a connection that is switched off says so, and is not offered for reconnecting")
  func switchedOff() async throws {
    _ = try await browser.travel(await browser.get("/signin/demo"), portal)
    let now = gatehouse.time.now
    let demo = try #require(ConnectionID("demo"))
    try await gatehouse.store.write { try $0.setConnection(demo, disabled: true, at: now) }
    for path in ["/signin/demo", "/connect/demo"] {
      #expect(await browser.get(path).text.contains("An administrator has switched Demo off"), "\(path)")
    }
    let account = await browser.get("/account")
    #expect(account.text.contains("switched this service off"))
    #expect(!account.text.contains("Reconnect"))
  }
}
