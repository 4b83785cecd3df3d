import Domain
import Testing

@Suite("What a connection covers")
struct ResourcePatternTests {
  @Test(
    "a prefix covers whole path segments below it and nothing else",
    arguments: [
      ("https://gis.example.org/server", "https://gis.example.org/server", true),
      ("https://gis.example.org/server", "https://gis.example.org/server/", true),
      ("https://gis.example.org/server", "https://gis.example.org/server/rest/info?f=json", true),
      ("https://gis.example.org/server", "https://GIS.EXAMPLE.ORG:443/server/rest", true),
      ("https://gis.example.org/server", "https://gis.example.org/server2", false),
      ("https://gis.example.org/server", "https://gis.example.org/server-admin/x", false),
      ("https://gis.example.org/server", "https://gis.example.org/Server", false),
      ("https://gis.example.org/server", "https://gis.example.org/serve", false),
      ("https://gis.example.org/server", "https://gis.example.org/", false),
      ("https://gis.example.org/server", "https://gis.example.org//server", false),
      ("https://gis.example.org/server", "https://gis.example.org/x?/server/", false),
      ("https://gis.example.org/server", "http://gis.example.org/server", false),
      ("https://gis.example.org/server", "https://gis.example.org:8443/server", false),
      ("https://gis.example.org/server", "https://a.gis.example.org/server", false),
      ("https://gis.example.org/server", "https://gis.example.org.evil.example/server", false),
      ("https://gis.example.org/server/", "https://gis.example.org/server/rest", true),
      ("https://gis.example.org/server/", "https://gis.example.org/server", true),
      ("https://gis.example.org/server/", "https://gis.example.org/servers", false),
      ("https://gis.example.org", "https://gis.example.org/anything", true),
      ("https://gis.example.org/", "https://gis.example.org/", true),
      ("https://gis.example.org:8443", "https://gis.example.org:8443/a", true),
      ("https://gis.example.org:8443", "https://gis.example.org/a", false),
      ("https://gis.example.org:443/a", "https://gis.example.org/a", true),
      ("http://10.1.2.3/a", "http://10.1.2.3/a/b", true),
      ("http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080/a", true),
      ("https://xn--bcher-kva.example/a", "https://XN--BCHER-KVA.example/a/b", true),
    ])
  func prefix(pattern: String, url: String, isCovered: Bool) throws {
    let pattern = try #require(ResourcePattern(pattern))
    #expect((pattern.specificity(for: try #require(ResourceURL(url))) != nil) == isCovered)
  }

  @Test(
    "a host pattern covers https on the standard port only, and a wildcard never the name itself",
    arguments: [
      ("gis.example.org", "https://gis.example.org/a", true),
      ("GIS.example.org", "https://gis.EXAMPLE.org/a", true),
      ("gis.example.org", "https://gis.example.org:443/a", true),
      ("gis.example.org", "http://gis.example.org/a", false),
      ("gis.example.org", "https://gis.example.org:8443/a", false),
      ("gis.example.org", "https://a.gis.example.org/", false),
      ("gis.example.org", "https://xgis.example.org/", false),
      ("gis.example.org", "https://gis.example.org.evil.example/", false),
      ("*.example.org", "https://gis.example.org/", true),
      ("*.example.org", "https://a.b.example.org/", true),
      ("*.example.org", "https://example.org/", false),
      ("*.example.org", "https://badexample.org/", false),
      ("*.example.org", "http://gis.example.org/", false),
      ("*.example.org", "https://gis.example.org:444/", false),
      ("*.example.org", "https://gis.example.org.evil.example/", false),
      ("*.EXAMPLE.org", "https://gis.example.org/", true),
      ("10.1.2.3", "https://10.1.2.3/a", true),
      ("intranet", "https://intranet/a", true),
    ])
  func host(pattern: String, url: String, isCovered: Bool) throws {
    let pattern = try #require(ResourcePattern(pattern))
    #expect((pattern.specificity(for: try #require(ResourceURL(url))) != nil) == isCovered)
  }

  @Test(
    "what is neither a prefix nor a host is refused",
    arguments: [
      "", "*", "*.", "*.*.example.org", "a.*.example.org", "*example.org", "*.example.org/a", "gis.example.org/a",
      "gis.example.org/", "gis.example.org?a", "gis.example.org#a", "gis.example.org:443", "gis.example.org:8443",
      "ana@gis.example.org", "gis.example.org.", ".example.org", "*..example.org", "*.1.2.3.4", "*.[::1]", "[0::1]",
      "2130706433", "https://", "https://*.example.org", "https://gis.example.org/*", "https://gis.example.org/a?b=c",
      "https://gis.example.org/a?", "https://gis.example.org/a#b", "https://gis.example.org/a/../b",
      "https://gis.example.org//", "https://gis.example.org/a//b", "https://ana@gis.example.org/a", "ftp://a.example/",
      "gis.example.org a.example", "gis.example.org\n", "gis\\example.org",
    ])
  func refuses(text: String) { #expect(ResourcePattern(text) == nil) }

  @Test(
    "the canonical text means the same pattern again",
    arguments: [
      ("HTTPS://Gis.Example.org:443/Server/", "https://gis.example.org/Server"),
      ("https://gis.example.org/", "https://gis.example.org"), ("*.Example.ORG", "*.example.org"),
      ("Gis.Example.org", "gis.example.org"), ("http://[0::1]:80/", "http://[::1]"),
    ])
  func text(typed: String, canonical: String) throws {
    let pattern = try #require(ResourcePattern(typed))
    #expect(pattern.text == canonical)
    #expect(ResourcePattern(canonical) == pattern)
  }

  @Test(
    "the most specific pattern decides",
    arguments: [
      (["*.example.org", "gis.example.org"], "https://gis.example.org/a", "gis.example.org"),
      (["*.example.org", "*.gis.example.org"], "https://a.gis.example.org/a", "*.gis.example.org"),
      (["gis.example.org", "https://gis.example.org"], "https://gis.example.org/a", "https://gis.example.org"),
      (
        ["https://gis.example.org/a", "https://gis.example.org/a/b"], "https://gis.example.org/a/b/c",
        "https://gis.example.org/a/b"
      ),
      (
        ["https://gis.example.org/a", "https://gis.example.org/a/b"], "https://gis.example.org/a/bc",
        "https://gis.example.org/a"
      ),
      (["https://gis.example.org/a/b", "*.example.org"], "https://gis.example.org/c", "*.example.org"),
    ])
  func mostSpecific(patterns: [String], url: String, winner: String) throws {
    let connections = try patterns.enumerated().map { try Samples.connection("c\($0.offset)", covering: [$0.element]) }
    let url = try #require(ResourceURL(url))
    for order in [connections, connections.reversed()] {
      let found = try #require(Connection.covering(url, among: order))
      #expect(found.1.text == winner)
      #expect(found.0.resources.first?.text == winner)
    }
  }

  @Test("two connections that cover a URL equally well both lose, unless a third does it better")
  func ties() throws {
    let url = try #require(ResourceURL("https://gis.example.org/a/b"))
    let one = try Samples.connection("one", covering: ["https://gis.example.org/a"])
    let two = try Samples.connection("two", covering: ["https://gis.example.org/a/"])
    let three = try Samples.connection("three", covering: ["https://gis.example.org/a/b"])
    #expect(Connection.covering(url, among: [one, two]) == nil)
    #expect(Connection.covering(url, among: [two, one, two]) == nil)
    #expect(Connection.covering(url, among: [one, three, two])?.0.id == three.id)
    #expect(Connection.covering(url, among: [three, two, one])?.0.id == three.id)
    #expect(Connection.covering(url, among: [one, two]) { $0.id == two.id }?.0.id == two.id)
    #expect(Connection.covering(url, among: [one, two]) { _ in false } == nil)
    #expect(Connection.covering(url, among: [one, three, two]) { $0.id == one.id }?.0.id == three.id)
  }

  @Test("one connection may cover a URL twice")
  func twice() throws {
    let url = try #require(ResourceURL("https://gis.example.org/a/b"))
    let one = try Samples.connection("one", covering: ["https://gis.example.org/a", "https://gis.example.org/a/"])
    #expect(Connection.covering(url, among: [one])?.0.id == one.id)
    #expect(Connection.covering(url, among: []) == nil)
  }
}
