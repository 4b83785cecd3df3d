import Testing

@testable import Domain

@Suite("A server's trusted key")
struct TrustedKeyTests {
  @Test("is read as people copy it, and shown as certificates' digests are")
  func reads() throws {
    let colons = Array(repeating: "0a:f1", count: 16).joined(separator: ":")
    let end = Timestamp(seconds: 5)
    let key = try #require(TrustedKey(server: "a:443", publicKey: " \(colons.uppercased()) ", until: end))
    #expect(key.shownKey == colons.uppercased())
    let bytes: [UInt8] = (0..<32).map { $0 % 2 == 0 ? 0x0A : 0xF1 }
    #expect(key.bytes == bytes)
    #expect(TrustedKey(server: "a:443", publicKey: key.publicKey, until: end) == key)
    for wrong in ["", "00", String(repeating: "g0", count: 32), colons + ":00"] {
      #expect(TrustedKey.digest(wrong) == nil, "\(wrong)")
    }
  }

  @Test("counts for its own host and port")
  func counts() throws {
    let id = try #require(ConnectionID("a"))
    var connection = Connection(
      id: id, name: "A", kind: .certificate, origin: "https://a.example/x", clientID: "",
      createdAt: Timestamp(seconds: 0))
    connection.trustedKeys = [
      try #require(
        TrustedKey(server: "a.example:443", publicKey: String(repeating: "ab", count: 32), until: Timestamp(seconds: 9))
      )
    ]
    #expect(connection.server == "a.example:443")
    #expect(connection.trustedKey(of: "a.example:443") != nil)
    #expect(connection.trustedKey(of: "a.example:8443") == nil && connection.trustedKey(of: "b.a.example:443") == nil)
  }

  @Test("is looked for only where the connection has to do with the server")
  func knows() throws {
    let id = try #require(ConnectionID("a"))
    var connection = Connection(
      id: id, name: "A", kind: .certificate, origin: "https://a.example/x", clientID: "",
      createdAt: Timestamp(seconds: 0))
    connection.resources = ["https://b.example:8443/deep/path", "*.c.example"].compactMap { ResourcePattern($0) }
    for server in ["a.example:443", "b.example:8443", "x.c.example:443"] {
      #expect(connection.knows(server), "\(server)")
    }
    for server in ["a.example:22", "b.example:443", "c.example:443", "evil.example:443", "", "x"] {
      #expect(!connection.knows(server), "\(server)")
    }
  }

  @Test("authorities that a server names are compared with all of a chain")
  func issuers() {
    func certificate(_ subject: String, by issuer: String) -> CertificateDescription {
      CertificateDescription(
        subject: subject, issuer: issuer, fingerprint: "", publicKeyFingerprint: "", validFrom: Timestamp(seconds: 0),
        validUntil: Timestamp(seconds: 1))
    }
    let chain = [certificate("CN=Ana", by: "CN=Issuing"), certificate("CN=Issuing", by: "CN=Root,O=A")]
    for authorities in [[], ["CN=Issuing"], ["CN=X", "cn=root,o=a"]] {
      #expect(CertificateDescription.isIssued(chain: chain, by: authorities), "\(authorities)")
    }
    #expect(!CertificateDescription.isIssued(chain: chain, by: ["CN=Other", "O=A"]))
  }
}
