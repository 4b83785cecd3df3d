import Domain
import HTTPClient
import JSON
import Testing

@testable import Upstream

@Suite("Federation")
struct FederationRuleTests {
  @Test(
    "The root of a server is what comes before its own paths",
    arguments: [
      ("https://maps.example.org/server/rest/services/Roads/MapServer/0", "https://maps.example.org/server"),
      ("https://Maps.Example.org/Server/rest/services", "https://maps.example.org/Server"),
      ("https://maps.example.org/server/rest/services/Folder/rest/services", "https://maps.example.org/server"),
      ("https://maps.example.org/server/rest/admin/services/Roads.MapServer", "https://maps.example.org/server"),
      ("https://maps.example.org/server/rest/info?f=json", "https://maps.example.org/server"),
      ("https://maps.example.org/server/rest", "https://maps.example.org/server"),
      ("https://maps.example.org/server/admin", "https://maps.example.org/server"),
      ("https://maps.example.org/server/admin/services/Roads.MapServer", "https://maps.example.org/server"),
      ("https://maps.example.org/server/tokens/generateToken", "https://maps.example.org/server"),
      ("https://maps.example.org/rest/rest/services/Roads", "https://maps.example.org/rest"),
      ("https://maps.example.org/rest/services/Roads", "https://maps.example.org"),
      ("https://maps.example.org/admin/rest/services/Roads", "https://maps.example.org/admin"),
      ("https://maps.example.org:6443/arcgis/rest/services", "https://maps.example.org:6443/arcgis"),
      ("https://maps.example.org/server", "https://maps.example.org/server"),
      ("https://maps.example.org/server/", "https://maps.example.org/server"),
      ("https://maps.example.org/", "https://maps.example.org"),
      ("https://maps.example.org/some/other/page", nil),
    ])
  func root(url: String, root: String?) throws {
    #expect(ServerRoot.of(try #require(ResourceURL(url))) == root)
  }

  @Test(
    "A server belongs to the portal only when it names exactly that one",
    arguments: [
      ("https://gis.example.org/portal", true), ("https://gis.example.org/portal/", true),
      ("http://gis.example.org/portal", true), ("https://GIS.example.org/portal", true),
      ("https://gis.example.org/Portal", false), ("https://gis.example.org/portal2", false),
      ("https://gis.example.org", false), ("https://gis.example.org/portal/x", false),
      ("https://gis.example.org.evil.org/portal", false), ("https://evil.org/gis.example.org/portal", false),
      ("https://gis.example.org:7443/portal", false), ("https://user@gis.example.org/portal", false), ("", false),
    ])
  func owner(named url: String, isOwner: Bool) throws {
    #expect(try Samples.connection().isOwner(url) == isOwner)
  }

  @Test(
    "A host of ArcGIS Online belongs to the portal of the same installation",
    arguments: [
      ("http://www.arcgis.com", true), ("https://other.maps.arcgis.com", true), ("https://devext.arcgis.com", false),
      ("https://arcgis.com.evil.org", false),
    ])
  func onlineOwner(named url: String, isOwner: Bool) throws {
    #expect(try Samples.connection(origin: "https://city.maps.arcgis.com").isOwner(url) == isOwner)
  }

  @Test(
    "The portal's own pages are those below its path",
    arguments: [
      ("https://gis.example.org/portal", "https://gis.example.org/portal/sharing/rest/search", true),
      ("https://gis.example.org/portal", "https://gis.example.org/portal", true),
      ("https://gis.example.org/portal", "https://gis.example.org/portal2/sharing", false),
      ("https://gis.example.org/portal", "https://gis.example.org/server/rest/services", false),
      ("https://gis.example.org/portal", "http://gis.example.org/portal/sharing", false),
      ("https://gis.example.org/portal", "https://gis.example.org:8443/portal/sharing", false),
      ("https://gis.example.org", "https://gis.example.org/sharing/rest/search", true),
      ("https://gis.example.org", "https://gis.example.org/server/rest/services", false),
    ])
  func portal(origin: String, resource: String, isPortal: Bool) throws {
    let url = try #require(ResourceURL(resource))
    #expect(try Samples.connection(origin: origin).isPortal(url) == isPortal)
  }

  @Test(
    "Headers with a token are made only for what the connection covers",
    arguments: [
      ("https://maps.example.org/server/rest/services", ["X-Esri-Authorization"]),
      ("http://maps.example.org/server/rest/services", []), ("https://maps.example.org/other", []),
      ("https://evil.org/server/rest/services", []), ("http://127.0.0.1:8090/rest", ["X-Esri-Authorization"]),
    ])
  func headers(resource: String, names: [String]) async throws {
    let upstream = try Upstreams(client: OutboundClient())
    let connection = try Samples.connection(
      resources: ["https://maps.example.org/server"], reach: ["127.0.0.1:8090"])
    let registration = Registration(connection: connection, clientSecret: nil, redirectURI: "https://gate/callback")
    let url = try #require(ResourceURL(resource))
    let headers = upstream.kind(of: connection).headers(with: Secret("t"), for: url, registration)
    #expect(headers.map(\.name) == names)
    #expect(headers.allSatisfy { $0.value == Secret("Bearer t") })
  }

  @Test(
    "A server token is read with its expiry in milliseconds",
    arguments: [
      (#"{"token":"s","expires":1767225660000,"ssl":true}"#, 60), (#"{"token":"s","expires":"1767225660999"}"#, 60),
      (#"{"token":"s"}"#, 300), (#"{"token":"s","expires":9e18}"#, TokenAnswer.longestLifetime),
      (#"{"token":"s","expires":1767225600000}"#, nil), (#"{"token":""}"#, nil), (#"{"expires":1}"#, nil),
    ] as [(String, Int64?)])
  func serverToken(body: String, lifetime: Int64?) throws {
    let json = try JSONValue(parsing: body)
    guard let lifetime else {
      #expect(throws: UpstreamFailure.self) {
        try OAuthUser.serverToken(in: json, host: "https://gis.example.org", now: Samples.now)
      }
      return
    }
    let token = try OAuthUser.serverToken(in: json, host: "https://gis.example.org", now: Samples.now)
    #expect(token == ServerToken(token: Secret("s"), expiresAt: Samples.now + lifetime))
  }

  @Test(
    "What a server says of itself is read leniently",
    arguments: [
      (#"{"owningSystemUrl":"https://p","authInfo":{"isTokenBasedSecurity":true}}"#, "https://p", true),
      (#"{"authInfo":{"isTokenBasedSecurity":true}}"#, nil, true),
      (#"{"owningSystemUrl":"https://p","authInfo":{"isTokenBasedSecurity":false}}"#, "https://p", false),
      (#"{"currentVersion":11.3}"#, nil, false),
    ] as [(String, String?, Bool)])
  func info(body: String, owner: String?, takesTokens: Bool) throws {
    let server = FederatedServer(root: "https://maps.example.org", try JSONValue(parsing: body), at: Samples.now)
    #expect(server.owningSystemURL == owner)
    #expect(server.takesTokens == takesTokens)
  }
}
