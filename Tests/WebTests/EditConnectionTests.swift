import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Changing a connection in the dashboard") struct EditConnectionTests {
  private let installation: TestInstallation
  private let browser: TestBrowser
  private let before: Connection

  init() async throws {
    installation = try await TestInstallation()
    browser = TestBrowser(installation, try await installation.administrator())
    var connection = Connection(
      id: try #require(ConnectionID("maps")), name: "Maps", kind: .oauthUser, origin: "https://maps.example/portal",
      clientID: "gatehouse", createdAt: installation.time.now)
    connection.resources = [try #require(ResourcePattern("https://maps.example/portal"))]
    connection.portal.appPasswordClient = ClientID(random: "app")
    before = connection
    try await installation.store.write { [connection] in try $0.insert(connection, clientSecret: nil) }
  }

  private let path = "/admin/connections/maps/edit"

  private func fields(_ changes: [(String, String)] = []) -> QueryItems {
    var values = [
      "name": "Maps", "resources": "https://maps.example/portal", "admission": "invited", "admitted": "",
      "networks": "", "client_secret": "", "refresh_token_lifetime": "", "exchange_interval": "24",
      "federated_minutes": "60", "locale": "", "page_style": "",
    ]
    for (name, value) in changes { values[name] = value }
    var items = QueryItems()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { items.append(name, value) }
    return items
  }

  private func stored(_ id: String = "maps") async throws -> Connection {
    let id = try #require(ConnectionID(id))
    return try #require(try await installation.store.read { try $0.connection(id) })
  }

  @Test("shows what counts, and saving it unchanged changes nothing")
  func unchanged() async throws {
    #expect(await browser.get("/admin/connections/maps").text.contains("href=\"\(path)\""))
    let page = await browser.get(path)
    #expect(page.text.contains("value=\"Maps\"") && page.text.contains("https://maps.example/portal</textarea>"))
    let answer = try await browser.submit(fields(), on: path)
    #expect(answer.status == .seeOther, "\(answer.text)")
    #expect(await browser.follow(answer).text.contains("The changes were saved."))
    #expect(try await stored() == before)
    #expect(try await !installation.auditNames().contains(.connectionChanged))
  }

  @Test("changes what was typed and nothing else")
  func changes() async throws {
    let typed = [
      ("name", "City maps"), ("resources", "https://maps.example/portal\n*.gis.example"), ("networks", "10.0.0.0/8"),
      ("allow_http", "1"), ("admission", "listed"), ("admitted", "ana\nben"), ("client_secret", "s3cr3t of ours"),
      ("refresh_token_lifetime", "-1"), ("exchange_interval", "48"), ("federated_minutes", "30"), ("locale", "sv"),
      ("page_style", "dark"), ("force_login", "1"), ("kind", "oidc"), ("client_id", "other"), ("scopes", "openid"),
      ("portal_url", "https://evil.example"), ("token_minutes", "1"),
    ]
    let answer = try await browser.submit(fields(typed), on: path)
    #expect(answer.status == .seeOther, "\(answer.text)")
    let now = try await stored()
    #expect(now.name == "City maps" && now.resources.map(\.text) == ["https://maps.example/portal", "*.gis.example"])
    #expect(now.reach.networks == ["10.0.0.0/8"] && now.reach.allowsHTTP && now.hasClientSecret)
    #expect(now.admission == .listed && now.admitted == ["ana", "ben"])
    var options = PortalOptions(
      refreshTokenMinutes: -1, exchangeBelowSeconds: 48 * 3600, federatedTokenMinutes: 30, locale: "sv", style: "dark",
      forcesLogin: true)
    options.appPasswordClient = before.portal.appPasswordClient
    #expect(now.portal == options)
    #expect(now.kind == .oauthUser && now.origin == before.origin && now.clientID == "gatehouse" && now.scopes == [])
    let row = try await installation.audit().first { $0.name == .connectionChanged }
    #expect(row?.detail == "edited: name, resources, admission, reach, portal options, client secret")
    #expect(await !browser.get(path).text.contains("s3cr3t of ours"))
    _ = try await browser.submit(fields([("name", "City maps")]), on: path)
    #expect(try await stored().hasClientSecret, "an empty field leaves the secret")
  }

  @Test(
    "is refused with the mistake at its field and all that was typed but the secret",
    arguments: [
      ("name", " "), ("name", "Other"), ("resources", ""), ("resources", "not a url"), ("resources", "*"),
      ("networks", "ten"), ("admission", ""), ("admission", "listed"), ("refresh_token_lifetime", "soon"),
      ("federated_minutes", "0"), ("locale", "x y"), ("page_style", "pink"),
    ])
  func mistakes(field: String, value: String) async throws {
    let other = Connection(
      id: try #require(ConnectionID("other")), name: "Other", kind: .oauthUser, origin: "https://other.example/portal",
      clientID: "gatehouse", createdAt: installation.time.now)
    try await installation.store.write { try $0.insert(other, clientSecret: nil) }
    let answer = try await browser.submit(fields([("client_secret", "s3cr3t of ours"), (field, value)]), on: path)
    #expect(answer.status == 422)
    let shownAt = (field, value) == ("admission", "listed") ? "admitted" : field
    #expect(answer.text.contains("id=\"\(shownAt)-error\""), "\(answer.text)")
    #expect(answer.text.contains("id=\"client_secret-error\"") && !answer.text.contains("s3cr3t of ours"))
    #expect(try await stored() == before)
  }

  @Test("asks each kind for its own alone")
  func kinds() async throws {
    var token = Connection(
      id: try #require(ConnectionID("typed")), name: "Typed", kind: .token, origin: "https://t.example/portal",
      clientID: "", createdAt: installation.time.now)
    token.resources = [try #require(ResourcePattern("https://t.example/portal"))]
    try await installation.store.write { [token] in try $0.insert(token, clientSecret: nil) }
    let page = await browser.get("/admin/connections/typed/edit").text
    #expect(page.contains("name=\"token_minutes\"") && page.contains("name=\"federated_minutes\""))
    for name in ["admission", "client_secret", "scopes", "locale", "force_login"] {
      #expect(!page.contains("name=\"\(name)\""), "\(name)")
    }
    let answer = try await browser.submit(
      fields([
        ("name", "Typed"), ("resources", "https://t.example/portal"), ("token_minutes", "15"), ("admission", "anyone"),
        ("client_secret", "x"), ("locale", "sv"),
      ]), on: "/admin/connections/typed/edit")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let now = try await stored("typed")
    #expect(now.portal.tokenMinutes == 15 && now.portal.locale == nil && now.admission == .invited)
    #expect(!now.hasClientSecret)
    #expect(await browser.get("/admin/connections/none/edit").status == .notFound)
  }
}
