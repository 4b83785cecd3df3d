internal import COpenSSL

/// HMAC with SHA-256 under one key (RFC 2104).
///
/// Make one per key and keep it: the key schedule is computed once per thread.
public struct HMACSHA256: Sendable {
  private let contexts: ContextPool<MACContext>

  /// Creates a message authenticator.
  ///
  /// - Parameter key: Any number of bytes; 32 random ones are meant.
  public init(key: [UInt8]) {
    let key = SecretBytes(key)
    contexts = ContextPool { () throws(CryptoError) in try MACContext(key: key) }
  }

  /// The 32-byte code of `message`.
  public func authenticate(_ message: [UInt8]) -> [UInt8] {
    do {
      return try contexts.use { (context) throws(CryptoError) in try context.code(of: message) }
    } catch {
      preconditionFailure("OpenSSL cannot compute HMAC: \(error)")
    }
  }

  /// Whether `code` is the code of `message`, compared in constant time.
  public func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
    constantTimeEqual(code, authenticate(message))
  }
}

/// Owner of one `EVP_MAC_CTX` that keeps its key between messages.
///
/// `@unchecked Sendable`: only a ``ContextPool`` holds it, so one thread at a time uses it.
@safe private final class MACContext: @unchecked Sendable {
  private let raw: OpaquePointer

  init(key: SecretBytes) throws(CryptoError) {
    unsafe raw = try require(EVP_MAC_CTX_new(Fetched.hmac))
    let raw = unsafe raw
    let count = key.count
    try unsafe key.withPointer { (key) throws(CryptoError) in
      try unsafe check(copenssl_hmac_sha256_start(raw, key, count))
    }
  }

  deinit { unsafe EVP_MAC_CTX_free(raw) }

  func code(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: SHA256.size)
    var count = 0
    try unsafe check(EVP_MAC_init(raw, nil, 0, nil))
    try unsafe check(EVP_MAC_update(raw, message, message.count))
    try unsafe check(EVP_MAC_final(raw, &code, &count, code.count))
    return code
  }
}
