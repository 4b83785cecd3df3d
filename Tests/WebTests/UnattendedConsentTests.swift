import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("Allowing an app to go on while one is away")
struct UnattendedConsentTests {
  private static let box = "name=\"unattended\" value=\"demo\""
  private let stage: UnattendedStage
  private let browser: TestBrowser

  init() async throws {
    stage = try await UnattendedStage(allows: nil)
    browser = TestBrowser(stage.gatehouse, stage.person)
  }

  private func page(_ scope: String, prompt: String? = nil) async throws -> Response {
    let more = prompt.map { [("prompt", $0)] } ?? []
    let handle = try await stage.gatehouse.waiting(stage.client, scope: scope, more: more)
    return await browser.get("/consent?ticket=\(handle)")
  }

  private func consent() async throws -> Consent? {
    let (account, client) = (stage.person.account.id, stage.client.client.id)
    return try await stage.gatehouse.store.read { try $0.consent(of: account, for: client) }
  }

  @Test("is a choice of its own for each service, not ticked, and asked by who asks for it alone")
  func choice() async throws {
    #expect(try await !page("vend openid").text.contains(Self.box))
    let page = try await page("vend vend:unattended")
    #expect(page.text.contains(Self.box + ">") && page.text.contains("Also use it while you are not here"))
    let answer = await browser.submit(["answer": "allow", "connection": "demo"], after: page, to: "/consent")
    #expect(answer.location?.contains("code=") == true, "\(answer.text)")
    #expect(try await consent()?.connections == [stage.connection.id])
    #expect(try await consent()?.unattended == [])
    #expect(try await stage.exchange().error == "invalid_request")
    // What was answered is not asked again, unless the app wants everything decided anew.
    #expect(try await self.page("vend vend:unattended").location?.contains("code=") == true)
    let again = try await self.page("vend vend:unattended", prompt: "consent")
    let given = await browser.submit(
      ["answer": "allow", "connection": "demo", "unattended": "demo"], after: again, to: "/consent")
    #expect(given.location?.contains("code=") == true)
    #expect(try await consent()?.unattended == [stage.connection.id])
    #expect(try await stage.exchange().status == .ok)
    let event = try #require(try await stage.gatehouse.audit().first { $0.name == .consentGiven })
    #expect(event.detail == "unattended use of demo")
    let third = try await self.page("vend vend:unattended", prompt: "consent")
    #expect(third.text.contains(Self.box + " checked"), "what was allowed is shown")
  }

  @Test("goes with the service that it is for, and is taken for none that was not offered")
  func serviceToo() async throws {
    let page = try await page("vend vend:unattended")
    var fields: QueryItems = ["answer": "allow", "unattended": "demo"]
    #expect(await browser.submit(fields, after: page, to: "/consent").status == 422)
    fields.append("connection", "other")
    let answer = await browser.submit(fields, after: page, to: "/consent")
    #expect(answer.status == 422 && answer.text.contains("Tick the service, too"))
    #expect(try await consent() == nil)
    let unpinned = stage.client.client.with(
      stage.client.client.options, [.init(connection: stage.connection.id, handsOutRawTokens: true)])
    try await stage.gatehouse.store.write { try $0.update(unpinned) }
    let other = try await self.page("vend vend:unattended")
    #expect(!other.text.contains(Self.box))
    let sneaked = await browser.submit(
      ["answer": "allow", "connection": "demo", "unattended": "demo"], after: other, to: "/consent")
    #expect(sneaked.status == .seeOther)
    #expect(try await consent()?.unattended == [])
  }

  @Test("is asked alone where the services were allowed before")
  func further() async throws {
    let first = try await page("vend openid")
    _ = await browser.submit(["answer": "allow", "connection": "demo"], after: first, to: "/consent")
    let page = try await page("vend openid vend:unattended")
    #expect(page.text.contains("You allowed it before") && page.text.contains(Self.box + ">"))
    #expect(!page.text.contains("name=\"connection\""))
    let answer = await browser.submit(["answer": "allow", "unattended": "demo"], after: page, to: "/consent")
    #expect(answer.location?.contains("code=") == true, "\(answer.text)")
    #expect(try await consent()?.connections == [stage.connection.id])
    #expect(try await consent()?.unattended == [stage.connection.id])
    // What asks for something else leaves it.
    _ = try await self.page("vend openid")
    #expect(try await consent()?.unattended == [stage.connection.id])
  }

  @Test("means nothing without the services, at whichever endpoint it is asked")
  func alone() async throws {
    let answer = await stage.gatehouse.send(
      .get, stage.gatehouse.authorization(stage.client, scope: "vend:unattended").appended(to: "/oauth2/authorize"))
    #expect(answer.location?.contains("error=invalid_scope") == true)
    for (path, fields) in [
      ("/oauth2/device_authorization", ["scope": "vend:unattended"] as QueryItems),
      ("/oauth2/token", ["grant_type": "client_credentials", "scope": "vend vend:unattended"]),
    ] {
      let answer = await stage.gatehouse.post(path, fields, basic: stage.client.basic)
      #expect(try answer.error == "invalid_scope", "\(path)")
    }
    let own = await stage.gatehouse.post(
      "/oauth2/token", ["grant_type": "client_credentials"], basic: stage.client.basic)
    #expect(try own.json.string("scope") == "vend openid")
  }

  @Test("stands under Apps, and is taken back there, alone or with everything")
  func withdrawn() async throws {
    try await stage.allow(unattended: [stage.connection.id])
    let path = "/account/apps/\(stage.client.id)"
    #expect(await browser.get("/account/apps").text.contains("Also while you are not here"))
    let page = await browser.get(path)
    #expect(page.text.contains("name=\"only\" value=\"unattended\""))
    let done = await browser.follow(await browser.submit(["only": "unattended"], after: page, to: path))
    #expect(done.text.contains("gets nothing more while you are not here"))
    #expect(!done.text.contains("Use some of them while you are not here"), "it is said of nothing any more")
    #expect(try await consent()?.unattended == [])
    #expect(try await consent()?.connections == [stage.connection.id], "what else was allowed stays")
    #expect(try await stage.exchange().error == "invalid_request")
    #expect(await !browser.get(path).text.contains("name=\"only\""))
    #expect(await browser.submit(["only": "unattended"], after: page, to: path).status == .notFound)
    let event = try #require(try await stage.gatehouse.audit().first { $0.name == .consentWithdrawn })
    #expect(event.detail == "unattended use alone")
  }

  @Test("stays when another service is allowed, and goes with the one whose account changes")
  func connections() async throws {
    try await stage.allow(unattended: [stage.connection.id])
    let (account, id) = (stage.person.account.id, stage.connection.id)
    let link = stage.gatehouse.link(for: account, stage.client, stage.connection)
    let page = await browser.get(link)
    _ = await browser.submit(["answer": "allow"], after: page, to: "/connect/\(id)")
    #expect(try await consent()?.unattended == [id])
    try await stage.gatehouse.store.write { [stage] in
      try $0.withdrawConsents(of: account, to: id, at: stage.gatehouse.time.now)
    }
    #expect(try await consent()?.unattended == [])
  }
}
