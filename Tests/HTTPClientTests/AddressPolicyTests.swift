import HTTP
import Testing

@testable import HTTPClient

@Suite("The SSRF guard")
struct AddressPolicyTests {
  /// A policy for `url` with what an administrator allowed.
  private func policy(
    _ url: String, named: [(String, Int)] = [], networks: [String] = [], http: Bool = false
  ) throws -> AddressPolicy {
    let endpoints = Set(named.map { Reach.Endpoint(host: $0.0, port: $0.1) })
    let ranges = try networks.map { try #require(AddressRange($0)) }
    return AddressPolicy(
      reach: Reach(endpoints: endpoints, networks: ranges, allowsHTTP: http), url: try OutboundURL(url))
  }

  @Test(
    "By default only https, the usual ports and public addresses are asked",
    arguments: [
      ("https://example.com/", nil), ("https://example.com:8443/", nil), ("https://8.8.8.8/", nil),
      ("http://example.com/", .plainHTTP), ("https://example.com:22/", .port(22)),
      ("https://example.com:80/", .port(80)),
    ] as [(String, PolicyRefusal?)])
  func byDefault(url: String, refusal: PolicyRefusal?) throws {
    #expect(try policy(url).refusalOfURL() == refusal)
  }

  @Test(
    "An address in the URL is refused before anything is dialled",
    arguments: [
      "https://127.0.0.1/", "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data/", "https://0.0.0.0/",
      "https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/",
      "https://[fe80::1]/",
      "https://[fd00::1]/", "https://[2002:7f00:1::]/", "https://224.0.0.1/", "https://255.255.255.255/",
    ])
  func refusesLiteral(url: String) throws {
    let policy = try policy(url)
    let address = try #require(policy.url.address)
    #expect(policy.refusalOfURL() == .address(address, AddressClass(of: address)))
  }

  @Test(
    "A name opens its port, and only for itself",
    arguments: [
      ("https://portal.example:7443/", nil), ("https://PORTAL.example:7443/", nil),
      ("https://other.example:7443/", .port(7443)), ("https://portal.example:7444/", .port(7444)),
    ] as [(String, PolicyRefusal?)])
  func namedPort(url: String, refusal: PolicyRefusal?) throws {
    #expect(try policy(url, named: [("Portal.example", 7443)]).refusalOfURL() == refusal)
  }

  @Test(
    "A named host does not open private addresses, a network does",
    arguments: [
      ("10.1.2.3", [], false), ("10.1.2.3", ["10.1.0.0/16"], true), ("10.2.2.3", ["10.1.0.0/16"], false),
      ("10.1.2.3", ["0.0.0.0/0"], true), ("fd00::5", ["fd00::/8"], true), ("100.64.0.1", ["100.64.0.0/10"], true),
      ("::ffff:10.1.2.3", ["10.0.0.0/8"], true),
      ("127.0.0.1", ["0.0.0.0/0"], false), ("127.0.0.1", ["127.0.0.0/8"], true), ("127.0.0.1", ["127.0.0.1/32"], true),
      ("169.254.169.254", ["0.0.0.0/0"], false), ("169.254.169.254", ["169.254.0.0/16"], true),
      ("::1", ["::/0"], false), ("::1", ["::1/128"], true), ("fe80::1", ["::/0"], false),
      ("100.100.100.200", ["100.64.0.0/10"], false), ("fd00:ec2::254", ["fc00::/7"], false),
      ("0.0.0.0", ["0.0.0.0/0"], false), ("224.0.0.1", ["224.0.0.0/4"], false),
      ("255.255.255.255", ["0.0.0.0/0"], false),
      ("64:ff9b::a00:1", ["::/0", "10.0.0.0/8"], false), ("2002:a00:1::", ["::/0", "10.0.0.0/8"], false),
    ] as [(String, [String], Bool)])
  func networks(address: String, networks: [String], isOpen: Bool) throws {
    let policy = try policy("https://portal.example/", named: [("portal.example", 443)], networks: networks)
    let address = try #require(IPAddress(address))
    #expect((policy.refusal(of: address, port: 443) == nil) == isOpen)
  }

  @Test(
    "An address that is named itself may be dialled, on its port",
    arguments: [
      ("https://127.0.0.1:9443/", "127.0.0.1", 9443, true), ("https://127.0.0.1:9443/", "127.0.0.1", 9444, false),
      ("https://127.0.0.1:9443/", "127.0.0.2", 9443, false), ("https://[::1]:9443/", "[::1]", 9443, true),
      ("https://[::1]:9443/", "::1", 9443, true), ("https://[::ffff:127.0.0.1]:9443/", "127.0.0.1", 9443, false),
      ("https://0.0.0.0:9443/", "0.0.0.0", 9443, false),
    ])
  func namedAddress(url: String, host: String, port: Int, isOpen: Bool) throws {
    #expect((try policy(url, named: [(host, port)]).refusalOfURL() == nil) == isOpen)
  }

  @Test("Another port than the URL's is never dialled")
  func otherPort() throws {
    let address = try #require(IPAddress("8.8.8.8"))
    #expect(try policy("https://example.com/").refusal(of: address, port: 8443) == .port(8443))
  }

  @Test("A name that turns from a public to a private address is refused, and stays refused")
  func rebinding() throws {
    let request = OutboundRequest(.get, "https://example.com/")
    var exchange = Exchange(request, to: try request.checked())
    let inside = try #require(IPAddress("127.0.0.1"))
    let outside = try #require(IPAddress("8.8.8.8"))
    let answers = [outside, inside, outside].map { exchange.mayDial($0, port: 443) }
    #expect(answers == [true, false, false])
    let maySend = exchange.maySend(to: outside, port: 443, at: .now)
    #expect(!maySend)
    #expect(exchange.failure(.init(.connect, "")) == .refusedByPolicy(.address(inside, .loopback)))
  }

  @Test("A connection whose address is unknown carries no request")
  func unknownPeer() throws {
    let request = OutboundRequest(.get, "https://example.com/")
    var exchange = Exchange(request, to: try request.checked())
    let maySend = exchange.maySend(to: nil, port: 443, at: .now)
    #expect(!maySend)
  }
}
