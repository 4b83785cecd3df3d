internal import COpenSSL

/// Why a PKCS #12 file gives no client certificate.
public enum PKCS12Failure: UInt8, Error, Sendable, CaseIterable {
  /// It is no such file, or not whole.
  case damaged = 1
  case wrongPassphrase
  case noPrivateKey
  case noCertificate
  /// The private key belongs to none of the certificates.
  case otherKey
  /// Its key derivation asks for more work than any honest file.
  case tooCostly
  /// OpenSSL accepts no such key, or none so short or so long.
  case unsuitableKey
  /// It is encrypted in a way that OpenSSL does not know.
  case unknownEncryption
  /// Nobody could look into it just now.
  case notRead
}

/// A file with a private key, its certificate and those that signed it (RFC 7292).
///
/// To be read in a process of its own only (``PKCS12Reader``): what such a file makes a reader do is up to its author.
enum PKCS12 {
  /// In bytes.
  static let largest = 64 * 1024

  /// The certificate, then its issuers, then the key as PKCS #8, each as PEM.
  static func pem(of file: [UInt8], passphrase: [UInt8]) throws(PKCS12Failure) -> [UInt8] {
    guard (1...largest).contains(file.count), !passphrase.contains(0) else { throw .damaged }
    let container = try Container(file)
    guard unsafe container.cost <= PKCS12Cost.most else { throw .tooCostly }
    let passphrase = try container.accepted(passphrase)
    return try container.opened(with: passphrase).pem()
  }
}

/// The key and the certificates of an opened file.
@safe private final class Opened {
  private let key: OpaquePointer
  private let certificate: CertificateHandle
  private let others: OpaquePointer?

  @unsafe init(key: OpaquePointer?, certificate: OpaquePointer?, others: OpaquePointer?) throws(PKCS12Failure) {
    let count = unsafe others.map { unsafe OPENSSL_sk_num($0) } ?? 0
    guard let key = unsafe key else {
      unsafe Self.free(others)
      if let certificate = unsafe certificate { unsafe X509_free(certificate) }
      throw unsafe certificate == nil && count <= 0 ? .noCertificate : .noPrivateKey
    }
    guard let certificate = unsafe certificate else {
      unsafe Self.free(others)
      unsafe EVP_PKEY_free(key)
      throw count <= 0 ? .noCertificate : .otherKey
    }
    unsafe (self.key, self.others) = (key, others)
    self.certificate = unsafe CertificateHandle(owning: certificate)
  }

  deinit {
    unsafe EVP_PKEY_free(key)
    unsafe Self.free(others)
  }

  @unsafe private static func free(_ stack: OpaquePointer?) {
    unsafe OPENSSL_sk_pop_free(stack) { unsafe X509_free($0.map { OpaquePointer($0) }) }
  }

  /// What OpenSSL's usual security level takes, and nothing whose arithmetic alone would hold up a server.
  private var isSuitable: Bool {
    let bits = unsafe EVP_PKEY_get_bits(key)
    if unsafe EVP_PKEY_is_a(key, "RSA") == 1 { return (2048...4096).contains(bits) }
    if unsafe EVP_PKEY_is_a(key, "EC") == 1 { return (224...521).contains(bits) }
    return unsafe EVP_PKEY_is_a(key, "ED25519") == 1
  }

  func pem() throws(PKCS12Failure) -> [UInt8] {
    guard isSuitable else { throw .unsuitableKey }
    do throws(CryptoError) {
      let memory = try MemoryBIO()
      try unsafe check(PEM_write_bio_X509(memory.raw, certificate.raw))
      // OpenSSL gives them in the file's order, which is the leaf's issuer first by custom.
      for place in 0..<max(0, unsafe others.map { unsafe OPENSSL_sk_num($0) } ?? 0) {
        let other = unsafe OPENSSL_sk_value(others, place).map { OpaquePointer($0) }
        try unsafe check(PEM_write_bio_X509(memory.raw, other))
      }
      try unsafe check(PEM_write_bio_PKCS8PrivateKey(memory.raw, key, nil, nil, 0, nil, nil))
      return memory.bytes
    } catch { throw .damaged }
  }
}

/// Owner of a `PKCS12`.
@safe private final class Container {
  private let raw: OpaquePointer

  init(_ file: [UInt8]) throws(PKCS12Failure) {
    var found: OpaquePointer?
    var isWhole = false
    unsafe file.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      unsafe found = d2i_PKCS12(nil, &cursor, bytes.count)
      isWhole = unsafe cursor == bytes.baseAddress?.advanced(by: bytes.count)
    }
    guard let found = unsafe found else { throw .damaged }
    unsafe raw = found
    guard isWhole else { throw .damaged }
  }

  deinit { unsafe PKCS12_free(raw) }

  /// Rounds of key derivation that opening it takes, as far as that shows before anything is decrypted.
  var cost: UInt64 { unsafe PKCS12Cost.rounds(of: raw) }

  /// The passphrase as the file's MAC takes it: an empty one can mean two things (RFC 7292 §B.1).
  func accepted(_ passphrase: [UInt8]) throws(PKCS12Failure) -> [CChar]? {
    let text = passphrase.map { CChar(bitPattern: $0) } + [0]
    let candidates: [[CChar]?] = passphrase.isEmpty ? [text, nil] : [text]
    guard unsafe PKCS12_mac_present(raw) == 1 else { return text }
    for candidate in candidates where isRight(candidate) { return candidate }
    if isUnknownEncryption() { throw .unknownEncryption }
    // A changed byte breaks the MAC, too; only then the passphrase still opens what the file holds.
    throw candidates.contains(where: { opensAny($0) }) ? .damaged : .wrongPassphrase
  }

  private func isRight(_ passphrase: [CChar]?) -> Bool {
    ERR_clear_error()
    return unsafe withText(passphrase) { text, count in unsafe PKCS12_verify_mac(raw, text, count) == 1 }
  }

  private func isUnknownEncryption() -> Bool {
    let error = ERR_peek_error()
    defer { ERR_clear_error() }
    return copenssl_library(error) == ERR_LIB_EVP || copenssl_reason(error) == PKCS12_R_UNKNOWN_DIGEST_ALGORITHM
  }

  /// Whether the passphrase decrypts the first thing that is encrypted.
  private func opensAny(_ passphrase: [CChar]?) -> Bool {
    defer { ERR_clear_error() }
    return unsafe withText(passphrase) { text, count in
      unsafe PKCS12Cost.withSafes(of: raw) { safe in
        if let bags = unsafe PKCS12Cost.bags(in: safe) {
          defer { unsafe PKCS12Cost.free(bags: bags) }
          return unsafe PKCS12Cost.contains(bags) { bag in
            guard unsafe PKCS12_SAFEBAG_get_nid(bag) == NID_pkcs8ShroudedKeyBag,
              let key = unsafe PKCS12_decrypt_skey(bag, text, count)
            else { return false }
            unsafe PKCS8_PRIV_KEY_INFO_free(key)
            return true
          }
        }
        guard let bags = unsafe PKCS12_unpack_p7encdata(safe, text, count) else { return false }
        unsafe PKCS12Cost.free(bags: bags)
        return true
      }
    }
  }

  func opened(with passphrase: [CChar]?) throws(PKCS12Failure) -> Opened {
    var (key, certificate, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
    ERR_clear_error()
    let hasMAC = unsafe PKCS12_mac_present(raw) == 1
    let isOpen = unsafe withText(passphrase) { text, count in
      // OpenSSL opens no file without a MAC, so that such a file gets one.
      guard unsafe hasMAC || PKCS12_set_mac(raw, text, count, nil, 0, 1, EVP_sha256()) == 1 else { return false }
      return unsafe PKCS12_parse(raw, text, &key, &certificate, &others) == 1
    }
    guard isOpen else {
      if isUnknownEncryption() { throw .unknownEncryption }
      // Without a MAC, only what comes out tells.
      throw hasMAC ? .damaged : .wrongPassphrase
    }
    return try unsafe Opened(key: key, certificate: certificate, others: others)
  }

  private func withText<T>(_ text: [CChar]?, _ body: (UnsafePointer<CChar>?, Int32) -> T) -> T {
    guard let text else { return body(nil, 0) }
    return unsafe text.withUnsafeBufferPointer { unsafe body($0.baseAddress, Int32($0.count - 1)) }
  }
}
