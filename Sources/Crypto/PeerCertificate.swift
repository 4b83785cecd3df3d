internal import COpenSSL
import Glibc

/// A certificate that the other end of a connection showed, proven to be its own by the handshake.
public struct PeerCertificate: Sendable, Equatable {
  /// A name that stands beside the subject (RFC 5280 §4.2.1.6).
  public enum AlternativeName: Sendable, Equatable {
    case dns(String)
    case uri(String)
    case email(String)
    /// 4 or 16 bytes.
    case address([UInt8])
  }

  public let der: [UInt8]
  public let facts: CertificateFacts
  public let alternativeNames: [AlternativeName]

  /// Reads one certificate in DER.
  ///
  /// - Throws: ``CryptoError`` when it is none, or has something behind it.
  public init(der: [UInt8]) throws(CryptoError) {
    let certificate = try CertificateHandle(der: der)
    self.der = der
    facts = try CertificateFacts(certificate)
    alternativeNames = certificate.alternativeNames
  }

  /// SHA-256 of the certificate, in base64url (RFC 8705 §3.1).
  public var thumbprint: String { Base64URL.encode(facts.fingerprint) }
}

extension CertificateHandle {
  fileprivate var alternativeNames: [PeerCertificate.AlternativeName] {
    guard let names = unsafe copenssl_alternative_names(raw) else {
      ERR_clear_error()
      return []
    }
    defer { unsafe GENERAL_NAMES_free(names) }
    return (0..<(unsafe copenssl_name_count(names))).compactMap { index in
      var count: Int32 = 0
      guard let start = unsafe copenssl_name_bytes(names, index, &count) else { return nil }
      let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
      let text = String(decoding: bytes, as: UTF8.self)
      return switch unsafe copenssl_name_kind(names, index) {
      case GEN_DNS: .dns(text)
      case GEN_URI: .uri(text)
      case GEN_EMAIL: .email(text)
      case GEN_IPADD: .address(bytes)
      default: nil
      }
    }
  }
}

/// Certificate authorities whose word on client certificates counts.
///
/// `@unchecked Sendable`: the store is not changed once it is made, and verifying locks inside OpenSSL.
@safe public final class ClientAuthorities: @unchecked Sendable {
  private let raw: OpaquePointer

  /// Reads every certificate of a PEM text; an intermediate one is an anchor of its own.
  ///
  /// - Throws: ``CryptoError`` when one of them cannot be read, or there is none.
  public init(pem: [UInt8]) throws(CryptoError) {
    let certificates = try CertificateHandle.all(inPEM: pem)
    guard !certificates.isEmpty else { throw .library("There is no certificate.") }
    unsafe raw = try require(X509_STORE_new())
    for certificate in certificates { try unsafe check(X509_STORE_add_cert(raw, certificate.raw)) }
    unsafe X509_STORE_set_flags(raw, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  deinit { unsafe X509_STORE_free(raw) }

  /// Whether one of them issued a certificate for clients, and it is valid now.
  public func vouch(for certificate: PeerCertificate, at now: Int64) -> Bool {
    guard let handle = try? CertificateHandle(der: certificate.der), let context = unsafe X509_STORE_CTX_new() else {
      return false
    }
    defer {
      unsafe X509_STORE_CTX_free(context)
      ERR_clear_error()
    }
    guard unsafe X509_STORE_CTX_init(context, raw, handle.raw, nil) == 1,
      unsafe X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_CLIENT) == 1
    else { return false }
    unsafe X509_STORE_CTX_set_time(context, 0, time_t(now))
    return unsafe X509_verify_cert(context) == 1
  }
}
