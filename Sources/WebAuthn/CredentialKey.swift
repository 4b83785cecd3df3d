public import Crypto

/// The public key of a passkey.
public struct CredentialKey: Sendable, Equatable {
  public let algorithm: SignatureAlgorithm
  /// DER of the SubjectPublicKeyInfo, as it is stored.
  public let publicKeyInfo: [UInt8]

  /// The numbers of the algorithms that are taken, the preferred one first (IANA COSE Algorithms).
  public static let algorithms: [Int64] = [-7, -8, -257]

  /// A key that was stored.
  public init(algorithm: SignatureAlgorithm, publicKeyInfo: [UInt8]) {
    self.algorithm = algorithm
    self.publicKeyInfo = publicKeyInfo
  }

  /// Reads a COSE key (RFC 9053 §7, RFC 8230 §4).
  init(cose: CBOR) throws(WebAuthnFailure) {
    let parameters: PublicKeyParameters
    switch (cose[1]?.integer, cose[3]?.integer, cose[-1]?.integer) {
    case (2, -7, 1):
      guard let x = cose[-2]?.bytes, let y = cose[-3]?.bytes else { throw Self.incomplete }
      (algorithm, parameters) = (.es256, .p256(x: x, y: y))
    case (1, -8, 6):
      guard let x = cose[-2]?.bytes else { throw Self.incomplete }
      (algorithm, parameters) = (.edDSA, .ed25519(x: x))
    case (3, -257, _):
      guard let modulus = cose[-1]?.bytes, let exponent = cose[-2]?.bytes else { throw Self.incomplete }
      (algorithm, parameters) = (.rs256, .rsa(modulus: modulus, exponent: exponent))
    default: throw .unsupported("The key is of another kind than ES256, EdDSA and RS256.")
    }
    do {
      publicKeyInfo = try VerificationKey(parameters, algorithm: algorithm).publicKeyInfo()
    } catch { throw .unsupported("OpenSSL does not take the key: \(error)") }
  }

  private static let incomplete = WebAuthnFailure.malformed("A part of the key is missing.")

  /// Whether the key signed `message`; ECDSA signatures come in DER (WebAuthn Level 2, §6.5.6).
  func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    do {
      let key = try VerificationKey(publicKeyInfo: publicKeyInfo, algorithm: algorithm)
      guard algorithm == .es256 else { return key.isValid(signature, for: message) }
      return key.isValid(der: signature, for: message)
    } catch { return false }
  }
}
