import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("An API key of ArcGIS, which an administrator types in") struct APIKeyTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let admin: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    admin = TestBrowser(gatehouse, try await gatehouse.administrator())
  }

  private func fields(_ changes: [(String, String)]) -> QueryItems {
    var values = [
      "kind": "apiKey", "name": "Geocoding", "id": "keys", "portal_url": portal.origin, "expires": end(after: 3 * 3600),
      "resources": portal.origin,
    ]
    for (name, value) in changes { values[name] = value }
    var items = QueryItems()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { items.append(name, value) }
    return items
  }

  /// As ArcGIS writes `expires`.
  private func end(after seconds: Int64) -> String { "\((gatehouse.time.now + seconds).seconds)000" }

  private func vend() async throws -> Response {
    let id = try #require(ConnectionID("keys"))
    let client = try await gatehouse.client(connections: [id])
    let own = await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
    var headers = Headers()
    let access = try #require(try own.json.string("access_token"))
    headers.set("authorization", try #require(FieldValue("Bearer \(access)")))
    let query: QueryItems = ["resource": portal.origin + "/sharing/rest/portals/self"]
    return await gatehouse.send(.get, query.appended(to: "/v1/token"), headers: headers)
  }

  @Test("is tried, sealed, handed to clients, and replaced without a gap")
  func life() async throws {
    let (first, second) = (try await portal.key(), try await portal.key())
    let answer = try await admin.submit(fields([("token", first)]), on: "/admin/connections/new")
    try #require(answer.status == .seeOther, "\(answer.text)")
    let page = await admin.follow(answer).text
    #expect(page.contains("Replace the key in use") && page.contains("The owner of the key") && !page.contains(first))
    let vended = try await vend().json
    #expect(vended.string("access_token") == first)
    #expect(vended.integer("expires_in") == 10_800)
    let refused = try await admin.submit(
      ["token": "AAPTwrong", "expires": end(after: 3600), "referer": ""], on: "/admin/connections/keys",
      to: "/admin/connections/keys/key")
    #expect(refused.status == 422 && refused.text.contains("does not accept the key"))
    #expect(try await vend().json.string("access_token") == first)
    let replaced = try await admin.submit(
      ["token": second, "expires": end(after: 3600), "referer": "https://app.example"], on: "/admin/connections/keys",
      to: "/admin/connections/keys/key")
    #expect(replaced.status == .seeOther, "\(replaced.text)")
    let after = try await vend().json
    #expect(after.string("access_token") == second && after.string("referer") == "https://app.example")
    gatehouse.time.advance(by: 3601)
    #expect(try await vend().error == "upstream_error")
  }

  @Test(
    "is refused at its field",
    arguments: [
      ("token", "", "Enter the API key."), ("token", "AAPKc0ffee", "of the retired kind"),
      ("token", "AAPTwrong", "does not accept the key"), ("token", "two words", "no spaces"),
      ("expires", "soon", "Enter a date and time"), ("expires", "2020-01-01", "has ended"),
      ("portal_url", "http://maps.example.org", "https alone"),
    ])
  func wrong(_ field: String, _ value: String, _ sentence: String) async throws {
    let key = try await portal.key()
    let answer = try await admin.submit(fields([("token", key), (field, value)]), on: "/admin/connections/new")
    #expect(answer.status == 422 && answer.text.contains(sentence), "\(answer.text)")
    #expect(!answer.text.contains(key))
    for table in ["connection", "credential"] { #expect(try await gatehouse.count(table) == 0, "\(table)") }
  }
}

extension TestPortal {
  /// A long-lived token of the application, which is what an API key is.
  fileprivate func key() async throws -> String {
    let form: QueryItems = [
      "f": "json", "grant_type": "client_credentials", "client_id": "gatehouse-demo",
      "client_secret": "gatehouse-demo-secret", "expiration": "20160",
    ]
    return try #require(try await post(form, to: "/sharing/rest/oauth2/token").string("access_token"))
  }
}
