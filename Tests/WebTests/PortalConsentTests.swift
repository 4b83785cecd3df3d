import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Allowing an app")
struct PortalConsentTests {
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

  @Test("asks once: what, for whom, and where the answer goes")
  func asks() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let page = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))")
    for text in [
      "Allow <bdi>Field app</bdi> to act for you?", "You are signed in as <bdi>Ana</bdi>", "<bdi>app.example</bdi>",
      "value=\"demo\"><span><bdi>Demo</bdi>", "You have not connected <bdi>Demo</bdi> yet",
    ] {
      #expect(page.text.contains(text), "\(text)")
    }
    #expect(page.headers["content-security-policy"]?.contains("form-action 'self' https://app.example;") == true)
  }

  @Test("says each scope in words, and none that was not asked for")
  func words() async throws {
    let words = [
      "openid": "Recognise you when you come back", "profile": "See your name and user name",
      "offline_access": "Stay signed in when you are away",
      "vend": "Use the services you choose below",
    ]
    let client = try await gatehouse.client(
      scope: "vend openid profile offline_access", connections: [connection.id])
    for scope in ["openid", "openid profile", "openid offline_access", "vend"] {
      let page = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client, scope: scope))")
      let asked = scope.split(separator: " ").map(String.init)
      for (word, text) in words { #expect(page.text.contains(text) == asked.contains(word), "\(scope): \(word)") }
    }
  }

  @Test("says for how long it holds, and how long the app goes on without the person")
  func lasts() async throws {
    let passing = try await gatehouse.client(grants: [.authorizationCode], scope: "openid")
    let staying = try await gatehouse.client(
      grants: [.authorizationCode, .refreshToken], scope: "openid offline_access")
    let cases = [
      (passing, "openid", "10 minutes at most, and not after you sign out here"),
      (staying, "openid", "30 days at most, and not after you sign out here"),
      (staying, "openid offline_access", "30 days at most, also when you have signed out;"),
    ]
    for (client, scope, words) in cases {
      let page = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client, scope: scope))")
      #expect(page.text.contains("Until you take it back. The app can go on for \(words)"), "\(scope)")
    }
  }

  @Test("sends the code to the app, which may use what was ticked")
  func allows() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let handle = try await gatehouse.waiting(client)
    let answer = try await browser.submit(
      ["answer": "allow", "connection": "demo"], on: "/consent?ticket=\(handle)")
    #expect(answer.status == .seeOther)
    #expect(answer.location?.hasPrefix(TestClient.redirectURI + "?code=") == true)
    #expect(answer.location?.contains("&state=a%20state&iss=") == true)
    let (account, app) = (person.account.id, client.client.id)
    let consent = try await gatehouse.store.read { try $0.consent(of: account, for: app) }
    #expect(consent?.connections == [connection.id])
    let again = await browser.get("/consent?ticket=\(handle)")
    #expect(again.status == .notFound, "an answered request is over")
    let bare = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))")
    #expect(bare.text.contains("value=\"demo\" checked"), "the app would get nothing, so the page says so")
    try await gatehouse.connect(person, to: connection, at: portal)
    let next = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))")
    #expect(next.location?.contains("?code=") == true, "what was allowed is not asked again")
  }

  @Test("leads to a service that is not connected yet, and back")
  func connectsFirst() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let page = "/consent?ticket=\(try await gatehouse.waiting(client))"
    let path = try #require(await browser.get(page).text.firstMatch(of: /href="(\/connect\/demo\?ticket=[^"]+)"/)?.1)
    let question = await browser.get(String(path))
    #expect(question.text.contains("href=\"\(page)\">Not now</a>"))
    gatehouse.time.advance(by: 1)
    let away = await browser.submit([:], after: question, to: "/connect/demo")
    let back = try await browser.travel(away, portal)
    #expect(back.location == page)
    let consent = await browser.follow(back)
    #expect(consent.status == .ok && !consent.text.contains("You have not connected"))
    #expect(consent.text.contains("value=\"demo\" checked"), "it was connected for the app")
    gatehouse.time.advance(by: 1)
    let later = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))")
    #expect(!later.text.contains(" checked"), "what was connected before is a choice of its own")
    #expect(await TestBrowser(gatehouse).get(String(path)).location?.hasPrefix("/signin?ticket=app:") == true)
  }

  @Test("tells the app of a refusal, and allows nothing", arguments: ["deny", "", "Allow"])
  func denies(answer: String) async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let page = "/consent?ticket=\(try await gatehouse.waiting(client))"
    let response = try await browser.submit(["answer": answer, "connection": "demo"], on: page)
    #expect(response.location?.contains("?error=access_denied&") == true)
    #expect(try await gatehouse.count("consent") == 0)
  }

  @Test("wants at least one service ticked, and takes none that the app was not given")
  func choices() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let page = "/consent?ticket=\(try await gatehouse.waiting(client))"
    let answer = try await browser.submit(["answer": "allow"], on: page)
    #expect(answer.status == 422)
    let fieldset = answer.text.split(separator: "<fieldset").last?.split(separator: "</fieldset>").first
    #expect(fieldset?.contains("Tick at least one service, or press “Do not allow”.") == true, "beside the boxes")
    _ = await browser.submit(["answer": "allow", "connection": "other"], after: answer, to: "/consent")
    let (account, app) = (person.account.id, client.client.id)
    let consent = try await gatehouse.store.read { try $0.consent(of: account, for: app) }
    #expect(consent?.connections == [])
  }

  @Test("a form sent with the ticket of another tab is refused")
  func swapped() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let page = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))")
    let other = try await gatehouse.waiting(try await gatehouse.client(connections: [connection.id]))
    let fields: QueryItems = [
      "answer": "allow", "connection": "demo", "ticket": other, "csrf": TestBrowser.hiddenValue("csrf", in: page.text),
    ]
    #expect(await browser.post("/consent", fields).status == .forbidden)
    #expect(try await gatehouse.count("consent") == 0)
  }

  @Test("goes on in two tabs of one browser, each with its own request, in any order")
  func tabs() async throws {
    let clients = [
      try await gatehouse.client(connections: [connection.id]),
      try await gatehouse.client(redirectURI: "https://other.example/back", connections: [connection.id]),
    ]
    var pages: [Response] = []
    for client in clients {
      pages.append(await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))"))
    }
    for (page, client) in zip(pages, clients).reversed() {
      let answer = await browser.submit(["answer": "allow", "connection": "demo"], after: page, to: "/consent")
      #expect(answer.location?.hasPrefix(client.client.redirectURIs[0].text + "?code=") == true, "\(answer.text)")
    }
  }

  @Test("signs a stranger in first, and a form from before the sign-in does not work after it")
  func stranger() async throws {
    let handle = try await gatehouse.waiting(try await gatehouse.client(connections: [connection.id]))
    let stranger = TestBrowser(gatehouse)
    #expect(await stranger.get("/consent?ticket=\(handle)").location == "/signin?ticket=app:\(handle)")
    let page = await browser.get("/consent?ticket=\(handle)")
    let renewed = TestBrowser(
      gatehouse, cookies: browser.cookies.merging(try await gatehouse.session(of: person.account).cookies) { $1 })
    let fields: QueryItems = ["answer": "allow", "connection": "demo"]
    #expect(await renewed.submit(fields, after: page, to: "/consent").status == .forbidden)
  }

  @Test("lets the form lead to an app's own scheme")
  func privateScheme() async throws {
    let client = try await gatehouse.client(.public, redirectURI: "com.example.field:/back")
    let page = await browser.get("/consent?ticket=\(try await gatehouse.waiting(client))")
    #expect(page.headers["content-security-policy"]?.contains("form-action 'self' com.example.field:;") == true)
  }

  @Test(
    "refuses what is no handle",
    arguments: ["", "?ticket=", "?ticket=x", "?ticket=//evil.example", "?ticket=a&ticket=b"])
  func noHandle(query: String) async throws {
    let page = await browser.get("/consent\(query)")
    #expect([400, 404].contains(page.status.code))
    #expect(!page.text.contains("evil"))
  }
}
