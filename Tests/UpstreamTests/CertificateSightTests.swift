import Domain
import HTTPClient
import Testing

@testable import Upstream

@Suite("What a server makes of a client certificate")
struct CertificateSightTests {
  private func sight(alert: UInt8? = nil, status: Int?) -> CertificateSight {
    var handshake = Handshake(clientAuthorities: ["CN=A"])
    handshake.alert = alert
    return CertificateSight(handshake: handshake, status: status)
  }

  @Test(
    "is told by the alert that ends the handshake (RFC 8446 §6.2)",
    arguments: [
      (48, .unknownAuthority), (45, .expired), (44, .revoked), (42, .unsuitable), (43, .unsuitable),
      (49, .accessDenied), (116, .stillWanted), (46, .other), (40, .other), (nil, .other),
    ] as [(UInt8?, CertificateProblem.Refusal)])
  func alerts(number: UInt8?, refusal: CertificateProblem.Refusal) {
    let before = sight(alert: 116, status: nil)
    #expect(sight(alert: number, status: nil).refusal(after: before) == refusal)
  }

  @Test("is told by the answer where the handshake goes on without one")
  func answers() {
    let optional = sight(status: 400)
    #expect(sight(status: 400).refusal(after: optional) == .stillWanted)
    #expect(sight(status: 403).refusal(after: sight(status: 403)) == .stillWanted)
    #expect(sight(status: 495).refusal(after: optional) == .other)
    // What it says to somebody it knows is not about the certificate.
    #expect(sight(status: 403).refusal(after: sight(alert: 116, status: nil)) == nil)
    #expect(sight(status: 401).refusal(after: optional) == nil && sight(status: 200).refusal(after: optional) == nil)
  }
}
