import HTTP
import Testing

@testable import HTTPServer

@Suite struct AddressTests {
  @Test(
    "A range holds the addresses that begin like it",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
      ("192.0.2.7", "192.0.2.8", false), ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe80::1", false),
      ("::/0", "192.0.2.1", false), ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/64", "2001:db8::ffff:1", true),
      ("2001:db8:0:1::/64", "2001:db8:0:2::1", false),
    ])
  func ranges(range: String, address: String, isInside: Bool) throws {
    #expect(try AddressRange(configured: range).contains(#require(IPAddress(address))) == isInside)
  }

  @Test(
    "A range that cannot be meant is refused with a hint",
    arguments: [
      ("10.0.0.0/33", "0 to 32"), ("10.1.0.0/8", "10.0.0.0/8"), ("office", "10.0.0.0/8"), ("::/x", "0 to 128"),
    ])
  func badRanges(text: String, hint: String) {
    let failure = #expect(throws: ServerFailure.self) { try AddressRange(configured: text) }
    #expect(failure?.description.contains(hint) == true)
  }

  @Test(
    "A listen address has an address and a port", arguments: ["127.0.0.1:8080", "[::]:443", "0.0.0.0:0", "[::1]:1"])
  func listen(text: String) throws { #expect(try ListenAddress(text).description == text) }

  @Test(
    "What is no listen address is refused",
    arguments: ["8080", "localhost:8080", "::1:80", "[127.0.0.1]:80", "1.2.3.4:99999"])
  func badListen(text: String) { #expect(throws: ServerFailure.self) { try ListenAddress(text) } }
}
