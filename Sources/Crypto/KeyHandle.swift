internal import COpenSSL

/// Owner of one `EVP_PKEY`.
///
/// `@unchecked Sendable`: nothing changes the key after `init`, its reference count is atomic, and OpenSSL
/// documents that threads may share an unchanging `EVP_PKEY` as long as each has its own contexts.
@safe final class KeyHandle: @unchecked Sendable {
  @unsafe let raw: OpaquePointer

  private init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe EVP_PKEY_free(raw) }

  /// Bytes of the longest signature.
  var signatureSize: Int { unsafe Int(EVP_PKEY_get_size(raw)) }

  // MARK: Making

  static func generate(_ algorithm: SignatureAlgorithm, bits: Int) throws(CryptoError) -> KeyHandle {
    let name =
      switch algorithm {
      case .es256: "EC"
      case .rs256, .ps256: "RSA"
      case .edDSA: "ED25519"
      }
    let context = try unsafe require(EVP_PKEY_CTX_new_from_name(nil, name, nil))
    defer { unsafe EVP_PKEY_CTX_free(context) }
    try unsafe check(EVP_PKEY_keygen_init(context))
    switch algorithm {
    case .es256: try unsafe check(EVP_PKEY_CTX_set_group_name(context, "P-256"))
    case .rs256, .ps256: try unsafe check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)))
    case .edDSA: break
    }
    var key: OpaquePointer?
    try unsafe check(EVP_PKEY_generate(context, &key))
    return unsafe KeyHandle(owning: try require(key))
  }

  // MARK: Private keys, PKCS#8 (RFC 5958)

  init(pkcs8: [UInt8]) throws(CryptoError) {
    var key: OpaquePointer?
    var isWhole = false
    unsafe pkcs8.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      guard let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, bytes.count) else { return }
      defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
      isWhole = unsafe cursor == bytes.baseAddress?.advanced(by: bytes.count)
      unsafe key = EVP_PKCS82PKEY(info)
    }
    unsafe raw = try require(key)
    guard isWhole else { throw .invalidKey("Something follows the private key.") }
  }

  func pkcs8() throws(CryptoError) -> [UInt8] {
    let info = try unsafe require(EVP_PKEY2PKCS8(raw))
    defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
    let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
    guard count > 0 else { throw .library("The private key cannot be written.") }
    var der = [UInt8](repeating: 0, count: Int(count))
    unsafe der.withUnsafeMutableBufferPointer {
      var cursor = $0.baseAddress
      unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &cursor)
    }
    return der
  }

  // MARK: Public keys, SubjectPublicKeyInfo (RFC 5280 §4.1.2.7)

  init(publicKeyInfo der: [UInt8]) throws(CryptoError) {
    var key: OpaquePointer?
    var isWhole = false
    unsafe der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      unsafe key = d2i_PUBKEY(nil, &cursor, bytes.count)
      isWhole = unsafe cursor == bytes.baseAddress?.advanced(by: bytes.count)
    }
    unsafe raw = try require(key)
    guard isWhole else { throw .invalidKey("Something follows the public key.") }
  }

  /// The public numbers of the key, whichever kind it is.
  func publicParameters() throws(CryptoError) -> PublicKeyParameters {
    if unsafe EVP_PKEY_is_a(raw, "RSA") == 1 {
      return .rsa(modulus: try number("n", size: nil), exponent: try number("e", size: nil))
    }
    if unsafe EVP_PKEY_is_a(raw, "ED25519") == 1 {
      var key = [UInt8](repeating: 0, count: 32)
      var count = key.count
      try unsafe check(EVP_PKEY_get_raw_public_key(raw, &key, &count))
      return .ed25519(x: key)
    }
    var group = [CChar](repeating: 0, count: 32)
    guard unsafe EVP_PKEY_is_a(raw, "EC") == 1,
      unsafe EVP_PKEY_get_utf8_string_param(raw, "group", &group, group.count, nil) == 1,
      group.starts(with: "prime256v1".utf8.map(CChar.init))
    else { throw .invalidKey("Only RSA, P-256 and Ed25519 keys are supported.") }
    return .p256(x: try number("qx", size: 32), y: try number("qy", size: 32))
  }

  private func number(_ name: String, size: Int32?) throws(CryptoError) -> [UInt8] {
    var number: OpaquePointer?
    try unsafe check(EVP_PKEY_get_bn_param(raw, name, &number))
    defer { unsafe BN_free(number) }
    let count = unsafe size ?? (BN_num_bits(number) + 7) / 8
    var bytes = [UInt8](repeating: 0, count: Int(count))
    guard unsafe BN_bn2binpad(number, &bytes, count) == count else { throw .invalidKey("A number is too long.") }
    return bytes
  }
}
