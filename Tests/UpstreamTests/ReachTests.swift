import Domain
import HTTP
import HTTPClient
import Testing

@testable import Upstream

@Suite("Where a connection lets requests go")
struct ReachTests {
  private func request(_ url: String, hosts: [String]) -> OutboundRequest {
    var request = OutboundRequest(.get, url)
    Domain.Reach(hosts: hosts).open(&request)
    return request
  }

  @Test(
    "is nowhere but public https unless the very host and port are declared",
    arguments: [
      "https://gis.example.org/", "https://gis.example.org:7443/", "http://gis.example.org:6080/",
      "https://sub.gis.example.org:6080/", "https://localhost:8090/",
    ])
  func undeclared(url: String) {
    let reach = request(url, hosts: ["gis.example.org:6080", "127.0.0.1:8090"]).reach
    let isDeclared = url.contains("//gis.example.org:6080")
    #expect(reach.allowsHTTP == isDeclared)
    #expect(reach.networks.isEmpty == !isDeclared)
    #expect(reach.endpoints.isEmpty == !isDeclared)
  }

  @Test("opens private networks for a declared name, this machine only for a name that means it")
  func networks() throws {
    let private10 = try #require(AddressRange("10.0.0.0/8"))
    let loopback = try #require(AddressRange("127.0.0.0/8"))
    let inside = request("https://gis.intern/", hosts: ["gis.intern:443"]).reach.networks
    #expect(inside.contains(private10) && !inside.contains(loopback))
    let here = request("http://portal.localhost:8090/", hosts: ["portal.localhost:8090"]).reach.networks
    #expect(here.contains(loopback) && !here.contains(private10))
  }

  @Test(
    "includes the ports of the URLs that an administrator typed, and opens nothing else there",
    arguments: [
      ("https://gis.example.org:7443/portal/sharing/rest/info", true),
      ("https://maps.example.org:6443/arcgis/rest/info", true), ("https://maps.example.org:6444/arcgis", false),
      ("http://maps.example.org:6443/arcgis", false), ("https://other.example.org:6443/arcgis", false),
    ])
  func ports(url: String, isTyped: Bool) throws {
    let connection = try Samples.connection(
      origin: "https://gis.example.org:7443/portal",
      resources: ["https://maps.example.org:6443/arcgis/rest/services/Traffic", "*.example.org"])
    var request = OutboundRequest(.get, url)
    connection.open(&request)
    #expect(request.reach.endpoints.isEmpty == !isTyped)
    #expect(request.reach.networks.isEmpty)
    #expect(!request.reach.allowsHTTP)
  }

  @Test("never opens link-local or metadata addresses by a name")
  func metadata() throws {
    let address = try #require(IPAddress("169.254.169.254"))
    let networks = request("https://gis.intern/", hosts: ["gis.intern:443"]).reach.networks
    #expect(!networks.contains { $0.contains(address) })
  }

  @Test(
    "Only an address that is surely this machine declares itself",
    arguments: [
      ("http://127.0.0.1:8090/", ["127.0.0.1:8090"]), ("http://portal.localhost/", ["portal.localhost:80"]),
      ("https://[::1]:8443/", ["[::1]:8443"]), ("http://127.example.org/", []), ("http://10.0.0.1/", []),
      ("http://localhost.example.org/", []),
    ])
  func loopback(url: String, hosts: [String]) throws {
    var connection = try Samples.connection()
    connection.declareLoopback(try #require(ResourceURL(url)))
    #expect(connection.reach.hosts == hosts)
    #expect(!connection.reach.allowsHTTP)
  }

  @Test(
    "A failure on the way says what may be done next",
    arguments: [
      (OutboundFailure.refusedByPolicy(.plainHTTP), Verdict.misconfigured),
      (.notSent(.init(.certificate, "expired")), .misconfigured), (.notSent(.init(.connect, "refused")), .transient),
      (.notSent(.init(.late, "late")), .transient), (.incomplete(.init(.timeout, "slow")), .ambiguous),
      (.tooLarge, .invalidAnswer),
    ])
  func failures(cause: OutboundFailure, verdict: Verdict) {
    let failure = Dialer.failure(of: cause, at: "https://gis.example.org", declaredAs: "gis.example.org:443")
    #expect(Verdict(failure) == verdict)
    #expect(failure.text.contains("https://gis.example.org"))
  }
}
