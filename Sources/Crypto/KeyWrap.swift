internal import COpenSSL

/// AES-256 key wrap (RFC 3394, NIST SP 800-38F KW): keys stored under another key.
///
/// Authenticates, but binds to no context; derive the wrapping key per row to bind a key to its row.
public struct KeyWrap: Sendable {
  public static let keySize = 32
  private static let block = 8

  private let key: SecretBytes

  /// Creates a wrap under a key-encryption key.
  ///
  /// - Parameter key: 32 bytes.
  public init(key: [UInt8]) {
    precondition(key.count == Self.keySize, "an AES-256 key has 32 bytes")
    self.key = SecretBytes(key)
  }

  /// Wraps a key.
  ///
  /// - Parameter content: At least 16 bytes, a multiple of 8.
  /// - Returns: 8 bytes more than `content`.
  /// - Throws: ``CryptoError/invalidKey(_:)`` for another length.
  public func wrap(_ content: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard content.count >= 2 * Self.block, content.count.isMultiple(of: Self.block) else {
      throw .invalidKey("A wrapped key has at least 16 bytes and a multiple of 8.")
    }
    guard let wrapped = try start(.encrypt).wrapped(content, .encrypt) else {
      throw .library("the key could not be wrapped")
    }
    return wrapped
  }

  /// Unwraps what ``wrap(_:)`` returned.
  ///
  /// - Throws: ``CryptoError/notAuthentic`` when the key or a single bit differs.
  public func unwrap(_ wrapped: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard wrapped.count >= 3 * Self.block, wrapped.count.isMultiple(of: Self.block) else { throw .notAuthentic }
    guard let content = try start(.decrypt).wrapped(wrapped, .decrypt) else { throw .notAuthentic }
    return content
  }

  private func start(_ direction: CipherContext.Direction) throws(CryptoError) -> CipherContext {
    let cipher = try CipherContext()
    try unsafe cipher.start(direction, Fetched.aes256ECB, key: key, nonce: nil)
    return cipher
  }
}
