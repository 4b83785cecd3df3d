/// An ECDSA signature on P-256 in its two forms: DER for OpenSSL (RFC 3279 §2.2.3), `r || s` for JOSE.
struct ECDSASignature {
  static let size = 64

  /// 32 bytes of r, then 32 bytes of s, big-endian.
  let concatenated: [UInt8]

  /// Takes 64 bytes.
  init(concatenated: [UInt8]) { self.concatenated = concatenated }

  /// Reads what OpenSSL writes: `SEQUENCE { INTEGER r, INTEGER s }`, less than 128 bytes long.
  init(der: [UInt8]) throws(CryptoError) {
    var concatenated = [UInt8](repeating: 0, count: Self.size)
    var cursor = 2
    for end in [Self.size / 2, Self.size] {
      guard cursor + 2 <= der.count, cursor + 2 + Int(der[cursor + 1]) <= der.count else {
        throw .library("The signature is not DER.")
      }
      let number = der[(cursor + 2)..<(cursor + 2 + Int(der[cursor + 1]))].drop { $0 == 0 }
      guard number.count <= Self.size / 2 else { throw .library("The signature is not on P-256.") }
      concatenated.replaceSubrange((end - number.count)..<end, with: number)
      cursor += 2 + Int(der[cursor + 1])
    }
    self.concatenated = concatenated
  }

  var der: [UInt8] {
    let numbers = DER.integer(concatenated.prefix(Self.size / 2)) + DER.integer(concatenated.suffix(Self.size / 2))
    return DER.sequence(numbers)
  }
}
