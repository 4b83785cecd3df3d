import HTTP
import HTTPClient
import Testing

@testable import Upstream

@Suite("Addresses of client apps")
struct ClientAddressTests {
  private func reach(_ url: String, isTrusted: Bool = true) throws -> Reach {
    let networks = [try #require(AddressRange("10.20.0.0/16"))]
    return ClientReach(networks: networks).reach(
      of: try OutboundURL(url), for: ClientAddress(url, isTrusted: isTrusted))
  }

  @Test("This machine is reached by the names that only mean itself", arguments: ["localhost", "127.0.0.1", "[::1]"])
  func ownMachine(host: String) throws {
    let reach = try reach("http://\(host):3000/out")
    #expect(reach.allowsHTTP && reach.networks.compactMap(\.description).contains("127.0.0.0/8"))
  }

  @Test("The organisation's networks are open to what an administrator registered, by https")
  func networks() throws {
    for url in ["https://apps.example:9443/out", "https://10.20.3.4:9443/out"] {
      let reach = try reach(url)
      #expect(reach.networks.map(\.description) == ["10.20.0.0/16"] && !reach.allowsHTTP)
      #expect(reach.endpoints.map(\.port) == [9443])
    }
    #expect(try reach("https://10.21.0.1/out") == .publicHTTPS)
  }

  @Test(
    "What registered itself reaches public hosts alone, on the usual ports",
    arguments: [
      "https://apps.example:9443/out", "https://10.20.3.4/out", "http://localhost:3000/out", "https://127.0.0.1/out",
    ])
  func selfRegistered(url: String) throws { #expect(try reach(url, isTrusted: false) == .publicHTTPS) }
}
