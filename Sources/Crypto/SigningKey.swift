/// A private key that signs with exactly one algorithm.
///
/// Cheap to use from many threads at once: each takes prepared contexts from a pool.
public final class SigningKey: Sendable {
  public let algorithm: SignatureAlgorithm
  /// The public half.
  public let publicKey: VerificationKey

  private let handle: KeyHandle
  private let contexts: ContextPool<SignatureContext>

  private init(_ handle: KeyHandle, _ algorithm: SignatureAlgorithm) throws(CryptoError) {
    self.handle = handle
    self.algorithm = algorithm
    publicKey = try VerificationKey(handle.publicParameters(), algorithm: algorithm)
    contexts = ContextPool { () throws(CryptoError) in try SignatureContext(.sign, handle, algorithm) }
  }

  /// Makes a new key.
  ///
  /// - Parameters:
  ///   - algorithm: What it will sign with.
  ///   - bits: Size of an RSA modulus, 2048 to 4096; without meaning for the others.
  /// - Returns: The key, held in memory only.
  /// - Throws: ``CryptoError/invalidKey(_:)`` for another size.
  public static func generate(
    _ algorithm: SignatureAlgorithm, bits: Int = 3072
  ) throws(CryptoError) -> SigningKey {
    guard (2048...4096).contains(bits) else { throw .invalidKey("An RSA key has 2048 to 4096 bits.") }
    return try SigningKey(KeyHandle.generate(algorithm, bits: bits), algorithm)
  }

  /// Makes a new key on a thread of its own: an RSA key takes up to a second.
  ///
  /// A task that is cancelled waits no longer.
  public static func generateInBackground(
    _ algorithm: SignatureAlgorithm, bits: Int = 3072
  ) async throws -> SigningKey {
    let handover = KeyHandover()
    BackgroundThread.start(niceness: 5) { handover.give(Result { try generate(algorithm, bits: bits) }) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { handover.deliver(to: $0) }
    } onCancel: {
      handover.give(.failure(CancellationError()))
    }
  }

  /// Reads a private key.
  ///
  /// - Parameters:
  ///   - pkcs8: DER without encryption (RFC 5958).
  ///   - algorithm: What it signs with; must fit the kind of key.
  /// - Throws: ``CryptoError/invalidKey(_:)`` or ``CryptoError/library(_:)``.
  public convenience init(pkcs8: [UInt8], algorithm: SignatureAlgorithm) throws(CryptoError) {
    try self.init(KeyHandle(pkcs8: pkcs8), algorithm)
  }

  /// The private key as DER without encryption (RFC 5958): seal it, then ``cleanse(_:)`` it.
  public func pkcs8() throws(CryptoError) -> [UInt8] { try handle.pkcs8() }

  /// Signs a message.
  ///
  /// - Returns: The signature as JOSE writes it: 64 bytes `r || s` for ES256 (RFC 7518 §3.4), 64 bytes for
  ///   EdDSA, as many as the modulus for RSA.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let signature = try contexts.use { (context) throws(CryptoError) in try context.sign(message) }
    return algorithm == .es256 ? try ECDSASignature(der: signature).concatenated : signature
  }
}
