import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Signing out")
struct PortalSignOutTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let connection: Connection
  private let person: TestPerson
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    connection = try await gatehouse.connection(to: portal)
    person = try await gatehouse.person()
    try await gatehouse.connect(person, to: connection, at: portal)
    browser = TestBrowser(gatehouse, person)
  }

  @Test("is asked first, with what it will do")
  func preview() async throws {
    _ = try await gatehouse.session(of: person.account)
    let page = await browser.get("/signout")
    for text in ["This browser and 1 other", "<bdi>Demo</bdi>", "Will be revoked", "its own sign-out page"] {
      #expect(page.text.contains(text), "\(text)")
    }
    #expect(!page.text.contains("Administration"))
    #expect(try await gatehouse.count("session") == 2)
  }

  @Test("ends everything, tells the upstream, and says so at once")
  func everything() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let tokens = try await gatehouse.tokens(for: client, person)
    let other = TestBrowser(gatehouse, try await gatehouse.session(of: person.account))
    let former = TestBrowser(gatehouse, cookies: browser.cookies)
    let report = try await browser.submit([:], on: "/signout")
    #expect(report.status == .ok)
    for text in ["Gatehouse has finished its part", "This browser and 1 other", ">Revoked<", "has confirmed"] {
      #expect(report.text.contains(text), "\(text)")
    }
    #expect(report.text.contains("\(portal.origin)/sharing/rest/oauth2/signout?client_id="))
    #expect(report.headers["clear-site-data"] == "\"cache\", \"storage\"")
    #expect(browser.cookies.isEmpty)
    for old in [former, other] { #expect(await old.get("/account").location == "/signin", "the old cookie is dead") }
    #expect(try await portal.calls(of: "revokeToken") == 1)
    for table in ["session", "credential", "revocation"] { #expect(try await gatehouse.count(table) == 0, "\(table)") }
    let refreshed = await gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh], basic: client.basic)
    #expect(try refreshed.error == "invalid_grant")
  }

  @Test("a code on its way to an app opens nothing any more")
  func burntCode() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let code = try await gatehouse.code(for: client, person)
    _ = try await browser.submit([:], on: "/signout")
    let answer = await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic)
    #expect(try answer.error == "invalid_grant")
    #expect(try await gatehouse.count("token_family") == 0)
  }

  @Test("says truthfully when an upstream did not answer, and tells it again later")
  func retries() async throws {
    await portal.fault("status", at: "revokeToken", value: 503)
    let report = try await browser.submit([:], on: "/signout")
    #expect(report.text.contains("Not everything is finished"))
    #expect(report.text.contains(">Retrying<"))
    #expect(report.text.contains("Its token stops by itself on"))
    #expect(try await gatehouse.count("credential") == 0)
    #expect(try await gatehouse.count("revocation") == 1)
    #expect(try await gatehouse.auditNames().contains(.upstreamNotRevoked))
    let root = TestBrowser(gatehouse, try await gatehouse.administrator())
    await portal.fault("status", at: "revokeToken", value: 503)
    gatehouse.time.advance(by: 60)
    try await DeliverRevocations(gatehouse.here)()
    let words = "has yet to cancel 1 sign-in that ended here"
    for path in ["/admin", "/admin/connections/demo"] { #expect(await root.get(path).text.contains(words), "\(path)") }
    gatehouse.time.advance(by: 60)
    try await DeliverRevocations(gatehouse.here)()
    #expect(try await portal.calls(of: "revokeToken") == 3)
    #expect(try await gatehouse.count("revocation") == 0)
    for path in ["/admin", "/admin/connections/demo"] { #expect(await !root.get(path).text.contains(words), "\(path)") }
    #expect(await root.get("/admin").text.contains("Nobody connected"))
  }

  @Test("can keep the services, and still ends sessions and apps")
  func keeps() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let tokens = try await gatehouse.tokens(for: client, person)
    let report = try await browser.submit(["keep": "1"], on: "/signout")
    #expect(report.text.contains(">Kept<"))
    #expect(report.text.contains("A token of it that an app got before works until it ends by itself."))
    #expect(!report.text.contains("lost access"))
    #expect(try await gatehouse.credential(of: person.account.id)?.state == .active)
    #expect(try await portal.calls(of: "revokeToken") == 0)
    #expect(try await gatehouse.count("session") == 0)
    let refreshed = await gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh], basic: client.basic)
    #expect(try refreshed.error == "invalid_grant")
  }

  @Test("works for an administrator who is signed in to the administration only")
  func administrator() async throws {
    let root = TestBrowser(gatehouse, try await gatehouse.administrator())
    let report = try await root.submit([:], on: "/signout")
    #expect(report.status == .ok)
    #expect(root.cookies.isEmpty)
    #expect(try await gatehouse.count("session") == 1, "the other person's")
  }

  @Test("ends somebody else's administration in the same browser as well, and nothing else of theirs")
  func twoAccounts() async throws {
    let root = try await gatehouse.administrator()
    let elsewhere = try await gatehouse.session(of: root.account, .administrator)
    let shared = TestBrowser(gatehouse, cookies: person.cookies.merging(root.cookies) { $1 })
    #expect(await shared.get("/admin").text.contains("Services of <bdi>Ana</bdi>"))
    #expect(await shared.get("/signout").text.contains("<bdi>Root</bdi> is signed in to it."))
    let report = try await shared.submit([:], on: "/signout")
    #expect(report.status == .ok && report.text.contains("<bdi>Root</bdi> was signed in to it in this browser."))
    let now = gatehouse.time.now
    for (one, isLive) in [(root, false), (elsewhere, true)] {
      let session = try await gatehouse.here.session(one.token.revealedText, kind: .administrator, at: now)
      #expect((session != nil) == isLive)
    }
  }

  @Test("takes both sign-ins of one account in a browser for one browser")
  func bothSignIns() async throws {
    let root = try await gatehouse.administrator()
    let asPerson = try await gatehouse.session(of: root.account)
    let both = TestBrowser(gatehouse, cookies: asPerson.cookies.merging(root.cookies) { $1 })
    #expect(await !both.get("/signout").text.contains("other</h2>"))
    let report = try await both.submit([:], on: "/signout")
    #expect(report.text.contains("<h2>This browser</h2>"))
    #expect(report.text.contains("<bdi>Root</bdi> was signed in to it in this browser."))
  }

  @Test("leaves nobody else's sessions and services touched")
  func others() async throws {
    let bo = try await gatehouse.person("Bo")
    try await gatehouse.connect(bo, to: connection, at: portal, as: "ben")
    _ = try await browser.submit([:], on: "/signout")
    #expect(await TestBrowser(gatehouse, bo).get("/account").status == .ok)
    #expect(try await gatehouse.credential(of: bo.account.id)?.state == .active)
  }

  @Test("is a page of its own for somebody who is signed out already")
  func signedOut() async throws {
    let stranger = TestBrowser(gatehouse)
    #expect(await stranger.get("/signout").location == "/signed-out")
    #expect((await stranger.get("/signed-out")).text.contains("You are signed out"))
  }

  @Test("a refresh under way during sign-out revokes what it gets, and stores nothing")
  func refreshUnderWay() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    _ = try await gatehouse.code(for: client, person)
    gatehouse.time.advance(by: 1790)
    await portal.fault("delay", at: "token", value: 1500)
    let (here, account) = (gatehouse.here, person.account.id)
    let resource = try #require(ResourceURL(portal.origin + "/sharing/rest"))
    let vend = Task {
      try await VendToken(here)(
        VendRequest(client: client.client.id, account: account, resource: resource, minimumLifetime: 60), with: nil,
        TestInstallation.visitor)
    }
    while try await gatehouse.count("refresh_attempt") == 0 { await Task.yield() }
    while try await portal.calls(of: "token.refresh_token") == 0 { await Task.yield() }
    _ = try await SignOut(here)(account, TestInstallation.visitor)
    #expect(try await gatehouse.count("credential") == 1, "it stays, closing, until the refresh is over")
    await #expect(throws: Refusal.self) { try await vend.value }
    for table in ["credential", "refresh_attempt"] { #expect(try await gatehouse.count(table) == 0, "\(table)") }
    #expect(try await gatehouse.count("revocation") == 1, "the outbox has what the refresh got")
  }
}
