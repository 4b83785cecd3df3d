import Testing

@testable import Domain

@Suite("The proxy's paths")
struct ProxyPathTests {
  private func connection(_ resources: [String]) throws -> Connection {
    var connection = try Samples.connection()
    connection.resources = try resources.map { try #require(ResourcePattern($0)) }
    return connection
  }

  @Test(
    "lead to the URL they were made of, and back",
    arguments: [
      ("https://gis.example/portal/a/b?x=1", "/a/b?x=1"), ("https://gis.example/portal", ""),
      ("https://gis.example/portal/", "/"), ("https://gis.example/portal/~ana/x", "/~gis.example/portal/~ana/x"),
      ("https://gis.example/server/x", "/~gis.example/server/x"),
      ("http://old.example:6080/arcgis/x%20y", "/~old.example:6080/arcgis/x%20y"),
      ("https://a.tiles.example/1/2", "/~a.tiles.example/1/2"),
    ])
  func roundTrip(url: String, path: String) throws {
    let connection = try connection([
      "https://gis.example/portal", "https://gis.example/server", "http://old.example:6080/arcgis", "*.tiles.example",
    ])
    let resource = try #require(ResourceURL(url))
    #expect(connection.proxyPath(for: resource) == "/v1/proxy/\(connection.id)\(path)")
    let parts = path.split(separator: "?", omittingEmptySubsequences: false)
    #expect(connection.proxiedURL(parts[0], query: parts.count > 1 ? parts[1] : "") == resource)
  }

  @Test(
    "lead nowhere else",
    arguments: [
      "/~gis.example/", "/~gis.example/portalx", "/~tiles.example/", "x", ".evil/a", "@evil/a", ":1/a",
    ])
  func outside(path: String) throws {
    let connection = try connection(["https://gis.example/portal", "*.tiles.example"])
    #expect(connection.proxiedURL(Substring(path), query: "") == nil)
    #expect(try self.connection(["*.tiles.example"]).proxiedURL("/a", query: "") == nil)
    let whole = try self.connection(["https://gis.example"]).proxiedURL(Substring(path), query: "")
    #expect(whole == nil || whole?.host == "gis.example")
  }
}
