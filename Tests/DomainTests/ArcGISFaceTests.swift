import Domain
import Testing

@Suite("Gatehouse in the part of an ArcGIS portal")
struct ArcGISFaceTests {
  private static func face(
    _ origin: String = "https://gis.example.org/portal",
    resources: [String] = ["https://gis.example.org", "https://maps.example.org:6443/arcgis"]
  ) throws -> ArcGISFace {
    var connection = Connection(
      id: try #require(ConnectionID("maps")), name: "Maps", kind: .oauthUser, origin: origin, clientID: "c",
      createdAt: Timestamp(seconds: 0))
    connection.resources = resources.compactMap(ResourcePattern.init)
    return try #require(ArcGISFace(connection, at: "https://gate.example/maps"))
  }

  @Test(
    "names its own address for what it passes on",
    arguments: [
      (
        "https://gis.example.org/portal/sharing/rest/content/items/1/data?a=b", "/sharing/rest/content/items/1/data?a=b"
      ),
      ("https://GIS.example.org/portal/sharing/rest/search", "/sharing/rest/search"),
      ("https://gis.example.org/portal/sharing/rest", "/sharing/rest"),
      (
        "https://gis.example.org/server/rest/services/Roads/FeatureServer/0#x",
        "/servers/gis.example.org/server/rest/services/Roads/FeatureServer/0#x"
      ),
      (
        "https://maps.example.org:6443/arcgis/rest/services/A/MapServer/tile/{level}/{row}/{col}",
        "/servers/maps.example.org:6443/arcgis/rest/services/A/MapServer/tile/{level}/{row}/{col}"
      ),
    ])
  func namesItself(_ theirs: String, _ ours: String) throws {
    #expect(try Self.face().address(of: theirs) == "https://gate.example/maps" + ours)
  }

  @Test(
    "knows what it passes on by the other scheme, and in capitals",
    arguments: [
      ("http://gis.example.org/server/rest/services/A", "/servers/gis.example.org/server/rest/services/A"),
      ("HTTP://GIS.example.org/portal/sharing/rest/search?q=a", "/sharing/rest/search?q=a"),
      ("HTTPS://gis.example.org/portal", ""),
      (
        "http://maps.example.org:6443/arcgis/rest/services/A", "/servers/maps.example.org:6443/arcgis/rest/services/A"
      ),
      ("https://old.example.org/arcgis/rest/services/A", "/servers/old.example.org/arcgis/rest/services/A"),
    ])
  func otherScheme(_ theirs: String, _ ours: String) throws {
    let face = try Self.face(resources: [
      "https://gis.example.org", "https://maps.example.org:6443/arcgis", "http://old.example.org/arcgis",
    ])
    #expect(face.address(of: theirs) == "https://gate.example/maps" + ours)
    for other in [
      "http://gis.example.org:8080/server/rest/services",
      "http://maps.example.org/arcgis/rest/services", "http://old.example.org:443/arcgis/rest/services",
    ] { #expect(face.address(of: other) == nil, "\(other)") }
  }

  @Test("says of each of many what it says of one alone")
  func many() throws {
    let face = try Self.face(resources: [
      "https://gis.example.org", "https://maps.example.org:6443/arcgis", "*.city.example",
    ])
    let folders = [
      "https://gis.example.org/", "https://gis.example.org/portal/", "https://gis.example.org/portal/sharing/",
      "https://gis.example.org/portal/sharing/rest/", "https://gis.example.org/portal/sharing/rest/content/",
      "https://gis.example.org/portal/sharing/rest/content/items/", "https://gis.example.org/server/rest/",
      "https://gis.example.org/server/rest/services/",
      "http://gis.example.org/server/rest/services/Roads/FeatureServer/",
      "https://gis.example.org/server/rest/services/a%20b/", "https://gis.example.org/server/rest/services/Größe 1/",
      "https://gis.example.org/server/admin/", "https://maps.example.org:6443/arcgis/rest/services/",
      "https://maps.example.org:6443/other/rest/services/", "https://maps.example.org/arcgis/rest/services/",
      "https://a.city.example/rest/services/", "https://city.example/rest/services/", "https://elsewhere.example/rest/",
      "https://gis.example.org/server/rest/services/../", "https://gis.example.org/server/rest/services/x;y/",
      "https://gis.example.org@elsewhere.example/rest/services/", "https://gis.example.org?x=/rest/services/",
      "https://gis.example.org/a?x=/rest/services/", "https://gis.example.org#/rest/services/", "http:///", "http:/",
      "http",
      "https://gis.example.org/server/rest/services//", "https://gis.example.org/server/{a}/rest/services/",
    ]
    let names = [
      "", "rest", "sharing", "services", "content", "Roads", "0", "a0", "generateToken", "GENERATETOKEN", "oauth2",
      "tokens",
      "registeredAppInfo", "a.b", "..", ".", "x;y", "%2e%2e", "a%20b", "?token=secret&a=b", "{z}", "admin", "ä", "#x",
      "a b",
    ]
    for namesServers in [false, true] {
      var addresses = ArcGISAddresses(face, namesServers: namesServers)
      for _ in 0..<2 {
        for folder in folders {
          for name in names {
            let named = folder + name
            #expect(addresses.address(of: named) == face.address(of: named, isServer: namesServers), "\(named)")
          }
        }
      }
    }
  }

  @Test(
    "leaves alone what it does not pass on",
    arguments: [
      "https://gis.example.org/portal/home/item.html?id=1",
      "https://gis.example.org/portal/sharing/rest/content;x/items",
      "https://gis.example.org/portal/sharing/rest/oauth2/token",
      "https://gis.example.org/portal/sharing/rest/Content/items",
      "https://gis.example.org/portal/sharing/rest/content/users/a/items/b/registeredAppInfo",
      "https://gis.example.org/server/admin/services", "https://gis.example.org/server/rest/admin",
      "https://gis.example.org/server/tokens/", "https://gis.example.org/server/rest/services/../admin",
      "https://maps.example.org/arcgis/rest/services", "https://elsewhere.example/server/rest/services", "http://",
      "httpx",
    ])
  func leavesAlone(_ theirs: String) throws { #expect(try Self.face().address(of: theirs) == nil) }

  @Test("knows the portal itself, names of all kinds, and no token of theirs")
  func namesMore() throws {
    let face = try Self.face()
    for (theirs, ours) in [
      ("https://gis.example.org/portal", ""), ("https://gis.example.org/portal/", ""),
      ("https://gis.example.org/portal/sharing/rest/generateToken", "/sharing/rest/generateToken"),
      (
        "https://gis.example.org/server/rest/services/Größe 1/MapServer?token=secret&a=b",
        "/servers/gis.example.org/server/rest/services/Gr%C3%B6%C3%9Fe%201/MapServer?a=b"
      ),
    ] { #expect(face.address(of: theirs) == "https://gate.example/maps" + ours) }
  }

  @Test(
    "gives back the true addresses, and the token to nobody",
    arguments: [
      (
        #"{"url":"https://gate.example/maps/servers/gis.example.org/server/rest/services/A","token":"T.t"}"#,
        #"{"url":"https://gis.example.org/server/rest/services/A","token":""}"#
      ),
      (
        #"https:\/\/gate.example\/maps\/servers\/maps.example.org:6443\/arcgis\/rest\/services"#,
        #"https:\/\/maps.example.org:6443\/arcgis\/rest\/services"#
      ),
      (
        "https://gate.example/maps/sharing/rest/content/items/1",
        "https://gis.example.org/portal/sharing/rest/content/items/1"
      ),
      (
        "https://gate.example/maps/servers/elsewhere.example/a", "https://gate.example/maps/servers/elsewhere.example/a"
      ),
      ("https://gate.example/other", "https://gate.example/other"),
    ])
  func givesBack(_ sent: String, _ forwarded: String) throws {
    #expect(try Self.face().trueText(sent, without: "T.t") == forwarded)
  }

  @Test("names the root of a server only where one is meant")
  func namesServers() throws {
    let face = try Self.face()
    #expect(face.address(of: "https://gis.example.org/server") == nil)
    #expect(
      face.address(of: "https://gis.example.org/server/", isServer: true)
        == "https://gate.example/maps/servers/gis.example.org/server")
    #expect(face.address(of: "https://gis.example.org/portal/sharing/rest/oauth2", isServer: true) == nil)
  }

  @Test("passes on the paths of its list and no others")
  func passesOn() throws {
    let face = try Self.face()
    #expect(face.portalPath("/content/items/a%20b") == "/~gis.example.org/portal/sharing/rest/content/items/a%20b")
    #expect(face.portalPath("/search") == "/~gis.example.org/portal/sharing/rest/search")
    for path in [
      "/generateToken", "/oauth2/token", "/Search", "/%73earch", "/..", "//content", "/portaladmin", "/tokens",
    ] {
      #expect(face.portalPath(path[...]) == nil, "\(path)")
    }
    #expect(face.serverPath("h:6443/a/rest/services/B") == "/~h:6443/a/rest/services/B")
    for path in ["h", "h/a", "h/a/rest/admin", "h/a/admin/rest", "h/sharing/rest/content", "h/a/%72est/services"] {
      #expect(face.serverPath(path[...]) == nil, "\(path)")
    }
  }

  @Test("grants the portal of one connection at a time, to who may use that")
  func grants() throws {
    func refusal(_ asked: String, registered: String, _ connections: [String] = ["maps"]) throws -> Refusal? {
      let client = Client(
        id: ClientID(random: "x"), name: "App", kind: .public, redirectURIs: [], grants: [.authorizationCode],
        scope: try #require(Scope(registered)),
        permissions: connections.compactMap(ConnectionID.init).map { .init(connection: $0, handsOutRawTokens: false) },
        createdAt: Timestamp(seconds: 0))
      return client.refusal(asking: try #require(Scope(asked)))
    }
    #expect(try refusal("arcgis:maps", registered: "arcgis openid") == nil)
    #expect(try refusal("openid", registered: "arcgis openid") == nil)
    for (asked, registered, connections) in [
      ("arcgis", "arcgis", ["maps"]), ("arcgis:maps openid", "arcgis openid", ["maps"]),
      ("arcgis:maps vend", "arcgis vend", ["maps"]), ("arcgis:maps arcgis:city", "arcgis", ["maps", "city"]),
      ("arcgis:maps", "vend", ["maps"]), ("arcgis:maps", "arcgis", ["city"]), ("arcgis:Maps", "arcgis", ["maps"]),
    ] {
      #expect(try refusal(asked, registered: registered, connections)?.code == .invalidScope, "\(asked)")
    }
  }

  @Test(
    "knows where its own resources leave the portal out",
    arguments: [
      (["https://gis.example.org/server"], true), (["https://gis.example.org/portal"], false), ([], true),
      (["https://gis.example.org/server", "https://gis.example.org/portal/sharing"], false), (["*.example.org"], false),
    ])
  func leftOut(_ resources: [String], _ isLeftOut: Bool) throws {
    #expect(try Self.face(resources: resources).connection.leavesOutPortal == isLeftOut)
    #expect(
      try !Self.face("https://gis.example.org/", resources: ["https://gis.example.org"]).connection.leavesOutPortal)
  }

  @Test(
    "takes only its own address as the one that apps without a redirect URI come back to",
    arguments: [
      ("https://gate.example/maps", true), ("https://gate.example", true), ("https://gate.example/", true),
      ("https://gate.example/other", false), ("https://gate.example.evil.example", false),
      ("https://gate.example@evil.example", false), ("http://gate.example", false), ("", false), ("/", false),
    ])
  func address(_ address: String, _ isOwn: Bool) throws { #expect(try Self.face().isAddress(address) == isOwn) }
}
