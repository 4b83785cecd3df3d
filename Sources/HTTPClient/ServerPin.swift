import COpenSSL
import Glibc

/// The public key that a server is trusted by, whoever signed its certificate.
///
/// Its name and its dates must fit all the same.
public struct ServerPin: Sendable, Hashable {
  /// SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4).
  public let publicKey: [UInt8]
  /// When it is no longer trusted, in seconds since 1970.
  public let until: Int64

  public init(publicKey: [UInt8], until: Int64) {
    self.publicKey = publicKey
    self.until = until
  }

  var hasEnded: Bool { Int64(time(nil)) >= until }
}

/// A pin where OpenSSL's callbacks find it; kept for as long as a connection may ask for it.
final class PinnedKey {
  private let pin: ServerPin

  init(_ pin: ServerPin) { self.pin = pin }

  /// Numbers of OpenSSL that it would not give by itself here.
  static let ended = X509_V_ERR_CERT_REJECTED
  static let otherKey = X509_V_ERR_CERT_UNTRUSTED

  /// Has a TLS context trust the key and nothing else.
  @unsafe func install(in context: OpaquePointer) {
    unsafe SSL_CTX_set_cert_verify_callback(context, keyCompared, Unmanaged.passUnretained(self).toOpaque())
  }

  /// In place of OpenSSL's verification: 1 when the certificate is to be trusted.
  @unsafe func verify(_ store: OpaquePointer) -> Int32 {
    let verdict = unsafe verdict(on: X509_STORE_CTX_get0_cert(store))
    unsafe X509_STORE_CTX_set_error(store, verdict)
    return verdict == X509_V_OK ? 1 : 0
  }

  @unsafe private func verdict(on leaf: OpaquePointer?) -> Int32 {
    guard let leaf = unsafe leaf else { return X509_V_ERR_UNSPECIFIED }
    if pin.hasEnded { return Self.ended }
    guard unsafe PresentedChain.publicKeyDigest(of: leaf) == pin.publicKey else { return Self.otherKey }
    if unsafe X509_cmp_current_time(X509_get0_notBefore(leaf)) >= 0 { return X509_V_ERR_CERT_NOT_YET_VALID }
    if unsafe X509_cmp_current_time(X509_get0_notAfter(leaf)) <= 0 { return X509_V_ERR_CERT_HAS_EXPIRED }
    return X509_V_OK
  }
}

private let keyCompared: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, context in
  guard let store = unsafe store, let context = unsafe context else { return 0 }
  return unsafe Unmanaged<PinnedKey>.fromOpaque(context).takeUnretainedValue().verify(store)
}

/// The certificates that a server showed.
enum PresentedChain {
  /// As many as are looked at.
  private static let longest: Int32 = 10

  /// In DER, the server's own first.
  @unsafe static func read(_ store: OpaquePointer) -> [[UInt8]] {
    guard let shown = unsafe X509_STORE_CTX_get0_untrusted(store) else { return [] }
    return (0..<max(0, min(unsafe OPENSSL_sk_num(shown), longest))).compactMap { place in
      unsafe OPENSSL_sk_value(shown, place).flatMap { certificate in
        unsafe encoded { unsafe i2d_X509(OpaquePointer(certificate), $0) }
      }
    }
  }

  @unsafe static func publicKeyDigest(of certificate: OpaquePointer) -> [UInt8]? {
    guard let key = unsafe X509_get_X509_PUBKEY(certificate),
      let info = unsafe encoded({ unsafe i2d_X509_PUBKEY(key, $0) })
    else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    guard unsafe EVP_Digest(info, info.count, &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
    return digest
  }

  @unsafe private static func encoded(
    _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  ) -> [UInt8]? {
    let count = write(nil)
    guard count > 0 else { return nil }
    var der = [UInt8](repeating: 0, count: Int(count))
    unsafe der.withUnsafeMutableBufferPointer {
      var cursor = $0.baseAddress
      _ = unsafe write(&cursor)
    }
    return der
  }
}
