import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("Taking back what an app may do")
struct AllowedAppsTests {
  @Test("lists the app with what it may do, and ends its tokens, its refreshing and its vending at once")
  func withdraw() async throws {
    let stage = try await VendStage()
    let (gatehouse, client) = (stage.gatehouse, stage.client)
    let browser = TestBrowser(gatehouse, stage.person)
    let tokens = try await gatehouse.tokens(for: client, stage.person)
    let unredeemed = try await gatehouse.code(for: client, stage.person)
    #expect(try await stage.get().status == .ok)

    let list = await browser.get("/account/apps")
    #expect(list.text.contains("<bdi>Field app</bdi>") && list.text.contains("<bdi>Demo</bdi>"))
    #expect(!list.text.contains("Not yet"))
    let answer = try await browser.submit([:], on: "/account/apps/\(client.id)")
    #expect(answer.status == .seeOther)
    let after = await browser.follow(answer)
    #expect(after.text.contains("can no longer act for you") && after.text.contains("No app may act for you"))

    #expect(try await gatehouse.introspect(stage.access, client).bool("active") == false)
    #expect(try await gatehouse.introspect(tokens.refresh, client).bool("active") == false)
    #expect(try await stage.get().status == .unauthorized)
    let refreshed = await gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh], basic: client.basic)
    #expect(try refreshed.error == "invalid_grant")
    let redeemed = await gatehouse.post("/oauth2/token", gatehouse.redemption(unredeemed), basic: client.basic)
    #expect(try redeemed.error == "invalid_grant")
    let event = try #require(try await gatehouse.audit().first { $0.name == .consentWithdrawn })
    #expect(event.account == stage.person.account.id && event.client == client.client.id)
  }

  @Test("leaves other people's and other apps' tokens alone")
  func others() async throws {
    let gatehouse = try await TestInstallation()
    let (one, other) = (try await gatehouse.client(), try await gatehouse.client())
    let (ana, bo) = (try await gatehouse.person(), try await gatehouse.person("Bo"))
    _ = try await gatehouse.tokens(for: one, ana)
    let elsewhere = try await gatehouse.tokens(for: other, ana)
    let bos = try await gatehouse.tokens(for: one, bo)
    _ = try await TestBrowser(gatehouse, ana).submit([:], on: "/account/apps/\(one.id)")
    #expect(try await gatehouse.introspect(elsewhere.access, other).bool("active") == true)
    #expect(try await gatehouse.introspect(bos.access, one).bool("active") == true)
    #expect(await TestBrowser(gatehouse, ana).get("/account/apps/\(one.id)").status == .notFound)
    #expect(await TestBrowser(gatehouse, bo).get("/account/apps/\(one.id)").status == .ok)
  }

  @Test("asks again afterwards, and needs a form of our own")
  func asksAgain() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let person = try await gatehouse.person()
    _ = try await gatehouse.tokens(for: client, person)
    let browser = TestBrowser(gatehouse, person)
    #expect(await browser.post("/account/apps/\(client.id)", ["csrf": "x"]).status == .forbidden)
    _ = try await browser.submit([:], on: "/account/apps/\(client.id)")
    let page = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))")
    #expect(page.status == .ok)
    #expect(page.text.contains("take it back at any time"))
  }

  @Test("a page says only what we signed", arguments: ["Evil", "RXZpbA.x.y"])
  func notice(text: String) async throws {
    let gatehouse = try await TestInstallation()
    let page = await TestBrowser(gatehouse, try await gatehouse.person()).get("/account/apps?withdrawn=\(text)")
    #expect(page.status == .ok)
    #expect(!page.text.contains("can no longer act"))
  }
}
