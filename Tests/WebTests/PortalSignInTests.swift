import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Signing in with a local account")
struct PortalSignInTests {
  private let gatehouse: TestInstallation
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    _ = try await gatehouse.local("root", role: .administrator)
    _ = try await gatehouse.local("ana")
    browser = TestBrowser(gatehouse)
  }

  private func signIn(
    _ name: String, _ password: String = TestInstallation.password, ticket: String = "", in browser: TestBrowser
  ) async throws -> Response {
    let page = ticket.isEmpty ? "/signin" : "/signin?ticket=\(ticket)"
    return try await browser.submit(["username": name, "password": password], on: page)
  }

  @Test("begins a session of its own and remembers the device for a year")
  func succeeds() async throws {
    let planted = TestBrowser(gatehouse, cookies: ["gh_s": String(repeating: "x", count: 43)])
    let answer = try await signIn(" Ana ", in: planted)
    #expect(answer.status == .seeOther)
    #expect(answer.location == "/account")
    #expect(planted.cookies["gh_s"] != String(repeating: "x", count: 43), "a planted id is not adopted")
    let lines = answer.headers.values(of: "set-cookie")
    #expect(lines.contains { $0.hasPrefix("gh_d=") && $0.contains("Max-Age=31536000") })
    #expect(lines.allSatisfy { $0.contains("HttpOnly") && $0.contains("SameSite=Lax") && $0.contains("Path=/") })
    #expect(await planted.get("/account").status == .ok)
    #expect(await planted.get("/").location == "/account")
  }

  @Test("ends the session that the browser had before")
  func replaces() async throws {
    _ = try await signIn("ana", in: browser)
    let former = TestBrowser(gatehouse, cookies: browser.cookies)
    let handle = try await gatehouse.waiting(try await gatehouse.client(scope: ""))
    let answer = try await signIn("root", ticket: "app:\(handle)", in: browser)
    #expect(answer.location == "/consent?ticket=\(handle)")
    #expect(await former.get("/account").location == "/signin")
    #expect(try await gatehouse.count("session") == 1)
  }

  @Test("tells nobody whether the name, the password, the account or the right was wrong", arguments: ["", "admin"])
  func indistinguishable(ticket: String) async throws {
    let disabled = try await gatehouse.local("off", role: .administrator)
    let now = gatehouse.time.now
    try await gatehouse.store.write { try $0.setAccount(disabled.id, disabled: true, at: now) }
    let bare = try #require(try await gatehouse.administrator("Bare").account.username)
    let tries = [
      ("nobody", TestInstallation.password), ("ana", "wrong"), ("off", TestInstallation.password),
      (bare, TestInstallation.password), ("root", String(repeating: "x", count: 5000)),
      ("ana", ticket.isEmpty ? "" : TestInstallation.password),
    ]
    var seen: Set<String> = []
    for (name, password) in tries {
      let page = await browser.get("/signin?ticket=\(ticket)")
      let answer = await browser.submit(["username": name, "password": password], after: page, to: "/signin")
      #expect(answer.status == 422)
      let fields = answer.headers.fields.filter { $0.name != "x-request-id" }.map { "\($0.name): \($0.value)" }
      // Each page has a challenge of its own.
      let text = answer.text.replacing(#/data-challenge="[^"]*"/#, with: "")
      seen.insert("\(fields) \(text.replacing("value=\"\(name)\"", with: ""))")
    }
    #expect(seen.count == 1)
    #expect(try await gatehouse.count("session") == 1, "only the one that the test made")
  }

  @Test("slows guessing down after five tries, and never a device that signed in before")
  func slows() async throws {
    let owner = TestBrowser(gatehouse)
    _ = try await signIn("ana", in: owner)
    let known = TestBrowser(gatehouse, cookies: owner.cookies.filter { $0.key == "gh_d" })
    for _ in 0..<6 { #expect(try await signIn("ana", "wrong", in: browser).status == 422) }
    let answer = try await signIn("ana", in: browser)
    #expect(answer.status == 429)
    #expect(answer.headers["retry-after"] == "2")
    #expect(answer.text.contains("2 seconds"))
    #expect(try await signIn("ana", in: known).status == .seeOther)
  }

  @Test("tries that are sent all at once are not free")
  func allAtOnce() async throws {
    let page = await browser.get("/signin")
    let (gatehouse, cookies) = (gatehouse, browser.cookies)
    let statuses = await withTaskGroup(of: Status.self) { group in
      for _ in 0..<12 {
        group.addTask {
          let one = TestBrowser(gatehouse, cookies: cookies)
          return await one.submit(["username": "ana", "password": "wrong"], after: page, to: "/signin").status
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 422 } <= 6)
    #expect(statuses.contains(429))
  }

  @Test("the administration has a cookie and a sign-in of its own, for administrators only")
  func administration() async throws {
    #expect(try await signIn("ana", ticket: "admin", in: browser).status == 422)
    let answer = try await signIn("root", ticket: "admin", in: browser)
    #expect(answer.location == "/admin")
    #expect(browser.cookies["gh_s"] == nil)
    let line = answer.headers.values(of: "set-cookie").first { $0.hasPrefix("gh_a=") }
    #expect(line?.contains("SameSite=Strict") == true)
    #expect(await browser.get("/account").location == "/signin", "it is no session of a person")
  }

  @Test(
    "the administration goes on at its page that was asked for, and nowhere else",
    arguments: [
      ("/admin/audit", true), ("/admin/clients?after=a%3Ab", true), ("/admin?a=b", true), ("/account", false),
      ("/administrator", false), ("//evil.example/admin/", false), ("https://evil.example/admin/", false),
      ("/admin/../signout", false), ("/admin/%2E%2e/signout", false), ("/admin//evil.example", false),
      ("/admin/\\evil", false), ("/admin/a\r\nSet-Cookie: a=b", false), ("/admin/\u{E9}", false),
      ("/admin/" + String(repeating: "a", count: 600), false),
    ])
  func administrationPage(path: String, isTaken: Bool) async throws {
    let ticket = "admin:" + PercentCoding.encode(path)
    let answer = try await signIn("root", ticket: ticket, in: browser)
    #expect(answer.location == (isTaken ? path : "/admin"))
    #expect(await browser.get("/signin?ticket=\(ticket)").location == (isTaken ? path : "/admin"), "who is signed in")
    #expect(try await signIn("ana", ticket: ticket, in: TestBrowser(gatehouse)).status == 422)
  }

  @Test("offers the connections first, passes the ticket on, and names the app that waits")
  func offers() async throws {
    try await gatehouse.openConnection(to: try TestPortal())
    let handle = try await gatehouse.waiting(try await gatehouse.client(scope: ""))
    let page = await browser.get("/signin?ticket=app:\(handle)")
    #expect(page.text.contains("href=\"/signin/demo?ticket=app%3A\(handle)\""))
    #expect(page.text.contains("Field app"))
    let policy = page.headers["content-security-policy"]
    #expect(
      policy?.contains("form-action 'self' https://app.example;") == true, "a consent of before redirects at once")
    #expect(!(await browser.get("/signin?ticket=admin")).text.contains("/signin/demo"))
  }

  @Test(
    "never becomes a redirect to elsewhere",
    arguments: [
      "//evil.example", "/%5Cevil.example", "https:evil.example", "https://evil.example", "%2f%2fevil.example",
      "%09//evil.example", "javascript:alert(1)", "app://evil.example", "app:%0d%0aLocation:x", "app:../../x",
      "connect:demo://evil.example", "connect://evil.example:x", "app:%22%3E%3Cscript%3E", "admin:x@evil.example",
    ])
  func openRedirects(ticket: String) async throws {
    let page = await browser.get("/signin?ticket=\(ticket)&return=//evil.example")
    #expect(page.status == .ok)
    #expect(!page.text.contains("evil"))
    #expect(page.text.split(separator: "<script").count == 2, "our own")
    let answer = await browser.submit(
      ["username": "root", "password": TestInstallation.password], after: page, to: "/signin")
    #expect(["/account", "/admin"].contains(answer.location))
    let swapped: QueryItems = [
      "username": "root", "password": TestInstallation.password, "ticket": ticket,
      "csrf": TestBrowser.hiddenValue("csrf", in: await TestBrowser(gatehouse).get("/signin").text),
    ]
    #expect(await browser.post("/signin", swapped).location == nil)
  }
}
