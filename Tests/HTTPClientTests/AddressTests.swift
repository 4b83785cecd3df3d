import HTTP
import Testing

@testable import HTTPClient

@Suite("Addresses")
struct AddressTests {
  /// Written by hand from the IANA registries, not from the table under test.
  static let classes: [(String, AddressClass)] = [
    ("8.8.8.8", .public), ("1.1.1.1", .public), ("93.184.216.34", .public), ("9.255.255.255", .public),
    ("11.0.0.0", .public), ("100.63.255.255", .public), ("100.128.0.0", .public), ("126.255.255.255", .public),
    ("128.0.0.0", .public), ("169.253.255.255", .public), ("169.255.0.0", .public), ("172.15.255.255", .public),
    ("172.32.0.0", .public), ("192.167.255.255", .public), ("192.169.0.0", .public), ("198.17.255.255", .public),
    ("198.20.0.0", .public), ("223.255.255.255", .public), ("1.0.0.0", .public),
    ("0.0.0.0", .unspecified), ("0.0.0.1", .unspecified), ("0.255.255.255", .unspecified),
    ("10.0.0.0", .private), ("10.255.255.255", .private), ("172.16.0.0", .private), ("172.31.255.255", .private),
    ("192.168.0.0", .private), ("192.168.255.255", .private),
    ("100.64.0.0", .shared), ("100.127.255.255", .shared), ("100.100.100.200", .metadata),
    ("127.0.0.0", .loopback), ("127.0.0.1", .loopback), ("127.255.255.255", .loopback),
    ("169.254.0.0", .linkLocal), ("169.254.169.254", .linkLocal), ("169.254.255.255", .linkLocal),
    ("168.63.129.16", .metadata), ("168.63.129.17", .public), ("192.0.0.192", .metadata),
    ("192.0.0.1", .reserved), ("192.0.2.1", .reserved), ("192.88.99.1", .reserved), ("198.18.0.0", .reserved),
    ("198.19.255.255", .reserved), ("198.51.100.7", .reserved), ("203.0.113.9", .reserved), ("240.0.0.1", .reserved),
    ("255.255.255.254", .reserved), ("255.255.255.255", .broadcast), ("224.0.0.1", .multicast),
    ("239.255.255.255", .multicast),
    ("2606:4700:4700::1111", .public), ("2a00:1450:4001::1", .public), ("2400::", .public), ("2003::1", .public),
    ("::", .unspecified), ("::1", .loopback), ("::2", .embedded), ("::127.0.0.1", .embedded), ("::8.8.8.8", .embedded),
    ("::ffff:127.0.0.1", .loopback), ("::ffff:10.1.2.3", .private), ("::ffff:169.254.169.254", .linkLocal),
    ("::ffff:8.8.8.8", .public), ("::ffff:0:7f00:1", .reserved),
    ("64:ff9b::7f00:1", .embedded), ("64:ff9b::a00:1", .embedded), ("64:ff9b::a9fe:a9fe", .embedded),
    ("64:ff9b::808:808", .public), ("64:ff9b:1::808:808", .reserved), ("64:ff9b::1:808:808", .reserved),
    ("2002:7f00:1::", .embedded), ("2002:808:808::1", .embedded), ("2001::1", .embedded),
    ("2001:0:4136:e378:8000:63bf:3fff:fdd2", .embedded), ("2001:2::1", .reserved), ("2001:10::1", .reserved),
    ("2001:db8::1", .reserved), ("2001:1ff:ffff::", .reserved), ("2001:200::1", .public), ("3fff::1", .reserved),
    ("3fff:1000::1", .public), ("fc00::1", .private), ("fd12:3456::1", .private), ("fdff::1", .private),
    ("fd00:ec2::254", .metadata), ("fd00:ec2::253", .private), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
    ("fec0::1", .private), ("ff02::1", .multicast), ("ff0e::1", .multicast), ("100::1", .reserved),
    ("4000::1", .reserved), ("5f00::1", .reserved), ("fe00::1", .reserved),
  ]

  @Test("Every address has the class that the registries give it", arguments: classes)
  func hasClass(text: String, kind: AddressClass) throws {
    #expect(AddressClass(of: try #require(IPAddress(text))) == kind)
  }
}
