import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The administration: connections") struct AdminConnectionTests {
  /// A filled-in form for a portal.
  private func fields(_ url: String, _ changes: [(String, String)] = []) -> QueryItems {
    var values = [
      "kind": "oauthUser", "name": "City maps", "id": "demo", "portal_url": url, "issuer": "",
      "client_id": "gatehouse-demo", "client_secret": "", "resources": "", "admission": "invited", "admitted": "",
      "refresh_token_lifetime": "", "exchange_interval": "", "federated_minutes": "", "locale": "", "page_style": "",
    ]
    for (name, value) in changes { values[name] = value }
    var items = QueryItems()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { items.append(name, value) }
    return items
  }

  private func start() async throws -> (TestInstallation, TestBrowser) {
    let installation = try await TestInstallation()
    return (installation, TestBrowser(installation, try await installation.administrator()))
  }

  @Test("are added after the portal was asked, with exactly what was typed")
  func add() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    let answer = try await browser.submit(
      fields(
        portal.origin + "/home/index.html",
        [
          ("client_secret", "s3cr3t of ours"), ("resources", "https://gis.example/server/\n\n *.gis.example \n"),
          ("admission", "listed"), ("admitted", "ana\r\nben"), ("refresh_token_lifetime", "-1"),
          ("exchange_interval", "48"), ("federated_minutes", "30"), ("locale", "sv"), ("page_style", "dark"),
          ("force_login", "1"),
        ]), on: "/admin/connections/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let id = try #require(ConnectionID("demo"))
    let stored = try #require(try await installation.store.read { try $0.connection(id) })
    #expect(stored.origin == portal.origin)
    #expect(stored.hasClientSecret)
    #expect(stored.resources.map(\.text) == ["https://gis.example/server", "*.gis.example"])
    #expect(stored.admission == .listed && stored.admitted == ["ana", "ben"])
    #expect(stored.reach.hosts == [portal.hostAndPort])
    #expect(
      stored.portal
        == PortalOptions(
          refreshTokenMinutes: -1, exchangeBelowSeconds: 48 * 3600, federatedTokenMinutes: 30, locale: "sv",
          style: "dark", forcesLogin: true))
    let page = await browser.follow(answer)
    #expect(page.text.contains("The connection was added."))
    #expect(page.text.contains("http://localhost:8080/callback/demo"))
    #expect(!page.text.contains("s3cr3t of ours"))
    let again = await browser.get("/admin/connections/demo")
    #expect(!again.text.contains("The connection was added."))
    #expect(try await installation.auditNames().contains(.connectionCreated))
    await portal.stop()
  }

  @Test(
    "are refused with the mistake at its field and all that was typed but the secret",
    arguments: [
      ("id", "New!"), ("id", "admin"), ("name", " "), ("client_id", ""), ("kind", "saml"), ("admission", ""),
      ("resources", "https://ok.example\nnot a url"), ("portal_url", ""), ("portal_url", "http://127.0.0.1:1/portal"),
      ("portal_url", "ftp://maps.example"), ("refresh_token_lifetime", "soon"), ("exchange_interval", "999999999999"),
      ("federated_minutes", "0"), ("locale", "x y"), ("page_style", "pink"),
    ])
  func mistakes(field: String, value: String) async throws {
    let (installation, browser) = try await start()
    let answer = try await browser.submit(
      fields("http://127.0.0.1:1", [("client_secret", "s3cr3t of ours"), (field, value)]),
      on: "/admin/connections/new")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"\(field)-error\""), "\(answer.text)")
    #expect(answer.text.contains("id=\"client_secret-error\""))
    #expect(answer.text.contains(field == "name" ? "value=\"demo\"" : "value=\"City maps\""))
    #expect(!answer.text.contains("s3cr3t of ours"))
    #expect(try await installation.store.read { try $0.connections().isEmpty })
  }

  @Test("to an OpenID provider are added after its discovery document was read")
  func addProvider() async throws {
    let (installation, browser) = try await start()
    let provider = try AdminProvider()
    let typed = [("kind", "oidc"), ("issuer", provider.issuer + "/"), ("locale", "x y")]
    let answer = try await browser.submit(fields("", typed), on: "/admin/connections/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let stored = try #require(try await installation.store.read { try $0.connections().first })
    #expect(stored.kind == .oidc)
    #expect(stored.origin == provider.issuer)
    #expect(stored.portal == PortalOptions())
    #expect(await browser.get("/admin/connections/demo").text.contains("OpenID Connect"))
    await provider.stop()
  }

  @Test("to an OpenID provider that does not answer are refused at its field")
  func unreachableProvider() async throws {
    let (_, browser) = try await start()
    let answer = try await browser.submit(
      fields("", [("kind", "oidc"), ("issuer", "http://127.0.0.1:1")]), on: "/admin/connections/new")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"issuer-error\""))
  }

  @Test("keep the one that has the id already")
  func taken() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    try await installation.connection(to: portal)
    let answer = try await browser.submit(fields(portal.origin), on: "/admin/connections/new")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"id-error\""))
    #expect(try await installation.store.read { try $0.connections().map(\.name) } == ["Demo"])
    await portal.stop()
  }

  @Test("keep their names apart")
  func sameName() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    try await installation.connection(to: portal)
    let answer = try await browser.submit(
      fields(portal.origin, [("id", "second"), ("name", "demo")]), on: "/admin/connections/new")
    #expect(answer.status == 422 && answer.text.contains("id=\"name-error\""))
    #expect(try await installation.store.read { try $0.connections().count } == 1)
    await portal.stop()
  }

  @Test("say when another one covers the same, and are added all the same")
  func overlap() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    try await installation.connection(to: portal)
    let words = "covers the same URLs"
    #expect(await !browser.get("/admin/connections/demo").text.contains(words))
    let answer = try await browser.submit(fields(portal.origin, [("id", "second")]), on: "/admin/connections/new")
    #expect(await browser.follow(answer).text.contains("<bdi>Demo</bdi></a> \(words)"))
    await portal.stop()
  }

  @Test("take from the form what the command line takes")
  func reach() async throws {
    let (installation, browser) = try await start()
    let provider = try AdminProvider()
    let typed = [
      ("kind", "oidc"), ("issuer", provider.issuer), ("networks", "10.20.0.0/16\r\nfd00::/8"), ("allow_http", "1"),
      ("scopes", "openid  reports"),
    ]
    let answer = try await browser.submit(fields("", typed), on: "/admin/connections/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let stored = try #require(try await installation.store.read { try $0.connections().first })
    #expect(stored.reach.networks == ["10.20.0.0/16", "fd00::/8"] && stored.reach.allowsHTTP)
    #expect(stored.scopes == ["openid", "reports"])
    let page = await browser.follow(answer).text
    for text in ["<code>fd00::/8</code>", "<dt>Plain http</dt>", "<code>reports</code>"] {
      #expect(page.contains(text), "\(text)")
    }
    let wrong = try await browser.submit(
      fields("", [("kind", "oidc"), ("networks", "10.20.0.1/16")]), on: "/admin/connections/new")
    #expect(wrong.status == 422 && wrong.text.contains("id=\"networks-error\""))
    await provider.stop()
  }

  @Test("stop and go on at a click")
  func disable() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    _ = try await browser.submit([:], on: "/admin/connections/maps", to: "/admin/connections/maps/disable")
    let page = await browser.get("/admin/connections/maps")
    #expect(page.text.contains("Enable connection"))
    #expect(try await world.installation.store.read { try $0.connection(world.connection.id)?.isDisabled } == true)
    _ = try await browser.submit([:], on: "/admin/connections/maps", to: "/admin/connections/maps/enable")
    #expect(try await world.installation.store.read { try $0.connection(world.connection.id)?.isDisabled } == false)
  }

  @Test("are deleted only when their id is typed", arguments: ["", "Maps", "map", "maps.", "demo"])
  func confirmation(typed: String) async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let answer = try await browser.submit(
      ["confirm": typed], on: "/admin/connections/maps", to: "/admin/connections/maps/delete")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"confirm-error\""))
    #expect(try await world.installation.store.read { try $0.connection(world.connection.id)?.isDisabled } == false)
  }

  @Test("revoke at the portal what everybody held, before they are deleted")
  func deleteRevokes() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    let connection = try await installation.connection(to: portal)
    let people = [try await installation.person("Ana"), try await installation.person("Ben")]
    try await installation.connect(people[0], to: connection, at: portal, as: "ana")
    try await installation.connect(people[1], to: connection, at: portal, as: "ben")
    let client = try await installation.client(connections: [connection.id])
    _ = try await installation.tokens(for: client, people[0])
    let answer = try await browser.submit(
      ["confirm": " demo "], on: "/admin/connections/demo", to: "/admin/connections/demo/delete")
    #expect(answer.status == .seeOther, "\(answer.text)")
    #expect(try await portal.calls(of: "revokeToken") >= 2)
    #expect(try await installation.store.read { try $0.connection(connection.id) } == nil)
    let consent = try await installation.store.read { try $0.consent(of: people[0].account.id, for: client.client.id) }
    #expect(consent?.connections == [])
    let names = try await installation.auditNames()
    #expect(names.filter { $0 == .disconnected }.count == 2)
    #expect(names.filter { $0 == .upstreamRevoked }.count == 2)
    #expect(names.first == .connectionDeleted)
    let list = await browser.follow(answer)
    #expect(list.text.contains("was deleted</b>"))
    #expect(list.text.contains("<bdi>Demo</bdi>"))
    await portal.stop()
  }

  @Test("stay, disabled and empty, while the portal has not revoked; then they can be deleted")
  func deleteWaits() async throws {
    let (installation, browser) = try await start()
    let portal = try TestPortal()
    let connection = try await installation.connection(to: portal)
    try await installation.connect(try await installation.person(), to: connection, at: portal)
    await portal.fault("status", at: "revokeToken", value: 503, times: 1)
    let refused = try await browser.submit(
      ["confirm": "demo"], on: "/admin/connections/demo", to: "/admin/connections/demo/delete")
    #expect(refused.status == 409)
    #expect(refused.text.contains("The connection was not deleted"))
    #expect(refused.text.contains("1 of their tokens no longer work"), "\(refused.text)")
    let stored = try await installation.store.read { try $0.connection(connection.id) }
    #expect(stored?.isDisabled == true)
    #expect(try await installation.store.read { try $0.credentialHealth(at: installation.time.now).isEmpty })
    let early = try await refusal {
      try await ChangeConnection(installation.here)(.delete, connection.id, by: nil, TestInstallation.visitor)
    }
    #expect(early?.code == .temporarilyUnavailable)

    installation.time.advance(by: 60)
    try await DeliverRevocations(installation.here)()
    let root = try await installation.administrator()
    let done = try await TestBrowser(installation, root).submit(
      ["confirm": "demo"], on: "/admin/connections/demo", to: "/admin/connections/demo/delete")
    #expect(done.status == .seeOther, "\(done.text)")
    #expect(try await installation.store.read { try $0.connections().isEmpty })
    await portal.stop()
  }

  private func refusal(_ body: () async throws -> Connection) async throws -> Refusal? {
    do {
      _ = try await body()
      return nil
    } catch let refusal as Refusal { return refusal }
  }

  @Test("never say that something was done because a link says so")
  func notices() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let invented = await browser.get("/admin/connections?deleted=Your%20password")
    #expect(invented.status == .ok)
    #expect(!invented.text.contains("was deleted"))
    let elsewhere = world.installation.here.signed("Maps", for: "deleted /admin/clients")
    let moved = await browser.get("/admin/connections?deleted=\(elsewhere)")
    #expect(!moved.text.contains("was deleted"))
  }

  @Test("that are not there answer 404", arguments: ["/admin/connections/none", "/admin/connections/No%20such"])
  func unknown(path: String) async throws {
    let world = try await AdminWorld()
    let answer = await TestBrowser(world.installation, world.root).get(path)
    #expect(answer.status == .notFound)
  }
}
