import HTTP
import Testing

@testable import HTTPServer

@Suite struct AdmissionTests {
  @Test("An address has a limit; leaving makes room")
  func perAddress() throws {
    let admission = try admission()
    let address = try #require(IPAddress("198.51.100.7"))
    #expect(admission.admits(address))
    #expect(admission.admits(address))
    #expect(!admission.admits(address))
    admission.leave(address)
    #expect(admission.admits(address))
    #expect(admission.total == 2)
  }

  @Test("An IPv6 network counts as one address")
  func networks() throws {
    let admission = try admission()
    #expect(admission.admits(try #require(IPAddress("2001:db8::1"))))
    #expect(admission.admits(try #require(IPAddress("2001:db8::2"))))
    #expect(!admission.admits(try #require(IPAddress("2001:db8::3"))))
    #expect(admission.admits(try #require(IPAddress("2001:db8:0:1::3"))))
  }

  @Test("Loopback and trusted proxies are exempt", arguments: ["127.0.0.1", "::1", "10.1.2.3"])
  func exempt(text: String) throws {
    let admission = try admission()
    let address = try #require(IPAddress(text))
    #expect((0..<5).allSatisfy { _ in admission.admits(address) })
  }

  private func admission() throws -> Admission {
    var limits = Limits()
    limits.connectionsPerAddress = 2
    return Admission(limits: limits, trustedProxies: [try AddressRange(configured: "10.0.0.0/8")])
  }
}
