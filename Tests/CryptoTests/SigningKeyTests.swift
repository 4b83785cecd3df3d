import Crypto
import Testing

@Suite("Signing keys") struct SigningKeyTests {
  static let message = Array("a message".utf8)

  @Test("sign what their public half verifies, also after export", arguments: SignatureAlgorithm.allCases)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm, bits: 2048)
    let again = try SigningKey(pkcs8: key.pkcs8(), algorithm: algorithm)
    let signature = try again.sign(Self.message)
    #expect(key.publicKey.parameters == again.publicKey.parameters)
    #expect(signature.count == (algorithm == .rs256 || algorithm == .ps256 ? 256 : 64))
    #expect(key.publicKey.isValid(signature, for: Self.message))
    #expect(!key.publicKey.isValid(signature, for: Self.message + [0]))
    #expect(!key.publicKey.isValid([], for: Self.message))
  }

  @Test("refuse any flipped bit of a signature", arguments: [SignatureAlgorithm.es256, .edDSA])
  func flippedBits(_ algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm)
    let signature = try key.sign(Self.message)
    for bit in 0..<signature.count * 8 {
      var changed = signature
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!key.publicKey.isValid(changed, for: Self.message))
    }
    #expect(key.publicKey.isValid(signature, for: Self.message))
  }

  @Test("give every ES256 signature 64 bytes, whatever its numbers' leading zeros") func fixedSize() throws {
    let key = try SigningKey.generate(.es256)
    for index in 0..<600 {
      let message = Array("\(index)".utf8)
      let signature = try key.sign(message)
      #expect(signature.count == 64)
      #expect(key.publicKey.isValid(signature, for: message))
    }
  }

  @Test("serve many threads at once") func concurrently() async throws {
    let key = try SigningKey.generate(.es256)
    let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<400 {
        group.addTask {
          let message = Array("\(index)".utf8)
          return key.publicKey.isValid(try key.sign(message), for: message)
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(valid == 400)
  }

  @Test("are not read with an algorithm they do not fit") func wrongKind() throws {
    let pkcs8 = try SigningKey.generate(.es256).pkcs8()
    #expect(throws: CryptoError.self) { try SigningKey(pkcs8: pkcs8, algorithm: .rs256) }
    #expect(throws: CryptoError.self) { try SigningKey(pkcs8: pkcs8 + [0], algorithm: .es256) }
    #expect(throws: CryptoError.self) { try SigningKey(pkcs8: Array(pkcs8.dropLast()), algorithm: .es256) }
    #expect(throws: CryptoError.self) { try SigningKey(pkcs8: [], algorithm: .es256) }
    #expect(throws: CryptoError.self) { try SigningKey.generate(.rs256, bits: 1024) }
  }

  /// RFC 8037 appendix A.1 and A.4.
  @Test("sign with Ed25519 as RFC 8037 does") func ed25519() throws {
    let seed = hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    let pkcs8 = hex("302e020100300506032b657004220420") + seed
    let key = try SigningKey(pkcs8: pkcs8, algorithm: .edDSA)
    #expect(
      key.publicKey.parameters
        == .ed25519(x: hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")))
    let input = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
    #expect(
      Base64URL.encode(try key.sign(input))
        == "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
  }
}

@Suite("Verification keys") struct VerificationKeyTests {
  @Test("refuse points off the curve") func offCurve() {
    let x = [UInt8](repeating: 1, count: 32)
    #expect(throws: CryptoError.self) { try VerificationKey(.p256(x: x, y: x), algorithm: .es256) }
    #expect(throws: CryptoError.self) {
      try VerificationKey(.p256(x: [UInt8](repeating: 0, count: 32), y: x), algorithm: .es256)
    }
    #expect(throws: CryptoError.self) { try VerificationKey(.p256(x: [1], y: [2]), algorithm: .es256) }
  }

  @Test(
    "refuse weak RSA numbers",
    arguments: [
      ([UInt8](repeating: 0xFF, count: 128), [1, 0, 1]),  // 1024 bits
      ([0] + [UInt8](repeating: 0xFF, count: 255), [1, 0, 1]),  // 2040 bits
      ([UInt8](repeating: 0xFF, count: 1025), [1, 0, 1]),  // 8200 bits
      ([UInt8](repeating: 0xFE, count: 256), [1, 0, 1]),  // even modulus
      ([UInt8](repeating: 0xFF, count: 256), [1]), ([UInt8](repeating: 0xFF, count: 256), [2]),
      ([UInt8](repeating: 0xFF, count: 256), []), ([UInt8](repeating: 0xFF, count: 256), [0, 0]),
    ])
  func weakRSA(modulus: [UInt8], exponent: [UInt8]) {
    #expect(throws: CryptoError.self) {
      try VerificationKey(.rsa(modulus: modulus, exponent: exponent), algorithm: .rs256)
    }
  }

  @Test("drop leading zeros of RSA numbers") func leadingZeros() throws {
    let key = try SigningKey.generate(.ps256, bits: 2048).publicKey
    guard case .rsa(let modulus, let exponent) = key.parameters else { throw CryptoError.notAuthentic }
    let padded = try VerificationKey(.rsa(modulus: [0] + modulus, exponent: [0] + exponent), algorithm: .ps256)
    #expect(padded.parameters == key.parameters)
    #expect(exponent == [1, 0, 1])
  }

  @Test("refuse to verify with another algorithm than their own") func separateAlgorithms() throws {
    let key = try SigningKey.generate(.rs256, bits: 2048)
    let signature = try key.sign([1])
    let other = try VerificationKey(key.publicKey.parameters, algorithm: .ps256)
    #expect(!other.isValid(signature, for: [1]))
    #expect(throws: CryptoError.self) { try VerificationKey(key.publicKey.parameters, algorithm: .es256) }
  }
}
