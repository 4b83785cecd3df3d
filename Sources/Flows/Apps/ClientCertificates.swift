public import Crypto
public import Domain
import HTTP
import JOSE

/// How the certificates of clients come here, and whose word on them counts (RFC 8705).
public struct ClientCertificates: Sendable {
  /// Whether any can come, by a listener of ours that asks for them or by a trusted proxy.
  public let areTaken: Bool
  /// Who may have issued them, for ``ClientAuthenticationMethod/tlsAuthority``.
  public let authorities: ClientAuthorities?
  /// The URL of the listener that asks for them; `nil` when the external URL takes them itself.
  public let alias: String?

  public init(areTaken: Bool = false, authorities: ClientAuthorities? = nil, alias: String? = nil) {
    self.areTaken = areTaken
    self.authorities = authorities
    self.alias = alias
  }

  /// Whether a certificate, in DER, is what the client was registered with.
  ///
  /// - Throws: `Refusal` `temporarily_unavailable` when the client's keys cannot be fetched from where they are.
  func prove(
    _ der: [UInt8], _ entry: KnownClients.Entry, _ here: Installation, at now: Timestamp
  ) async throws -> Bool {
    guard let certificate = try? PeerCertificate(der: der) else { return false }
    let client = entry.client
    switch client.authentication {
    case .tlsAuthority:
      guard let subject = client.options.certificateSubject, certificate.has(subject) else { return false }
      return authorities?.vouch(for: certificate, at: now.seconds) ?? false
    case .tlsSelfSigned:
      // Nobody vouches for these dates, which may as well stand the wrong way round.
      let facts = certificate.facts
      guard facts.validFrom <= now.seconds, now.seconds <= facts.validUntil else { return false }
      return try await here.keys(of: entry).certificates.contains {
        constantTimeEqual($0, facts.fingerprint)
      }
    default: return false
    }
  }
}

extension PeerCertificate {
  /// Whether it names what the client was registered with, to the byte (RFC 8705 §2.1.2).
  fileprivate func has(_ subject: CertificateSubject) -> Bool {
    switch subject.field {
    case .distinguishedName: facts.subject.utf8.elementsEqual(subject.value.utf8)
    case .dnsName: names(.dns(subject.value))
    case .uri: names(.uri(subject.value))
    case .email: names(.email(subject.value))
    case .address: alternativeNames.contains { $0.address != nil && $0.address == IPAddress(subject.value) }
    }
  }

  private func names(_ name: AlternativeName) -> Bool { alternativeNames.contains(name) }
}

extension PeerCertificate.AlternativeName {
  fileprivate var address: IPAddress? {
    guard case .address(let bytes) = self else { return nil }
    if bytes.count == 4 { return IPAddress(bytes.map { String($0) }.joined(separator: ".")) }
    guard bytes.count == 16 else { return nil }
    let groups = stride(from: 0, to: 16, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
    return IPAddress(groups.joined(separator: ":"))
  }
}

extension TokenBinding {
  /// The binding to a certificate in DER (RFC 8705 §3.1).
  public static func certificate(der: [UInt8]) -> TokenBinding { .certificate(Base64URL.encode(SHA256.hash(der))) }
}
