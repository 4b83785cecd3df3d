import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("App passwords on the pages")
struct AppPasswordPageTests {
  private let stage: VendStage
  private let client: TestClient
  private let browser: TestBrowser
  private let administration: TestBrowser
  private var gatehouse: TestInstallation { stage.gatehouse }
  private var connectionPage: String { "/admin/connections/\(stage.connection.id)" }

  init() async throws {
    stage = try await VendStage()
    client = try await stage.gatehouse.client(.public, scope: "arcgis", connections: [stage.connection.id])
    browser = TestBrowser(stage.gatehouse, stage.person)
    administration = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
  }

  private func set(_ client: String) async throws -> Response {
    try await administration.submit(
      ["app_client": client], on: connectionPage, to: "\(connectionPage)/app-passwords")
  }

  private func make(_ place: String? = nil, by other: TestBrowser? = nil) async throws -> Response {
    try await (other ?? browser).submit(
      ["place": place ?? "\(client.id) \(stage.connection.id)"], on: "/account/apps", to: "/account/app-passwords")
  }

  private func passwords() async throws -> [AppPassword] {
    try await gatehouse.store.read { [stage] in try $0.appPasswords(of: stage.person.account.id) }
  }

  @Test("an administrator chooses the client, and none; another client is refused")
  func theSwitch() async throws {
    #expect(await browser.get("/account/apps").text.contains("App passwords") == false)
    let shown = await administration.get(connectionPage).text
    #expect(shown.contains("value=\"\(client.id)\"") && !shown.contains("value=\"\(client.id)\" selected"))
    #expect(!shown.contains("value=\"\(stage.client.id)\""))
    #expect(try await set(client.id).status == .seeOther)
    #expect(await administration.get(connectionPage).text.contains("value=\"\(client.id)\" selected"))
    #expect(await browser.get("/account/apps").text.contains("App passwords"))
    for wrong in [stage.client.id, "client_nobody", "x"] {
      let refused = try await set(wrong)
      #expect(refused.status == 422 && refused.text.contains("app_client-error"))
    }
    _ = try await make()
    #expect(try await passwords().count == 1)
    #expect(try await set("").status == .seeOther)
    #expect(try await passwords().isEmpty)
    let event = try #require(try await gatehouse.audit().first { $0.name == .appPasswordEnded })
    #expect(event.account == stage.person.account.id && event.client == client.client.id)
  }

  @Test("the password is shown to its maker once, and not by a HEAD")
  func shownOnce() async throws {
    _ = try await set(client.id)
    let made = try await make()
    let place = try #require(made.location?.replacing(TestInstallation.external, with: ""))
    #expect(await browser.head(place).status == .ok)
    let other = TestBrowser(gatehouse, try await gatehouse.person("Bo"))
    #expect(await other.get(place).text.contains("gh_ap_") == false)
    #expect(await browser.get(place).text.contains("<code>gh_ap_"))
    #expect(await browser.get(place).text.contains("gh_ap_") == false)
    #expect(await browser.get("/account/apps").text.contains("Not yet"))
  }

  @Test("what is not offered is refused on the page, and needs a form of our own")
  func refused() async throws {
    _ = try await set(client.id)
    let maps = stage.connection.id
    for place in [
      "", "x", "\(client.id)", "\(stage.client.id) \(maps)", "\(client.id) other", "\(client.id) \(maps) x",
    ] {
      let answer = try await make(place)
      #expect(answer.status == 422 && answer.text.contains("place-error"), "\(place)")
    }
    #expect(await browser.post("/account/app-passwords", ["place": "\(client.id) \(maps)"]).status == .forbidden)
    // Who is not connected to the service is offered nothing.
    let other = TestBrowser(gatehouse, try await gatehouse.person("Bo"))
    #expect(try await make(by: other).status == .forbidden)
    #expect(try await passwords().isEmpty)
  }

  @Test("is ended by its owner alone")
  func end() async throws {
    _ = try await set(client.id)
    _ = try await make()
    let path = "/account/app-passwords/\(try await passwords()[0].id)/end"
    let other = TestBrowser(gatehouse, try await gatehouse.person("Bo"))
    #expect(try await other.submit([:], on: "/account/apps", to: path).status == .forbidden)
    #expect(await browser.post(path, ["csrf": "x"]).status == .forbidden)
    #expect(try await passwords().count == 1)
    let answer = try await browser.submit([:], on: "/account/apps", to: path)
    #expect(await browser.follow(answer).text.contains("has ended"))
    #expect(try await passwords().isEmpty)
    #expect(try await browser.submit([:], on: "/account/apps", to: path).status == .notFound)
  }

  @Test("whoever makes one has signed in within the last five minutes; ending one needs no more than being signed in")
  func freshness() async throws {
    _ = try await set(client.id)
    let page = await browser.get("/account/apps")
    gatehouse.time.advance(by: 5 * 60)
    let place: QueryItems = ["place": "\(client.id) \(stage.connection.id)"]
    let answer = await browser.submit(place, after: page, to: "/account/app-passwords")
    #expect(answer.location == "/signin?ticket=security:apps")
    #expect(try await passwords().isEmpty)
    let stale = await browser.get("/account/apps").text
    #expect(!stale.contains("name=\"place\"") && stale.contains("/signin?ticket=security%3Aapps"))
    #expect(await browser.get("/signin?ticket=security%3Aapps").text.contains("Sign in once more"))
    #expect(SecurityPage.apps.path == "/account/apps")

    let fresh = TestBrowser(gatehouse, try await gatehouse.session(of: stage.person.account))
    #expect(try await make(by: fresh).location?.contains("ticket=") == true)
    let path = "/account/app-passwords/\(try await passwords()[0].id)/end"
    #expect(try await browser.submit([:], on: "/account/apps", to: path).status == .seeOther)
    #expect(try await passwords().isEmpty)
  }

  @Test("an administrator sees who has one and ends it, at the person and at the connection")
  func administrators() async throws {
    _ = try await set(client.id)
    for place in ["/admin/accounts/\(stage.person.account.id)", connectionPage] {
      _ = try await make()
      let page = await administration.get("\(place)/app-passwords").text
      #expect(page.contains(client.client.name) && page.contains("Not yet") && !page.contains("gh_ap_"))
      let path = "\(place)/app-passwords/\(try await passwords()[0].id)/end"
      #expect(await browser.post(path, [:]).location == "/signin?ticket=admin")
      #expect(await administration.post(path, ["csrf": "x"]).status == .forbidden)
      let answer = try await administration.submit([:], on: "\(place)/app-passwords", to: path)
      #expect(await administration.follow(answer).text.contains("has ended"))
      #expect(try await passwords().isEmpty)
      #expect(try await administration.submit([:], on: "\(place)/app-passwords", to: path).status == .notFound)
    }
    let events = try await gatehouse.audit().filter { $0.name == .appPasswordEnded }
    #expect(events.count == 2 && events.allSatisfy { $0.account == stage.person.account.id })
    #expect(events.allSatisfy { $0.origin.administrator != nil })
  }
}
