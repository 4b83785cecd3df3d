internal import COpenSSL

/// What an X.509 certificate says, for people to read and rules to compare.
public struct CertificateFacts: Sendable, Equatable {
  /// Names as RFC 4514 writes them, letters outside ASCII as they are.
  public let subject: String
  public let issuer: String
  /// SHA-256 of the whole certificate.
  public let fingerprint: [UInt8]
  /// SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4).
  public let publicKeyFingerprint: [UInt8]
  /// In seconds since 1970.
  public let validFrom: Int64
  public let validUntil: Int64

  /// Reads one certificate in DER.
  ///
  /// - Throws: ``CryptoError`` when it is none, or has something behind it.
  public init(der: [UInt8]) throws(CryptoError) { try self.init(CertificateHandle(der: der)) }

  /// Every certificate of a PEM text, in its order; other blocks are passed over.
  ///
  /// - Throws: ``CryptoError`` when one of them cannot be read.
  public static func all(inPEM text: [UInt8]) throws(CryptoError) -> [CertificateFacts] {
    var found: [CertificateFacts] = []
    for certificate in try CertificateHandle.all(inPEM: text) { found.append(try CertificateFacts(certificate)) }
    return found
  }

  init(_ certificate: CertificateHandle) throws(CryptoError) {
    subject = try certificate.subject
    issuer = try certificate.issuer
    fingerprint = SHA256.hash(try certificate.der())
    publicKeyFingerprint = SHA256.hash(try certificate.publicKeyInfo())
    validFrom = try certificate.validFrom
    validUntil = try certificate.validUntil
  }
}

/// Owner of one `X509`.
@safe final class CertificateHandle {
  @unsafe let raw: OpaquePointer

  @unsafe init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe X509_free(raw) }

  init(der: [UInt8]) throws(CryptoError) {
    var found: OpaquePointer?
    var isWhole = false
    unsafe der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      unsafe found = d2i_X509(nil, &cursor, bytes.count)
      isWhole = unsafe cursor == bytes.baseAddress?.advanced(by: bytes.count)
    }
    unsafe raw = try require(found)
    guard isWhole else { throw .library("Something follows the certificate.") }
  }

  static func all(inPEM text: [UInt8]) throws(CryptoError) -> [CertificateHandle] {
    let memory = try MemoryBIO(text)
    var found: [CertificateHandle] = []
    while let next = unsafe PEM_read_bio_X509(memory.raw, nil, nil, nil) {
      unsafe found.append(CertificateHandle(owning: next))
    }
    // The last try finds no beginning of another block.
    let isEnd = copenssl_reason(ERR_peek_last_error()) == PEM_R_NO_START_LINE
    ERR_clear_error()
    guard isEnd else { throw .library("A certificate cannot be read.") }
    return found
  }

  var subject: String { get throws(CryptoError) { try unsafe Self.text(of: X509_get_subject_name(raw)) } }

  var issuer: String { get throws(CryptoError) { try unsafe Self.text(of: X509_get_issuer_name(raw)) } }

  var validFrom: Int64 { get throws(CryptoError) { try unsafe Self.seconds(X509_get0_notBefore(raw)) } }

  var validUntil: Int64 { get throws(CryptoError) { try unsafe Self.seconds(X509_get0_notAfter(raw)) } }

  func der() throws(CryptoError) -> [UInt8] {
    try unsafe Self.encoded { unsafe i2d_X509(raw, $0) }
  }

  func publicKeyInfo() throws(CryptoError) -> [UInt8] {
    let key = try unsafe require(X509_get_X509_PUBKEY(raw))
    return try unsafe Self.encoded { unsafe i2d_X509_PUBKEY(key, $0) }
  }

  private static func encoded(
    _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  ) throws(CryptoError) -> [UInt8] {
    let count = write(nil)
    guard count > 0 else { throw .library("The certificate cannot be written.") }
    var der = [UInt8](repeating: 0, count: Int(count))
    unsafe der.withUnsafeMutableBufferPointer {
      var cursor = $0.baseAddress
      _ = unsafe write(&cursor)
    }
    return der
  }

  /// Control characters come escaped.
  private static func text(of name: OpaquePointer?) throws(CryptoError) -> String {
    let memory = try MemoryBIO()
    guard unsafe X509_NAME_print_ex(memory.raw, name, 0, copenssl_name_format) >= 0 else {
      ERR_clear_error()
      throw .library("A name in the certificate cannot be read.")
    }
    return String(decoding: memory.bytes, as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(CryptoError) -> Int64 {
    let epoch = unsafe ASN1_TIME_set(nil, 0)
    defer { unsafe ASN1_STRING_free(epoch) }
    var (days, seconds) = (Int32(0), Int32(0))
    guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
      ERR_clear_error()
      throw .library("A date in the certificate cannot be read.")
    }
    return Int64(days) * 86_400 + Int64(seconds)
  }
}

/// Owner of a `BIO` in memory, which wipes what it held.
@safe final class MemoryBIO {
  @unsafe let raw: OpaquePointer

  /// An empty one to write to.
  init() throws(CryptoError) { unsafe raw = try require(BIO_new(BIO_s_secmem())) }

  /// One that holds a copy of `content`.
  init(_ content: [UInt8]) throws(CryptoError) {
    unsafe raw = try require(BIO_new(BIO_s_secmem()))
    let count = unsafe content.withUnsafeBytes { unsafe BIO_write(raw, $0.baseAddress, Int32($0.count)) }
    guard count == content.count || content.isEmpty else { throw .library("There is no memory left.") }
  }

  deinit { unsafe BIO_free(raw) }

  /// Everything that was written and not read yet.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe BIO_read(raw, &piece, Int32(piece.count))
      guard count > 0 else { return bytes }
      bytes += piece.prefix(Int(count))
    }
  }
}
