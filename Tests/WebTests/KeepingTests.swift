import Domain
import Flows
import HTTP
import Pages
import Storage
import Testing

@testable import Web

@Suite("How long a credential is kept")
struct KeepingTests {
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
    browser = TestBrowser(gatehouse, person)
  }

  private func connect(_ fields: QueryItems) async throws -> Response {
    try await browser.travel(try await browser.submit(fields, on: "/connect/demo"), portal)
  }

  private func vend(_ access: String) async throws -> Response {
    let query: QueryItems = ["resource": portal.origin + "/sharing/rest/portals/self"]
    return await gatehouse.send(
      .get, query.appended(to: "/v1/token"), headers: ["authorization": try #require(FieldValue("Bearer \(access)"))])
  }

  private func isHeld() async throws -> Bool {
    try await EndKeptCredentials(gatehouse.here)()
    return try await gatehouse.credential(of: person.account.id) != nil
  }

  @Test("is asked on the form, and what makes no sense is told there")
  func asked() async throws {
    let page = await browser.get("/connect/demo")
    #expect(page.text.contains("How long is it kept?") && !page.text.contains("at most: an administrator"))
    for day in ["", "tomorrow", "2020-01-01"] {
      let again = try await browser.submit(["kept": "date", "kept_until": day], on: "/connect/demo")
      #expect(again.status == 422 && again.text.contains("Nothing is connected yet"), "\(day)")
    }
    #expect(try await gatehouse.count("sign_in_attempt") == 0)
  }

  @Test("ends on the day that the person chose: told to the upstream, and vended no more")
  func day() async throws {
    let now = gatehouse.time.now
    let day = now.seconds / 86_400
    let text = String(PageContext.isoTime(day * 86_400).prefix(10))
    #expect(try await connect(["kept": "date", "kept_until": text]).location == "/account?connected=demo")
    let client = try await gatehouse.client(connections: [connection.id])
    let access = try await gatehouse.tokens(for: client, person).access
    #expect(await browser.get("/account").text.contains("then Gatehouse disconnects it"))
    #expect(try await isHeld())
    #expect(try await vend(access).status == .ok)
    gatehouse.time.advance(by: (day + 1) * 86_400 - now.seconds)
    #expect(try await vend(access).error != nil)
    #expect(try await !isHeld())
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await gatehouse.audit().first { $0.name == .disconnected }?.account == person.account.id)
  }

  @Test("ends with the browser session, which counts as used while an app uses it")
  func session() async throws {
    _ = try await connect(["kept": "browser"])
    gatehouse.time.advance(by: 50 * 60)
    let held = try #require(try await gatehouse.credential(of: person.account.id))
    gatehouse.here.store.touchCredential(held.id, at: gatehouse.time.now)
    // What nobody waits for comes before what somebody does.
    try await gatehouse.store.write { _ = try $0.clockHighWater() }
    gatehouse.time.advance(by: 50 * 60)
    #expect(try await isHeld())
    gatehouse.time.advance(by: 20 * 60)
    #expect(try await !isHeld())
  }

  @Test("a sign-in through the same connection leaves the choice as it is", arguments: ["browser", "date"])
  func signedInAgain(_ choice: String) async throws {
    let before = gatehouse.time.now.seconds / 86_400 + 5
    let day = String(PageContext.isoTime(before * 86_400).prefix(10))
    _ = try await connect(["kept": choice, "kept_until": day])
    let chosen = try #require(try await gatehouse.credential(of: person.account.id))
    let answer = try await browser.travel(await browser.get("/signin/demo"), portal)
    #expect(answer.status == .seeOther, "\(answer.text)")
    let held = try #require(try await gatehouse.credential(of: person.account.id))
    #expect(held.id != chosen.id && held.keptUntil == chosen.keptUntil)
    #expect((held.session == nil) == (choice == "date") && (choice == "date" || held.session != chosen.session))
  }

  @Test("ends when the session is signed out elsewhere, and stays without that choice")
  func endedSession() async throws {
    _ = try await connect(["kept": "browser"])
    try await gatehouse.store.write { [session = person.session.hash] in _ = try $0.deleteSession(session) }
    #expect(try await !isHeld())
    let other = try await gatehouse.person("Ben")
    let browser = TestBrowser(gatehouse, other)
    _ = try await browser.travel(try await browser.submit([:], on: "/connect/demo"), portal, as: "ben")
    try await gatehouse.store.write { _ = try $0.deleteSession(other.session.hash) }
    try await EndKeptCredentials(gatehouse.here)()
    #expect(try await gatehouse.credential(of: other.account.id) != nil)
  }

  @Test("a lower limit counts for what is connected already, from the day it was connected; none lengthens nothing")
  func lowered() async throws {
    _ = try await connect(["kept": "sign_out"])
    let connected = try #require(try await gatehouse.credential(of: person.account.id)?.connectedAt)
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator("Root"))
    func limit(_ days: String) async throws -> Response {
      try await admin.submit(["kept_days": days], on: "/admin/connections/demo", to: "/admin/connections/demo/keeping")
    }
    #expect(try await limit("0").text.contains("Enter 1 to 3650 days."))
    #expect(try await limit("30").status == .seeOther)
    #expect(await admin.get("/admin/connections/demo").text.contains("30 days at most"))
    #expect(try await gatehouse.credential(of: person.account.id)?.keptUntil == connected + 30 * 86_400)
    gatehouse.time.advance(by: 3 * 86_400)
    #expect(try await isHeld())
    let client = try await gatehouse.client(connections: [connection.id])
    let owner = try await gatehouse.session(of: person.account)
    let access = try await gatehouse.tokens(for: client, owner).access
    let later = TestBrowser(gatehouse, try await gatehouse.administrator("Later"))
    let lowered = try await later.submit(
      ["kept_days": "2"], on: "/admin/connections/demo", to: "/admin/connections/demo/keeping")
    #expect(lowered.status == .seeOther)
    #expect(try await vend(access).error != nil)
    #expect(try await !isHeld())
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await gatehouse.audit().contains { $0.detail == "kept 2 days at most" })
  }

  @Test("is limited by the administrator, whatever is chosen")
  func limited() async throws {
    var limited = try portal.connection(at: gatehouse.time.now)
    limited.longestKeptDays = 7
    try await gatehouse.store.write { [limited] tx in
      _ = try tx.deleteEmptyConnection(limited.id)
      try tx.insert(limited, clientSecret: nil)
    }
    #expect(await browser.get("/connect/demo").text.contains("7 days at most: an administrator has limited it."))
    for choice in [["kept": "sign_out"], ["kept": "date", "kept_until": "2999-01-01"], ["kept": "browser"]]
      as [QueryItems]
    {
      _ = try await connect(choice)
      let held = try #require(try await gatehouse.credential(of: person.account.id))
      #expect(held.keptUntil == gatehouse.time.now + 7 * 86_400)
    }
  }
}
