import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("The way through the layers of a URL", .timeLimit(.minutes(1)))
struct ChallengeTests {
  private let stage: VendStage
  private let browser: TestBrowser
  private let layer: String

  init() async throws {
    stage = try await VendStage(connects: false)
    browser = TestBrowser(stage.gatehouse, stage.person)
    layer = stage.portal.origin + "/server/rest/services/Traffic/FeatureServer/0"
  }

  private var gatehouse: TestInstallation { stage.gatehouse }

  private func address(_ url: String) -> String { (["resource": url] as QueryItems).appended(to: "/connect") }

  /// Presses a button of an opened page.
  private func press(_ button: String, on page: Response) async -> Response {
    var fields: QueryItems = ["do": button]
    for name in ["connection", "asked"] { fields.append(name, TestBrowser.hiddenValue(name, in: page.text)) }
    return await browser.submit(fields, after: page, to: "/connect")
  }

  /// The link that a vend gives, as a path of ours.
  private func interaction() async throws -> String {
    let refused = try await stage.get("/v1/token", ["resource": layer])
    let uri = try #require(try refused.json.string("interaction_uri"), "\(refused.text)")
    return String(uri.dropFirst(TestInstallation.external.count))
  }

  @Test("leads to what the server asks for, comes back, and says what an app gets")
  func walks() async throws {
    let page = await browser.get(address(layer))
    #expect(page.text.contains("asks for an ArcGIS token of the portal \(stage.portal.origin)."))
    #expect(page.text.contains("<bdi>Demo</bdi> answers it (ArcGIS)."))
    #expect(try await gatehouse.count("challenge") == 0, "opening a page writes nothing")
    let back = try await browser.travel(await press("continue", on: page), stage.portal)
    #expect(back.location?.hasPrefix("/connect?ticket=") == true)
    let end = await browser.follow(back)
    #expect(
      end.text.contains("<bdi>127.0.0.1</bdi> is ready") && end.text.contains("<code>X-Esri-Authorization</code>"))
    #expect(try await gatehouse.count("challenge") == 1)
  }

  @Test("asks for one typed address, and finds nothing to do for a public one")
  func address() async throws {
    #expect(await browser.get("/connect").text.contains("name=\"resource\""))
    let refused = await browser.get("/connect?resource=maps")
    #expect(refused.status == 422 && refused.text.contains("Enter a whole web address"))
    let open = await browser.get(address(stage.portal.origin + "/server/rest/services/Roads/FeatureServer/0"))
    #expect(open.text.contains("It asks for nothing: it answers anybody."))
  }

  @Test("calls nothing for strangers, for other sites, and for hosts that nobody declared")
  func callsNothing() async throws {
    let strange = await TestBrowser(gatehouse).get(address(layer))
    #expect(strange.location?.hasPrefix("/signin?ticket=challenge:url.") == true)
    browser.headers.set("sec-fetch-site", "cross-site")
    let elsewhere = await browser.get(address(layer))
    #expect(elsewhere.status == .ok && elsewhere.text.contains("value=\"\(layer)\""), "asked first")
    let asTicket = try #require(strange.location?.split(separator: "challenge:").last)
    #expect(await browser.get("/connect?ticket=\(asTicket)").text.contains("value=\"\(layer)\""), "in whichever form")
    browser.headers.set("sec-fetch-site", "none")
    let undeclared = await browser.get(address("http://127.0.0.1:9/"))
    #expect(undeclared.status == .badRequest && undeclared.text.contains("was not asked"))
    #expect(try await stage.portal.calls(of: "server.layer") == 0)
    for _ in 0..<30 { _ = await browser.get(address("http://127.0.0.1:9/")) }
    #expect(await browser.get(address(layer)).status == .ok, "what is not asked counts nothing")
    for _ in 0..<30 { _ = await browser.get(address(layer)) }
    #expect(await browser.get(address(layer)).status == 429)
  }

  @Test("takes a person who signs in first to the same address")
  func signsInFirst() async throws {
    let stranger = TestBrowser(gatehouse)
    let start = await stranger.get(address(layer))
    let ticket = try #require(start.location?.split(separator: "=").last.map(String.init))
    let account = try await gatehouse.local("Bo", role: .administrator)
    let page = await stranger.get("/signin?ticket=\(ticket)")
    let fields: QueryItems = ["username": account.username, "password": TestInstallation.password]
    let there = await stranger.follow(await stranger.submit(fields, after: page, to: "/signin"))
    #expect(there.text.contains("<code>\(layer)</code>"))
  }

  @Test("for an app: connects, asks for permission, and the same vend works")
  func forApp() async throws {
    try await gatehouse.store.write { [stage] tx in
      try tx.withdrawConsents(of: stage.person.account.id, to: stage.connection.id, at: stage.gatehouse.time.now)
    }
    let page = await browser.get(try await interaction())
    #expect(page.text.contains("<bdi>Field app</bdi> asked for"))
    let question = await browser.follow(try await browser.travel(await press("continue", on: page), stage.portal))
    #expect(question.text.contains("Allow <bdi>Field app</bdi> to use <bdi>Demo</bdi>?"))
    let ready = await browser.follow(await press("allow", on: question))
    #expect(ready.text.contains("<bdi>Field app</bdi> gets this for the address"))
    #expect(try await stage.get("/v1/token", ["resource": layer]).status == .ok)
  }

  @Test("the link of an app leads to no other address, and serves no other account")
  func boundLink() async throws {
    let link = try await interaction()
    let ticket = try #require(link.split(separator: "ticket=").last.map(String.init))
    let other: QueryItems = ["resource": stage.portal.origin + "/sharing/rest/portals/self", "ticket": ticket]
    #expect(await browser.get(other.appended(to: "/connect")).status == .badRequest)
    let bo = TestBrowser(gatehouse, try await gatehouse.person("Bo"))
    #expect(await bo.get(link).text.contains("made for another account"))
  }

  @Test("Cancel tells the app once that access was denied; Continue without gives it the server's error")
  func endings() async throws {
    for (button, title, code) in [
      ("cancel", "Cancelled", "access_denied"), ("skip", "You go on without signing in", "upstream_error"),
    ] {
      let link = try await interaction()
      _ = await press("cancel", on: await browser.get(link))
      gatehouse.time.advance(by: 1)
      let end = await press(button, on: await browser.get(link))
      #expect(end.text.contains("<h1>\(title)</h1>"), "\(end.text)")
      let told = try await stage.get("/v1/token", ["resource": layer])
      #expect(try told.error == code, "\(told.text)")
      #expect(try await stage.get("/v1/token", ["resource": layer]).error == "interaction_required")
    }
    #expect(try await stage.portal.calls(of: "authorize") == 0)
  }

  @Test("Cancel answers a waiting authorization request with access_denied")
  func authorization() async throws {
    let handle = try await gatehouse.waiting(stage.client)
    let page = await browser.get(
      (["resource": layer, "ticket": "app:\(handle)"] as QueryItems).appended(to: "/connect"))
    let answer = await press("cancel", on: page)
    #expect(answer.location?.contains("error=access_denied") == true, "\(answer.text)")
  }

  @Test("Try another way offers the next connection that covers the address, and says when there is none")
  func otherWay() async throws {
    var second = try stage.portal.connection("second", at: gatehouse.time.now)
    second.name = "Second"
    let other = second
    try await gatehouse.store.write { try $0.insert(other, clientSecret: nil) }
    let first = await browser.get(address(layer))
    #expect(first.text.contains("Continue to <bdi>Demo</bdi>") && first.text.contains("Try another way"))
    let next = await browser.follow(await press("other", on: first))
    #expect(next.text.contains("Continue to <bdi>Second</bdi>") && !next.text.contains("Try another way"))
    let none = await browser.follow(await press("other", on: next))
    #expect(none.text.contains("There is no other way"))
  }

  @Test("ends after five sign-ins that were begun")
  func exhausted() async throws {
    let first = await browser.get(address(layer))
    let rejected = await press("other", on: first)
    let second = try stage.portal.connection("second", at: gatehouse.time.now)
    try await gatehouse.store.write { try $0.insert(second, clientSecret: nil) }
    let page = await browser.follow(rejected)
    for _ in 0..<5 {
      #expect(await press("continue", on: page).location?.hasPrefix(stage.portal.origin) == true)
    }
    let end = await press("continue", on: page)
    #expect(end.status == 429 && end.text.contains("Five sign-ins did not open it"))
    #expect(await browser.follow(rejected).text.contains("Five sign-ins did not open it"))
    #expect(try await gatehouse.count("sign_in_attempt") == 5)
  }

  @Test("takes no form that its own page did not make, nor one of another browser")
  func foreign() async throws {
    let page = await browser.get(address(layer))
    let csrf = TestBrowser.hiddenValue("csrf", in: page.text)
    let ticket = TestBrowser.hiddenValue("ticket", in: page.text)
    for connection in ["other", ""] {
      let fields: QueryItems = ["csrf": csrf, "ticket": ticket, "connection": connection, "do": "continue"]
      #expect(await browser.post("/connect", fields).status == .forbidden)
    }
    let next = await press("other", on: page)
    let stolen = TestBrowser(gatehouse, stage.person)
    #expect(await stolen.get(try #require(next.location)).status == .notFound)
  }

  @Test("a token that the server does not accept is said to be refused, and is not shown again and again")
  func refused() async throws {
    try await gatehouse.connect(stage.person, to: stage.connection, at: stage.portal)
    gatehouse.time.advance(by: 5 * 60)
    await stage.portal.fault("refuse", at: "server.layer", times: 9)
    let before = try await stage.portal.calls(of: "server.layer")
    let page = await browser.get(address(layer))
    #expect(page.text.contains("did not accept the stored sign-in of Demo (ana)"), "\(page.text)")
    #expect(try await stage.portal.calls(of: "server.layer") - before == 2)
  }
}
