import Glibc
import Testing

@testable import HTTP

@Suite("Addresses")
struct AddressTests {
  @Test(
    "Only the plain form of an address is one",
    arguments: [
      "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.01", "127.0.0.1.",
      "256.1.1.1",
      " 127.0.0.1", "127.0.0.1\u{0}.example.com", "[::1]", "fe80::1%eth0", "1::2::3:4", ":::", "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9", "1::2:3:4:5:6:7:8", "::12345",
      "::+1", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "+1.2.3.4", "1.2.3.4:5", ":1:2:3:4:5:6:7", "localhost",
      "::ffff:127.1", "1::2::3", "", "١٢٧.0.0.1",
    ])
  func refusesForms(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test(
    "An address prints in its canonical form",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::FFFF:1.2.3.4", "::ffff:1.2.3.4"),
      ("0:0:0:0:0:0:0:0", "::"), ("::", "::"), ("1::", "1::"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
      ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
      ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("2001:db8::192.0.2.33", "2001:db8::c000:221"),
    ])
  func prints(text: String, canonical: String) throws {
    #expect(try #require(IPAddress(text)).description == canonical)
  }

  @Test(
    "A network holds what shares its prefix",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/32", "10.1.2.3", true),
      ("10.1.2.3/32", "10.1.2.2", false), ("0.0.0.0/0", "255.0.0.1", true), ("0.0.0.0/0", "::1", false),
      ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false),
      ("fd00::/8", "fdff::1", true), ("fd00::/8", "fc00::1", false), ("::/0", "2001:db8::1", true),
      ("::/0", "10.0.0.1", false), ("2001:db8::1/128", "2001:db8::1", true), ("2001:db8::1/128", "2001:db8::2", false),
    ])
  func contains(network: String, address: String, holds: Bool) throws {
    #expect(try #require(AddressRange(network)).contains(try #require(IPAddress(address))) == holds)
  }

  @Test(
    "What is not plainly a network is refused",
    arguments: [
      "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.1/8", "::1/0",
      "::/129", "10/8", "10.0.0.0/8/8", "/8", "", "10.0.0.0/8 ", "10.0.0.0/255.0.0.0",
    ])
  func refusesNetworks(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test("A network prints as it was written", arguments: ["10.0.0.0/8", "fd00::/8", "0.0.0.0/0"])
  func printsNetwork(text: String) throws {
    #expect(try #require(AddressRange(text)).description == text)
  }

  @Test("An IPv4 address inside IPv6 is that IPv4 address")
  func unmapped() throws {
    #expect(try #require(IPAddress("::ffff:192.0.2.1")).unmapped == IPAddress("192.0.2.1"))
    #expect(try #require(IPAddress("::192.0.2.1")).unmapped == IPAddress("::192.0.2.1"))
  }

  @Test("A text of chance is read as the system reads it, or not at all")
  func agrees() throws {
    var chance = SystemRandomNumberGenerator()
    let characters = Array("0123456789abcdefF:::....")
    var read = 0
    for _ in 0..<20_000 {
      let text = String((0..<Int.random(in: 2...16, using: &chance)).compactMap { _ in characters.randomElement() })
      var bytes = [UInt8](repeating: 0, count: 16)
      let isV6 = text.contains(":")
      let isRead = unsafe inet_pton(isV6 ? AF_INET6 : AF_INET, text, &bytes) == 1
      #expect((IPAddress(text) != nil) == isRead, "\(text)")
      guard isRead else { continue }
      read += 1
      #expect(IPAddress(text) == IPAddress(bytes: bytes.prefix(isV6 ? 16 : 4)), "\(text)")
      #expect(IPAddress(IPAddress(text)?.description ?? "") == IPAddress(text), "\(text)")
    }
    #expect(read > 20)
  }
}
