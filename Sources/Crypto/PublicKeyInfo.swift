/// A public key whose numbers were checked, as DER (SubjectPublicKeyInfo, RFC 5280 §4.1.2.7).
///
/// That a point lies on its curve is checked by OpenSSL when it reads the DER.
struct PublicKeyInfo {
  let der: [UInt8]

  init(_ parameters: PublicKeyParameters) throws(CryptoError) {
    switch parameters {
    case .p256(let x, let y):
      guard x.count == 32, y.count == 32 else { throw .invalidKey("A coordinate on P-256 has 32 bytes.") }
      der = DER.sequence(Self.p256 + DER.bitString([0x04] + x + y))
    case .ed25519(let x):
      guard x.count == 32 else { throw .invalidKey("An Ed25519 key has 32 bytes.") }
      der = DER.sequence(Self.ed25519 + DER.bitString(x))
    case .rsa(let modulus, let exponent):
      try RSANumbers.check(modulus: modulus, exponent: exponent)
      let key = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
      der = DER.sequence(Self.rsa + DER.bitString(key))
    }
  }

  /// `{ id-ecPublicKey, prime256v1 }` (RFC 5480 §2.1.1).
  private static let p256: [UInt8] =
    [0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  /// `{ id-Ed25519 }` (RFC 8410 §3).
  private static let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]
  /// `{ rsaEncryption, NULL }` (RFC 3279 §2.3.1).
  private static let rsa: [UInt8] =
    [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
}

/// What an RSA public key must be so that its signatures mean anything.
enum RSANumbers {
  static func check(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    let modulus = modulus.drop { $0 == 0 }
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard (2048...8192).contains(bits) else { throw .invalidKey("An RSA modulus has 2048 to 8192 bits.") }
    guard let last = modulus.last, last & 1 == 1 else { throw .invalidKey("The RSA modulus is even.") }
    let digits = exponent.drop { $0 == 0 }
    let value = digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard digits.count <= 8, value >= 3, value & 1 == 1 else {
      throw .invalidKey("The RSA exponent is even, below 3 or above 64 bits.")
    }
    guard !hasWeakPrimes(modulus) else {
      throw .invalidKey("The RSA key comes from a generator whose keys can be factored (CVE-2017-15361).")
    }
  }

  /// Whether the modulus has the fingerprint of ROCA: modulo every small prime it is a power of 65537.
  ///
  /// A sound key has it with a probability below 2⁻²⁷ (Nemec et al., CCS 2017, §3.3).
  private static func hasWeakPrimes(_ modulus: some Sequence<UInt8>) -> Bool {
    smallPrimes.allSatisfy { prime in
      let remainder = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
      var power = 1
      repeat {
        if power == remainder { return true }
        power = power * 65537 % prime
      } while power != 1
      return false
    }
  }

  private static let smallPrimes = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107,
    109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
  ]
}
