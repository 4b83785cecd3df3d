/// The signature algorithms we make and accept, named as in JOSE (RFC 7518 §3.1, RFC 8037 §3.1).
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
  /// ECDSA on P-256 with SHA-256.
  case es256 = "ES256"
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and 32 bytes of salt.
  case ps256 = "PS256"
  /// Ed25519.
  case edDSA = "EdDSA"
}

/// The numbers a public key consists of, big-endian, as a JWK holds them (RFC 7518 §6, RFC 8037 §2).
public enum PublicKeyParameters: Sendable, Equatable {
  /// A point on P-256; 32 bytes each.
  case p256(x: [UInt8], y: [UInt8])
  /// An RSA key; without leading zero bytes.
  case rsa(modulus: [UInt8], exponent: [UInt8])
  /// A key of Ed25519; 32 bytes.
  case ed25519(x: [UInt8])

  /// Whether a key like this can be used with `algorithm`.
  public func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch (self, algorithm) {
    case (.p256, .es256), (.rsa, .rs256), (.rsa, .ps256), (.ed25519, .edDSA): true
    default: false
    }
  }
}
