import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("An app that asks for more than before")
struct FurtherConsentTests {
  private let stage: VendStage
  private let client: TestClient
  private let browser: TestBrowser

  init() async throws {
    stage = try await VendStage()
    client = try await stage.gatehouse.client(scope: "vend openid profile", connections: [stage.connection.id])
    browser = TestBrowser(stage.gatehouse, stage.person)
  }

  private func page(_ scope: String, prompt: String? = nil) async throws -> Response {
    let more = prompt.map { [("prompt", $0)] } ?? []
    return await browser.get("/consent?ticket=\(try await stage.gatehouse.waiting(client, scope: scope, more: more))")
  }

  private func consent() async throws -> Consent? {
    let (account, client) = (stage.person.account.id, client.client.id)
    return try await stage.gatehouse.store.read { try $0.consent(of: account, for: client) }
  }

  @Test("is asked about that alone, and the page says what stays; what was chosen before stays")
  func more() async throws {
    _ = try await stage.gatehouse.code(for: client, stage.person, scope: "vend openid")
    let page = try await page("vend openid profile")
    let parts = page.text.split(separator: "You allowed it before")
    #expect(page.status == .ok && parts.count == 2)
    #expect(page.text.contains("Allow <bdi>Field app 2</bdi> to do more?"))
    #expect(parts.first?.contains("See your name") == true && parts.first?.contains("Recognise you") == false)
    #expect(parts.last?.contains("Recognise you") == true && parts.last?.contains("<bdi>Demo</bdi>") == true)
    #expect(!page.text.contains("name=\"connection\""))
    let answer = await browser.submit(["answer": "allow"], after: page, to: "/consent")
    #expect(answer.location?.contains("code=") == true, "\(answer.text)")
    let consent = try await consent()
    #expect(Set(consent?.scope.words ?? []) == ["vend", "openid", "profile"])
    #expect(consent?.connections == [stage.connection.id])
  }

  @Test("An answer restores nothing that was taken back after the page was opened")
  func stale() async throws {
    _ = try await stage.gatehouse.code(for: client, stage.person, scope: "vend openid")
    let page = try await page("vend openid profile")
    _ = try await WithdrawConsent(stage.gatehouse.here)(
      client.client.id, by: stage.person.account.id, TestInstallation.visitor)
    let answer = await browser.submit(["answer": "allow", "connection": "demo"], after: page, to: "/consent")
    #expect(answer.status == 422 && answer.text.contains("has changed since you opened this page"))
    #expect(!answer.text.contains("You allowed it before"), "it asks for everything now")
    #expect(try await consent() == nil)
    let again = await browser.submit(["answer": "allow", "connection": "demo"], after: answer, to: "/consent")
    #expect(again.location?.contains("code=") == true, "\(again.text)")
  }

  @Test("chooses its services when it asks for them first")
  func services() async throws {
    _ = try await stage.gatehouse.code(for: client, stage.person, scope: "openid")
    let page = try await page("openid vend")
    #expect(page.text.contains("You allowed it before") && page.text.contains("name=\"connection\" value=\"demo\""))
    let none = await browser.submit(["answer": "allow"], after: page, to: "/consent")
    #expect(none.status == 422)
    let answer = await browser.submit(["answer": "allow", "connection": "demo"], after: page, to: "/consent")
    #expect(answer.location?.contains("code=") == true)
    #expect(try await consent()?.connections == [stage.connection.id])
  }

  @Test("by prompt=consent lets everything be decided again")
  func everything() async throws {
    _ = try await stage.gatehouse.code(for: client, stage.person, scope: "vend openid")
    let page = try await page("vend openid profile", prompt: "consent")
    #expect(!page.text.contains("You allowed it before") && page.text.contains("name=\"connection\" value=\"demo\""))
  }

  @Test("of a service that it may use since, by the link that it was given, is asked about this service alone")
  func connection() async throws {
    let gatehouse = stage.gatehouse
    var second = try stage.portal.connection("second", at: gatehouse.time.now)
    second.resources = [try #require(ResourcePattern("https://second.example"))]
    let made = second
    try await gatehouse.store.write { try $0.insert(made, clientSecret: nil) }
    let app = try await gatehouse.client(connections: [stage.connection.id, made.id])
    _ = try await DecideConsent(gatehouse.here).allow(
      try await gatehouse.waiting(app), connections: [made.id], stage.person.signedIn, TestInstallation.visitor)
    let link = gatehouse.link(for: stage.person.account.id, app, stage.connection)
    let page = await browser.get(link)
    #expect(page.text.contains("Allow <bdi>\(app.client.name)</bdi> to use"))
    let path = "/connect/\(stage.connection.id)"
    let answer = await browser.submit(["answer": "allow"], after: page, to: path)
    #expect([200, 303].contains(answer.status.code))
    let account = stage.person.account.id
    let consent = try await gatehouse.store.read { try $0.consent(of: account, for: app.client.id) }
    #expect(consent?.connections == [made.id, stage.connection.id])
  }
}
