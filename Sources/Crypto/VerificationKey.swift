/// A public key that verifies with exactly one algorithm.
public final class VerificationKey: Sendable {
  public let algorithm: SignatureAlgorithm
  /// The numbers of the key, for a JWK and its thumbprint.
  public let parameters: PublicKeyParameters

  private let signatureSize: Int
  private let contexts: ContextPool<SignatureContext>

  /// Reads a public key from its numbers.
  ///
  /// - Parameters:
  ///   - parameters: Leading zeros of RSA numbers are dropped.
  ///   - algorithm: What it verifies with; must fit the kind of key.
  /// - Throws: ``CryptoError/invalidKey(_:)`` for a point off the curve, an RSA modulus below 2048 or above
  ///   8192 bits or from a generator known to be broken, an exponent that is even or below 3.
  public convenience init(
    _ parameters: PublicKeyParameters, algorithm: SignatureAlgorithm
  ) throws(CryptoError) {
    let info = try PublicKeyInfo(parameters)
    do {
      try self.init(KeyHandle(publicKeyInfo: info.der), algorithm)
    } catch .library(let reason) {
      throw .invalidKey(reason)
    }
  }

  /// Reads a public key from DER (SubjectPublicKeyInfo, RFC 5280 §4.1.2.7), with the same checks.
  public convenience init(publicKeyInfo der: [UInt8], algorithm: SignatureAlgorithm) throws(CryptoError) {
    try self.init(KeyHandle(publicKeyInfo: der).publicParameters(), algorithm: algorithm)
  }

  private init(_ handle: KeyHandle, _ algorithm: SignatureAlgorithm) throws(CryptoError) {
    let parameters = try handle.publicParameters()
    guard parameters.fits(algorithm) else { throw .invalidKey("The key does not fit \(algorithm.rawValue).") }
    self.algorithm = algorithm
    self.parameters = parameters
    signatureSize = algorithm == .es256 ? ECDSASignature.size : handle.signatureSize
    contexts = ContextPool { () throws(CryptoError) in try SignatureContext(.verify, handle, algorithm) }
  }

  /// The key as DER (SubjectPublicKeyInfo).
  public func publicKeyInfo() throws(CryptoError) -> [UInt8] { try PublicKeyInfo(parameters).der }

  /// Whether `signature`, written as JOSE does, is this key's signature of `message`.
  public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    guard signature.count == signatureSize else { return false }
    let native = algorithm == .es256 ? ECDSASignature(concatenated: signature).der : signature
    do {
      return try contexts.use { (context) throws(CryptoError) in try context.isValid(native, message) }
    } catch {
      // Without a context nothing was verified, so nothing is vouched for.
      return false
    }
  }

  /// Whether an ECDSA signature in DER, as other protocols than JOSE carry it, is this key's of `message`.
  public func isValid(der signature: [UInt8], for message: [UInt8]) -> Bool {
    guard algorithm == .es256 else { return false }
    do {
      return try contexts.use { (context) throws(CryptoError) in try context.isValid(signature, message) }
    } catch { return false }
  }
}
