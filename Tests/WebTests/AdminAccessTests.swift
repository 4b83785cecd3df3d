import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The administration: who gets in") struct AdminAccessTests {
  /// Somebody who is no administrator, or not signed in as one.
  enum Outsider: String, CaseIterable, Sendable {
    case nobody
    case person
    case administratorAsPerson
    case idleAdministrator
    case disabledAdministrator
    case inventedCookie
  }

  private func browser(of outsider: Outsider, _ world: AdminWorld) async throws -> TestBrowser {
    let installation = world.installation
    switch outsider {
    case .nobody: return TestBrowser(installation)
    case .person: return TestBrowser(installation, world.person)
    case .administratorAsPerson:
      return TestBrowser(installation, try await installation.session(of: world.root.account))
    case .idleAdministrator:
      installation.time.advance(by: 15 * 60)
      return TestBrowser(installation, world.root)
    case .disabledAdministrator:
      let third = try await installation.administrator("Third")
      try await ChangeAccount(installation.here)(
        third.account.id, disabled: true, by: world.root.account.id, TestInstallation.visitor)
      return TestBrowser(installation, third)
    case .inventedCookie:
      return TestBrowser(installation, cookies: ["gh_a": String(repeating: "A", count: 43)])
    }
  }

  @Test("lists every route of the administration in these tests")
  func complete() async throws {
    let desk = try await TestInstallation().desk()
    let routes = App.routes(desk).filter { $0.pattern.first == "admin" }
    let known = AdminRoute.pages + AdminRoute.unlinked + AdminRoute.outward + AdminRoute.files + AdminRoute.forms
    #expect(
      Set(routes.map { "\($0.method.name) /\($0.pattern.joined(separator: "/"))" })
        == Set(known.map { "\($0.method.name) \($0.pattern)" }))
  }

  // One installation for all routes: each makes its own signing keys, which takes longer than all requests together.

  @Test("sends everybody else to sign in as an administrator, and does nothing", arguments: Outsider.allCases)
  func outside(outsider: Outsider) async throws {
    let world = try await AdminWorld()
    let browser = try await browser(of: outsider, world)
    let before = try await world.installation.contents()
    for route in AdminRoute.pages + AdminRoute.unlinked + AdminRoute.outward + AdminRoute.files + AdminRoute.forms {
      let path = world.path(of: route)
      let answer = route.method == .get ? await browser.get(path) : await browser.post(path, ["confirm": "maps"])
      #expect(answer.status == .seeOther, "\(route)")
      let isPage = route.method == .get && path != "/admin"
      let ticket = isPage ? "admin:" + PercentCoding.encode(path) : "admin"
      #expect(answer.location == "/signin?ticket=\(ticket)", "\(route)")
    }
    #expect(try await world.installation.contents() == before)
  }

  @Test("shows every page to an administrator, as HTML that nobody keeps")
  func inside() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    for route in AdminRoute.pages + AdminRoute.unlinked {
      let answer = await browser.get(world.path(of: route))
      #expect(answer.status == .ok, "\(route): \(answer.text)")
      #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
      #expect(answer.headers["cache-control"] == "no-store")
      #expect(answer.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
      #expect(answer.text.contains("Root"), "\(route)")
    }
  }

  @Test("takes no form that does not come from a page of the administration")
  func foreignForms() async throws {
    let world = try await AdminWorld()
    let person = try await world.installation.session(of: world.root.account)
    let browser = TestBrowser(
      world.installation, cookies: world.root.cookies.merging(person.cookies) { first, _ in first })
    let token = try #require(TestBrowser.hiddenValue("csrf", in: await browser.get("/admin").text))
    let personal = await browser.get("/signout")
    try #require(TestBrowser.hiddenValue("csrf", in: personal.text) != nil)
    let before = try await world.installation.contents()
    for route in AdminRoute.forms {
      let path = world.path(of: route)
      browser.headers = []
      #expect(await browser.post(path, ["confirm": "maps"]).status == .forbidden, "\(route)")
      let other = await browser.submit(["confirm": "maps"], after: personal, to: path)
      #expect(other.status == .forbidden, "\(route)")
      browser.headers = ["sec-fetch-site": "cross-site"]
      let fromElsewhere = await browser.post(path, ["csrf": token, "confirm": "maps"])
      #expect(fromElsewhere.status == .forbidden, "\(route)")
    }
    let after = try await world.installation.contents()
    let added = after.filter { !before.contains($0) }
    #expect(added.count == 1 && added[0].contains("malicious_csrf"), "only that it was tried is written down")
    #expect(before.allSatisfy(after.contains))
  }

  @Test("changes nothing by opening any page that can be reached by links")
  func crawl() async throws {
    let world = try await AdminWorld()
    let installation = world.installation
    try await installation.insertPeople(60)
    try await installation.insertEvents(60)
    let browser = TestBrowser(installation, world.root)
    _ = await browser.get("/admin")
    let before = try await installation.contents()
    var (seen, open): (Set<String>, [String]) = ([], ["/admin"])
    while let path = open.popLast() {
      guard seen.insert(path).inserted else { continue }
      let page = await browser.get(path)
      #expect(page.status == .ok, "\(path)")
      open += links(in: page.text, at: path)
    }
    #expect(seen.isSuperset(of: AdminRoute.pages.map(world.path)))
    #expect(seen.contains { $0.hasPrefix("/admin/audit?after=") })
    #expect(seen.contains { $0.hasPrefix("/admin/accounts?after=") })
    #expect(try await installation.contents() == before)
  }

  private func links(in page: String, at path: String) -> [String] {
    page.split(separator: "href=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }.compactMap { link in
      if link.hasPrefix("?") { return path.prefix { $0 != "?" } + (link == "?" ? "" : link) }
      return link == "/admin" || link.hasPrefix("/admin/") ? link : nil
    }
  }

  @Test("ends only its own session at its sign-out")
  func signOut() async throws {
    let world = try await AdminWorld()
    let person = try await world.installation.session(of: world.root.account)
    let cookies = world.root.cookies.merging(person.cookies) { first, _ in first }
    let browser = TestBrowser(world.installation, cookies: cookies)
    let answer = try await browser.submit([:], on: "/admin", to: "/admin/signout")
    #expect(answer.status == .seeOther)
    #expect(browser.cookies["gh_a"] == nil)
    let again = await TestBrowser(world.installation, world.root).get("/admin")
    #expect(again.location == "/signin?ticket=admin")
    let account = await browser.get("/account")
    #expect(account.status == .ok)
  }
}
