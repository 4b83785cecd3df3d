import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The administration: clients") struct AdminClientTests {
  private func fields(_ changes: [(String, String?)] = []) -> QueryItems {
    var values: [String: String?] = [
      "name": "Survey app", "type": "confidential", "redirect_uris": "https://app.example/back",
      "grant": "authorization_code", "scope": "vend",
    ]
    for (name, value) in changes { values[name] = value }
    var items = QueryItems()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { items.append(name, value) }
    return items
  }

  /// The secret that a page shows.
  private func secret(in page: Response) throws -> String {
    let mark = try #require(page.text.firstRange(of: "<code id=\"secret\">"), "\(page.text)")
    return String(page.text[mark.upperBound...].prefix { $0 != "<" })
  }

  private func works(_ secret: String, _ id: String, _ installation: TestInstallation) async -> Bool {
    let answer = await installation.post(
      "/oauth2/introspect", ["token": "none"], basic: (id, secret))
    return answer.status == .ok
  }

  private func stored(_ world: AdminWorld) async throws -> [Client] {
    try await world.installation.store.read { try $0.clients() }.filter { $0.id != world.client.client.id }
  }

  @Test("are registered with what was ticked; the secret is shown this once, and works")
  func register() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    var items = fields()
    for (name, value) in [
      ("grant", "refresh_token"), ("grant", "token_exchange"), ("connection", "maps"), ("connection", "maps"),
      ("raw_token", "maps"), ("raw_token", "other"),
    ] { items.append(name, value) }
    let posted = try await browser.submit(items, on: "/admin/clients/new")
    #expect(posted.status == .seeOther)
    let other = TestBrowser(world.installation, try await world.installation.administrator("Other"))
    let foreign = await other.follow(posted)
    #expect(
      foreign.status == .ok && !foreign.text.contains("Copy the secret now"), "another administrator sees nothing")
    #expect(await browser.head(try #require(posted.location)).status == .ok, "a look at the head takes nothing")
    let answer = await browser.follow(posted)
    let secret = try secret(in: answer)
    let client = try #require(try await stored(world).first)
    #expect(client.grants == [.authorizationCode, .refreshToken, .tokenExchange])
    #expect(client.permissions == [Client.Permission(connection: world.connection.id, handsOutRawTokens: true)])
    #expect(await works(secret, client.id.text, world.installation))
    let page = await browser.get("/admin/clients/\(client.id)")
    #expect(page.status == .ok)
    #expect(!page.text.contains(secret))
    let reloaded = await browser.follow(posted)
    #expect(reloaded.status == .ok && reloaded.text.contains("cannot be shown again"))
    #expect(!reloaded.text.contains(secret))
    #expect(try await stored(world).count == 1)
    #expect(try await !world.installation.contents().contains { $0.contains(secret) })
    #expect(try await world.installation.audit().first?.account == world.root.account.id)
  }

  @Test("get the raw token only where it was ticked, which it is at first")
  func rawTokens() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let form = await browser.get("/admin/clients/new")
    #expect(form.text.contains("name=\"raw_token\" value=\"maps\" checked"))
    #expect(!form.text.contains("name=\"connection\" value=\"maps\" checked"))
    var items = fields()
    items.append("connection", "maps")
    _ = await browser.submit(items, after: form, to: "/admin/clients/new")
    let client = try #require(try await stored(world).first)
    #expect(client.permissions.map(\.handsOutRawTokens) == [false])
  }

  @Test("may be given more connections than an ordinary form has fields")
  func manyConnections() async throws {
    let world = try await AdminWorld()
    let now = world.installation.time.now
    try await world.installation.store.write { tx in
      for number in 0..<100 {
        let id = try #require(ConnectionID("maps-\(number)"))
        try tx.insert(
          Connection(
            id: id, name: "Maps \(number)", kind: .oidc, origin: "https://login.example", clientID: "gatehouse",
            createdAt: now), clientSecret: nil)
      }
    }
    var items = fields()
    for number in 0..<100 { for name in ["connection", "raw_token"] { items.append(name, "maps-\(number)") } }
    let answer = try await TestBrowser(world.installation, world.root).submit(items, on: "/admin/clients/new")
    #expect(answer.status == .seeOther)
    #expect(try await stored(world).first?.permissions.count == 100)
  }

  @Test("are shown a resource for which they get a token, not merely the portal's host")
  func example() async throws {
    let stage = try await VendStage()
    let root = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let page = await root.get("/admin/clients/\(stage.client.id)/secret")
    #expect(page.text.contains("resource=&#39;\(stage.resource)&#39;") || page.text.contains("'\(stage.resource)'"))
    #expect(try await stage.get().status == .ok)
  }

  @Test("show when they were last used")
  func lastUse() async throws {
    let world = try await AdminWorld()
    let (browser, client) = (TestBrowser(world.installation, world.root), world.client)
    func isUnused(_ page: String) async -> Bool { await browser.get(page).text.contains("Never") }
    for page in ["/admin/clients", "/admin/clients/\(client.id)"] { #expect(await isUnused(page), "\(page)") }
    let answer = await world.installation.post(
      "/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
    #expect(answer.status == .ok)
    for page in ["/admin/clients", "/admin/clients/\(client.id)"] { #expect(await !isUnused(page), "\(page)") }
  }

  @Test("that are public have no secret")
  func publicClient() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let answer = await browser.follow(
      try await browser.submit(fields([("type", "public"), ("scope", nil)]), on: "/admin/clients/new"))
    #expect(answer.text.contains("The client is registered."))
    #expect(!answer.text.contains("Copy the secret now") && !answer.text.contains("cannot be shown again"))
    let client = try #require(try await stored(world).first)
    let rotated = try await browser.submit(
      [:], on: "/admin/clients/\(client.id)", to: "/admin/clients/\(client.id)/rotate")
    #expect(rotated.status == .badRequest)
  }

  @Test(
    "are refused with the mistake at its field, and nothing is stored",
    arguments: [
      ("name", " "), ("name", "field  App"), ("type", "trusted"), ("redirect_uris", "https://*.example/back"),
      ("redirect_uris", ""),
      ("grant", nil), ("grant", "password"), ("grant", "refresh_token"), ("scope", "birthday"),
      ("connection", "none"),
    ])
  func mistakes(field: String, value: String?) async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let answer = try await browser.submit(fields([(field, value)]), on: "/admin/clients/new")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"\(field)-error\""), "\(answer.text)")
    if field != "redirect_uris" { #expect(answer.text.contains("https://app.example/back</textarea>")) }
    #expect(try await stored(world).isEmpty)
  }

  /// Makes a new secret by the page that asks first, and gives it with the texts of both pages.
  private func rotated(_ id: String, _ browser: TestBrowser) async throws -> (secret: String, question: String) {
    let question = await browser.get("/admin/clients/\(id)/rotate")
    let answer = await browser.submit([:], after: question, to: "/admin/clients/\(id)/rotate")
    return (try secret(in: await browser.follow(answer)), question.text)
  }

  @Test(
    "get a new secret beside the old one, which ends after a day; a third ends the first at once, and says so first")
  func rotate() async throws {
    let world = try await AdminWorld()
    let (installation, id) = (world.installation, world.client.id)
    let browser = TestBrowser(installation, world.root)
    installation.time.advance(by: 60)
    let second = try await rotated(id, browser)
    #expect(!second.question.contains("The older secret ends at once"))
    #expect(await works(world.client.secret, id, installation))
    #expect(await works(second.secret, id, installation))
    installation.time.advance(by: 60)
    let third = try await rotated(id, browser)
    #expect(third.question.contains("The older secret ends at once"))
    #expect(await !works(world.client.secret, id, installation))
    #expect(await works(second.secret, id, installation))
    installation.time.advance(by: ChangeClient.secretOverlap)
    #expect(await !works(second.secret, id, installation))
    #expect(await works(third.secret, id, installation))
  }

  @Test(
    "get one new secret from a form that is sent twice, also in the second that made the present one",
    arguments: [0, 60])
  func sentTwice(secondsLater: Int64) async throws {
    let world = try await AdminWorld()
    let (installation, path) = (world.installation, "/admin/clients/\(world.client.id)/rotate")
    let browser = TestBrowser(installation, world.root)
    installation.time.advance(by: secondsLater)
    let question = await browser.get(path)
    #expect(await browser.submit([:], after: question, to: path).status == .seeOther)
    let again = await browser.submit([:], after: question, to: path)
    #expect(again.status == 409)
    #expect(again.text.contains("A secret was made since"))
    #expect(await works(world.client.secret, world.client.id, installation))
  }

  @Test("say that they get nothing of people's connections when nobody can sign in to them")
  func actsAlone() async throws {
    let world = try await AdminWorld()
    let alone = try await world.installation.client(grants: [.clientCredentials], connections: [world.connection.id])
    let browser = TestBrowser(world.installation, world.root)
    let words = "only where the credential is the service’s own"
    #expect(await browser.get("/admin/clients/\(alone.id)").text.contains(words))
    #expect(await !browser.get("/admin/clients/\(world.client.id)").text.contains(words))
  }

  @Test("end with their tokens when disabled, and come back when enabled")
  func disable() async throws {
    let world = try await AdminWorld()
    let (installation, id) = (world.installation, world.client.id)
    let tokens = try await installation.tokens(for: world.client, world.person)
    let browser = TestBrowser(installation, world.root)
    _ = try await browser.submit([:], on: "/admin/clients/\(id)", to: "/admin/clients/\(id)/disable")
    #expect(await !works(world.client.secret, id, installation))
    #expect(await browser.get("/admin/clients/\(id)").text.contains("Its tokens have ended for good"))
    _ = try await browser.submit([:], on: "/admin/clients/\(id)", to: "/admin/clients/\(id)/enable")
    #expect(await works(world.client.secret, id, installation))
    let refresh = await installation.post(
      "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh], basic: world.client.basic)
    #expect(refresh.status == .badRequest)
  }

  @Test("are deleted when their id is typed")
  func delete() async throws {
    let world = try await AdminWorld()
    let (browser, path) = (TestBrowser(world.installation, world.root), "/admin/clients/\(world.client.id)")
    let wrong = try await browser.submit(["confirm": "Field app"], on: path, to: "\(path)/delete")
    #expect(wrong.status == 422)
    let right = try await browser.submit(["confirm": world.client.id], on: path, to: "\(path)/delete")
    #expect(right.status == .seeOther)
    #expect(await browser.follow(right).text.contains("<bdi>Field app</bdi> was deleted."))
    #expect(await browser.get(path).status == .notFound)
  }
}
