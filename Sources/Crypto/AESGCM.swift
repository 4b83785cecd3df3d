internal import COpenSSL

/// AES-256-GCM with a fresh random 96-bit nonce per message (NIST SP 800-38D).
///
/// One key may seal 2³² messages at most (§8.3 there); count them, or use a key per stored value.
public struct AESGCM: Sendable {
  public static let keySize = 32
  static let nonceSize = 12
  static let tagSize = 16

  private let key: SecretBytes

  /// Creates a box that seals and opens under `key`.
  ///
  /// - Parameter key: 32 bytes.
  public init(key: [UInt8]) {
    precondition(key.count == Self.keySize, "an AES-256 key has 32 bytes")
    self.key = SecretBytes(key)
  }

  /// Encrypts `message` under a fresh nonce (NIST SP 800-38D §8.2.2).
  ///
  /// - Parameters:
  ///   - message: Any number of bytes, also none.
  ///   - context: Bytes that are not stored but must be given again to ``open(_:context:)``, for example
  ///     the row's id, so that a sealed value cannot be moved to another row.
  /// - Returns: nonce (12 bytes), ciphertext (as long as `message`), tag (16 bytes), in this order.
  /// - Throws: ``CryptoError/library(_:)`` when OpenSSL refuses; never because of `message`.
  public func seal(_ message: [UInt8], context: [UInt8]) throws(CryptoError) -> [UInt8] {
    let nonce = Random.bytes(Self.nonceSize)
    let cipher = try CipherContext()
    try start(cipher, .encrypt, nonce: nonce, context: context)
    return nonce + (try cipher.update(message)) + (try cipher.tag(count: Self.tagSize))
  }

  /// Decrypts what ``seal(_:context:)`` returned.
  ///
  /// - Parameters:
  ///   - sealed: What was sealed; anything else is refused.
  ///   - context: The same bytes that were given when sealing.
  /// - Returns: The message.
  /// - Throws: ``CryptoError/notAuthentic`` when the key, the context or a single bit differs.
  public func open(_ sealed: [UInt8], context: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= Self.nonceSize + Self.tagSize else { throw .notAuthentic }
    let cipher = try CipherContext()
    try start(cipher, .decrypt, nonce: Array(sealed.prefix(Self.nonceSize)), context: context)
    var message = try cipher.update(Array(sealed.dropFirst(Self.nonceSize).dropLast(Self.tagSize)))
    guard cipher.isAuthentic(tag: Array(sealed.suffix(Self.tagSize))) else {
      cleanse(&message)
      throw .notAuthentic
    }
    return message
  }

  private func start(
    _ cipher: borrowing CipherContext, _ direction: CipherContext.Direction, nonce: [UInt8], context: [UInt8]
  ) throws(CryptoError) {
    try unsafe cipher.start(direction, Fetched.aes256GCM, key: key, nonce: nonce)
    try cipher.authenticate(context)
  }
}
