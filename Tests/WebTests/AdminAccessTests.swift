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
    let known = AdminRoute.pages + AdminRoute.forms
    #expect(
      Set(routes.map { "\($0.method.name) /\($0.pattern.joined(separator: "/"))" })
        == Set(known.map { "\($0.method.name) \($0.pattern)" }))
  }

  @Test(
    "sends everybody else to sign in as an administrator, and does nothing",
    arguments: AdminRoute.pages + AdminRoute.forms, Outsider.allCases)
  func outside(route: AdminRoute, outsider: Outsider) async throws {
    let world = try await AdminWorld()
    let browser = try await browser(of: outsider, world)
    let before = try await world.installation.contents()
    let answer =
      route.method == .get
      ? await browser.get(world.path(of: route))
      : await browser.post(world.path(of: route), ["confirm": world.client.id])
    #expect(answer.status == .seeOther)
    #expect(answer.location == "/signin?ticket=admin")
    #expect(try await world.installation.contents() == before)
  }

  @Test("shows every page to an administrator, as HTML that nobody keeps", arguments: AdminRoute.pages)
  func inside(route: AdminRoute) async throws {
    let world = try await AdminWorld()
    let answer = await TestBrowser(world.installation, world.root).get(world.path(of: route))
    #expect(answer.status == .ok, "\(answer.text)")
    #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
    #expect(answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
    #expect(answer.text.contains("Root"))
  }

  @Test("takes no form that does not come from a page of the administration", arguments: AdminRoute.forms)
  func foreignForms(route: AdminRoute) async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let page = await browser.get("/admin")
    let token = try #require(TestBrowser.hiddenValue("csrf", in: page.text))
    let before = try await world.installation.contents()
    let path = world.path(of: route)
    let without = await browser.post(path, ["confirm": "maps"])
    #expect(without.status == .forbidden)
    browser.headers = ["sec-fetch-site": "cross-site"]
    let fromElsewhere = await browser.post(path, ["csrf": token, "confirm": "maps"])
    #expect(fromElsewhere.status == .forbidden)
    #expect(try await world.installation.contents() == before)
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
