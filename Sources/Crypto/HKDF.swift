internal import COpenSSL

/// Keys derived from a key (RFC 5869).
public enum HKDF {
  /// Derives `count` bytes with HKDF-SHA-256.
  ///
  /// - Parameters:
  ///   - key: The input key, already random; not a password.
  ///   - salt: May be empty.
  ///   - info: What the derived key is for; different uses must differ here. At most 1024 bytes.
  ///   - count: Bytes wanted, 1 to 8160.
  /// - Returns: The derived key.
  /// - Throws: ``CryptoError/library(_:)`` when OpenSSL refuses.
  public static func sha256(
    key: [UInt8], salt: [UInt8] = [], info: [UInt8], count: Int = 32
  ) throws(CryptoError) -> [UInt8] {
    precondition((1...255 * SHA256.size).contains(count), "HKDF-SHA-256 gives 1 to 8160 bytes")
    let context = try unsafe require(EVP_KDF_CTX_new(Fetched.hkdf))
    defer { unsafe EVP_KDF_CTX_free(context) }
    var derived = [UInt8](repeating: 0, count: count)
    try unsafe check(
      copenssl_hkdf_sha256(
        context, key, key.count, salt, salt.count, info, info.count, &derived, count))
    return derived
  }
}

/// A key that many keys are derived from: what ``HKDF`` does, with the part that is always the same done once.
public struct DerivationKey: Sendable {
  /// There is no salt (RFC 5869 §2.2).
  private static let extraction = HMACSHA256(key: [UInt8](repeating: 0, count: SHA256.size))

  private let expansion: HMACSHA256

  /// Extracts from `key`, which is already random.
  public init(_ key: [UInt8]) { expansion = HMACSHA256(key: Self.extraction.authenticate(key)) }

  /// The 32-byte key for the use that `info` names: the first block of the expansion (RFC 5869 §2.3).
  public func derive(_ info: [UInt8]) -> [UInt8] { expansion.authenticate(info + [1]) }
}
