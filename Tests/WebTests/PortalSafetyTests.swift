import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Every page of the portal")
struct PortalSafetyTests {
  private let gatehouse: TestInstallation
  private let browser: TestBrowser
  private let pages: [String]

  init() async throws {
    gatehouse = try await TestInstallation()
    let portal = try TestPortal()
    let connection = try await gatehouse.connection(to: portal)
    let person = try await gatehouse.person()
    try await gatehouse.connect(person, to: connection, at: portal)
    browser = TestBrowser(gatehouse, person)
    let client = try await gatehouse.client(connections: [connection.id])
    pages = [
      "/", "/signin", "/setup", "/account", "/connect/demo", "/disconnect/demo", "/signout", "/signed-out",
      "/consent?ticket=\(try await gatehouse.waiting(client))",
      gatehouse.link(for: person.account.id, client, connection),
    ]
  }

  @Test("changes nothing when it is only opened")
  func readsOnly() async throws {
    let before = try await gatehouse.counts()
    for page in pages {
      let answer = await browser.get(page)
      #expect([200, 303, 404].contains(answer.status.code), "\(page) \(answer.status.code)")
    }
    #expect(try await gatehouse.counts() == before)
  }

  @Test("is kept by no cache and in no frame, and runs nothing from elsewhere")
  func headers() async throws {
    let refused = ["/oauth2/authorize?client_id=x", "/nothing", "/callback/demo?state=x&code=y", "/oauth2/end_session"]
    for page in pages + refused {
      let answer = await browser.get(page)
      #expect(answer.headers["cache-control"] == "no-store", "\(page)")
      #expect(answer.headers["referrer-policy"] == "no-referrer")
      guard answer.status != .seeOther else { continue }
      let policy = try #require(answer.headers["content-security-policy"])
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(answer.headers["x-frame-options"] == "DENY", "\(page)")
      #expect(!answer.text.contains("<script") && !answer.text.contains("style=\""))
    }
  }

  @Test(
    "takes no form without the token of its own page",
    arguments: [
      "/setup", "/signin", "/connect/demo", "/connect/demo/confirm", "/disconnect/demo", "/signout",
    ])
  func foreignForms(path: String) async throws {
    _ = await browser.get("/account")
    let before = try await gatehouse.counts()
    let other = TestBrowser.hiddenValue("csrf", in: await browser.get("/disconnect/demo").text)
    for csrf in [nil, "", "x", "x.y", path == "/disconnect/demo" ? "" : other] {
      let answer = await browser.post(path, ["csrf": csrf, "answer": "replace", "keep": "1"])
      #expect(answer.status == .forbidden, "\(path) \(csrf ?? "none")")
    }
    // Only that it was tried is written down.
    #expect(try await gatehouse.counts().filter { $0.key != "audit" } == before.filter { $0.key != "audit" })
  }

  @Test(
    "takes no form that another site sends, even with the right token",
    arguments: [
      ("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"), ("origin", "https://evil.example"),
      ("origin", "null"),
    ])
  func otherSites(name: String, value: String) async throws {
    let page = await browser.get("/signout")
    browser.headers.set(try #require(FieldName(name)), try #require(FieldValue(value)))
    #expect(await browser.submit([:], after: page, to: "/signout").status == .forbidden)
    #expect(await browser.get("/account").status == .ok, "still signed in")
  }

  @Test("takes a form of the right page from our own origin")
  func ownSite() async throws {
    let page = await browser.get("/signout")
    browser.headers.set("origin", "http://localhost:8080")
    #expect(await browser.submit(["keep": "1"], after: page, to: "/signout").status == .ok)
  }

  @Test("an unknown connection is not found", arguments: ["/connect/other", "/disconnect/other", "/connect/Demo"])
  func unknown(path: String) async throws { #expect(await browser.get(path).status == .notFound) }

  @Test(
    "an escaped spelling of a path is another path",
    arguments: [
      ("/%73ignout", "/signout"), ("/account%2Fapps?a=b", "/account/apps"), ("/health/%6Cive", "/health/live"),
    ])
  func spelling(target: String, path: String) async throws {
    for (target, status) in [(target, Status.notFound), (path, .ok)] {
      let request = Request(
        method: .get, target: target, path: path, headers: ["host": "localhost:8080", "cookie": try cookie()])
      #expect(await gatehouse.app.respond(to: request).status == status)
    }
  }

  private func cookie() throws -> FieldValue {
    try #require(FieldValue(browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
  }

  @Test("shows what a person is called as text")
  func escapes() async throws {
    let person = try await gatehouse.person("<b>Bo</b>")
    let page = await TestBrowser(gatehouse, person).get("/account")
    #expect(page.text.contains("&lt;b&gt;Bo"))
    #expect(!page.text.contains("<b>Bo</b>"))
  }

  @Test("stands below the path of the external URL, links and redirects included")
  func basePath() async throws {
    let gatehouse = try await TestInstallation(external: "http://localhost:8080/gate")
    let stranger = TestBrowser(gatehouse)
    #expect(await stranger.get("/gate/account").location == "/gate/signin")
    _ = try await gatehouse.administrator()
    let page = await stranger.get("/gate/signin")
    #expect(page.text.contains("action=\"/gate/signin\""))
  }
}
