/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  /// Bytes of a digest.
  public static let size = 32

  private static let contexts = ContextPool<DigestContext> { () throws(CryptoError) in try DigestContext() }

  /// The 32-byte digest of `message`.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    do {
      return try contexts.use { (context) throws(CryptoError) in try context.sha256(message) }
    } catch {
      preconditionFailure("OpenSSL cannot compute SHA-256: \(error)")
    }
  }

  /// The 32-byte digest of the UTF-8 bytes of `text`.
  public static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }
}

/// SHA-512 (FIPS 180-4).
public enum SHA512 {
  /// Bytes of a digest.
  public static let size = 64

  /// The 64-byte digest of `message`.
  public static func hash(_ message: [UInt8]) -> [UInt8] {
    do {
      return try DigestContext().sha512(message)
    } catch {
      preconditionFailure("OpenSSL cannot compute SHA-512: \(error)")
    }
  }
}
