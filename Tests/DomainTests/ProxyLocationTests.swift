import Testing

@testable import Domain

@Suite("Where an answer by the proxy leads")
struct ProxyLocationTests {
  private func passed(_ reference: String, own: String = "https://gatehouse.example/gate") throws -> String? {
    let connection = try Samples.connection(covering: ["https://gis.example/portal", "*.tiles.example"])
    return connection.passedLocation(
      reference, from: try #require(ResourceURL("https://gis.example/portal/a/b?x=1")),
      to: try #require(ResourceURL(own)))
  }

  @Test(
    "is a path of the proxy where the connection covers it",
    arguments: [
      ("c", "/a/c"), ("./c", "/a/c"), ("../d?y", "/d?y"), ("..", "/"), ("", "/a/b?x=1"), ("?z=/../", "/a/b?z=/../"),
      ("#f", "/a/b?x=1#f"), ("/portal/x#f", "/x#f"), ("https://gis.example/portal", ""),
      ("HTTPS://GIS.example:443/portal/x/../y", "/y"), ("//a.tiles.example/1", "/~a.tiles.example/1"),
    ])
  func covered(reference: String, path: String) throws {
    #expect(try passed(reference) == "/gate/v1/proxy/maps\(path)")
    #expect(try passed(reference, own: "https://gatehouse.example/") == "/v1/proxy/maps\(path)")
  }

  @Test(
    "is an absolute URL elsewhere, since a relative one would lead to us",
    arguments: [
      ("/v1/proxy/other/delete?x=1", "https://gis.example/v1/proxy/other/delete?x=1"),
      ("../../../x", "https://gis.example/x"), ("//other.example?a", "https://other.example/?a"),
      ("https://other.example/a%2Fb?c=%7B#d", "https://other.example/a%2Fb?c=%7B#d"),
      ("http://gis.example/portal/x", "http://gis.example/portal/x"),
    ])
  func elsewhere(reference: String, place: String) throws { #expect(try passed(reference) == place) }

  @Test(
    "is dropped where it is ours, or can be read in two ways",
    arguments: [
      "https://gatehouse.example/gate/v1/token?resource=x", "//GATEHOUSE.example:443",
      "https://gatehouse.example/other",
      "javascript:alert(1)", "https:/x", "https:x", "\\\\evil.example\\x", "/\\evil.example", "https://u@gis.example/",
      "/a b", "https://2130706433/", "ftp://gis.example/portal/", "https://gatehouse.example./",
    ])
  func dropped(reference: String) throws { #expect(try passed(reference) == nil) }

  @Test(
    "every name of this machine is ours when we are there",
    arguments: ["localhost", "127.0.0.1", "[::1]", "a.localhost"])
  func loopback(name: String) throws {
    #expect(try passed("http://\(name):8080/v1/token", own: "http://localhost:8080") == nil)
    #expect(try passed("http://\(name):8081/a", own: "http://localhost:8080") == "http://\(name):8081/a")
  }
}
