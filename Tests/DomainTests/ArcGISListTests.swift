import Domain
import Testing

@Suite("A list of ArcGIS")
struct ArcGISListTests {
  @Test(
    "is known by its path",
    arguments: [
      ("https://a.example/server/rest/services", "https://a.example/server/rest/services", ""),
      ("https://a.example/server/rest/services/?f=json", "https://a.example/server/rest/services", ""),
      ("https://a.example/arcgis/REST/Services/City", "https://a.example/arcgis/REST/Services", "City"),
      ("https://a.example/portal/sharing/rest/search", "https://a.example/portal/sharing/rest", nil),
      ("https://a.example/sharing/Search;x=1/", "https://a.example/sharing/rest", nil),
      ("https://a.example/sharing/rest/content/users/ana", "https://a.example/sharing/rest", nil),
      (
        "https://a.example/sharing/rest/content/users/ana/7b1f2a90c3d44e5f8a6b0c1d2e3f4a5b",
        "https://a.example/sharing/rest", nil
      ), ("https://a.example/sharing/rest/content/groups/1/search", "https://a.example/sharing/rest", nil),
      ("https://a.example/sharing/rest/content/items/1/relatedItems", "https://a.example/sharing/rest", nil),
      ("https://a.example/sharing/rest/content/items/1/;x/relatedItems/;y", "https://a.example/sharing/rest", nil),
      ("https://a.example/sharing/rest/content/users/ana/items/1/relatedItems", "https://a.example/sharing/rest", nil),
      (
        "https://a.example/sharing/rest/content/users/ana/f/items/1/relatedItems", "https://a.example/sharing/rest", nil
      ),
    ] as [(String, String, String?)])
  func list(_ url: String, _ root: String, _ folder: String?) throws {
    let list = try #require(ArcGISList(Self.url(url)))
    #expect(list.root == root)
    #expect(list.form == folder.map { .services(folder: $0.isEmpty ? nil : $0) } ?? .items)
  }

  @Test(
    "is nothing else",
    arguments: [
      "https://a.example/", "https://a.example/server/rest/info",
      "https://a.example/server/rest/services/Roads/MapServer",
      "https://a.example/server/rest/services/City/Roads/FeatureServer/0",
      "https://a.example/sharing/rest/portals/self",
      "https://a.example/sharing/rest/content/items/1", "https://a.example/sharing/rest/content/users/ana/addItem",
      "https://a.example/search",
    ])
  func noList(_ url: String) throws { #expect(try ArcGISList(Self.url(url)) == nil) }

  private static func url(_ text: String) throws -> ResourceURL { try #require(ResourceURL(text)) }

  private static func scope(_ resources: String...) throws -> APIKeyScope {
    APIKeyScope(
      connections: [try #require(ConnectionID("maps"))], resources: resources.compactMap { ResourcePattern($0) })
  }

  private static func isReached(_ url: String, by scope: APIKeyScope) throws -> Bool {
    let maps = try #require(ConnectionID("maps"))
    return scope.refusal(for: try Self.url(url), of: maps, method: "GET") == nil
  }

  @Test("leads to what a key is for, and is filtered where it holds more")
  func reach() throws {
    let root = "https://a.example/server/rest/services"
    let scope = try Self.scope(root + "/City/Roads")
    for (url, isReached) in [
      (root, true), (root + "/", true), (root + "/City", true), (root + "/Other", false), (root + "/City/Roads", true),
      (root + "/City/Roads/MapServer", true), (root + "/City/Trees/MapServer", false),
      ("https://a.example/server/rest", false), ("https://b.example/server/rest/services", false),
      ("https://a.example/sharing/rest/search", false),
    ] {
      #expect(try Self.isReached(url, by: scope) == isReached, "\(url)")
    }
    let list = try #require(scope.list(at: Self.url(root)))
    #expect(list.holds(root + "/City/Roads/MapServer") && !list.holds(root + "/City/Trees/MapServer"))
    #expect(list.leads(through: root + "/City") && !list.leads(through: root + "/Cit"))
    #expect(!list.holds("no URL") && !list.leads(through: "no URL"))
  }

  @Test(
    "is whole for a key that is for all that can be in it",
    arguments: [
      ("https://a.example/s/rest/services", "https://a.example/s/rest", true),
      ("https://a.example/s/rest/services", "a.example", true),
      ("https://a.example/sharing/rest/search", "https://a.example/sharing/rest", true),
      ("https://a.example/sharing/rest/search", "https://a.example/sharing/rest/search", false),
      ("https://a.example/sharing/rest/search", "https://a.example/sharing/rest/content/items", false),
      ("https://a.example/sharing/rest/search", "https://a.example/sharing/rest/content", true),
    ])
  func whole(_ url: String, _ resource: String, _ isWhole: Bool) throws {
    let url = try Self.url(url)
    #expect((try Self.scope(resource).list(at: url) == nil) == isWhole)
    #expect(APIKeyScope(connections: []).list(at: url) == nil)
  }
}
