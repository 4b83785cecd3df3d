import Crypto
import Testing

@Suite("Hashes, codes and derived keys") struct HashingTests {
  @Test(
    "SHA-256 gives the digests of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func sha256(text: String, digest: String) {
    #expect(Hex.encode(SHA256.hash(text)) == digest)
  }

  /// RFC 7636 appendix B.
  @Test("SHA-256 and base64url make the PKCE challenge of RFC 7636") func pkce() {
    let challenge = Base64URL.encode(SHA256.hash("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  /// RFC 4231 §4.2 and §4.3.
  @Test(
    "HMAC gives the codes of RFC 4231, again and again",
    arguments: [
      (
        String(repeating: "0b", count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        "4a656665", "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
    ])
  func hmac(key: String, message: String, code: String) {
    let authenticator = HMACSHA256(key: hex(key))
    for _ in 0..<3 { #expect(Hex.encode(authenticator.authenticate(Array(message.utf8))) == code) }
    #expect(authenticator.isValid(hex(code), for: Array(message.utf8)))
    #expect(!authenticator.isValid(hex(code), for: Array(message.utf8) + [0]))
    #expect(!authenticator.isValid([], for: Array(message.utf8)))
  }

  /// RFC 5869 appendices A.1 and A.3.
  @Test("a derivation key gives what HKDF without a salt gives", arguments: [0, 1, 22, 80, 1000])
  func derivationKey(length: Int) throws {
    let (key, info) = (Random.bytes(32), Random.bytes(length))
    #expect(try DerivationKey(key).derive(info) == HKDF.sha256(key: key, info: info))
  }

  @Test("HKDF derives the keys of RFC 5869") func hkdf() throws {
    let key = [UInt8](repeating: 0x0B, count: 22)
    let first = try HKDF.sha256(
      key: key, salt: hex("000102030405060708090a0b0c"), info: hex("f0f1f2f3f4f5f6f7f8f9"), count: 42)
    #expect(
      Hex.encode(first)
        == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    let third = try HKDF.sha256(key: key, info: [], count: 42)
    #expect(
      Hex.encode(third)
        == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
  }

  @Test("comparison finds equal bytes equal") func comparison() {
    #expect(constantTimeEqual([], []))
    #expect(constantTimeEqual([1, 2], [1, 2]))
    #expect(!constantTimeEqual([1, 2], [1, 3]))
    #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
  }
}

@Suite("Random bytes and secrets") struct RandomTests {
  @Test("tokens are 43 characters of base64url and never repeat") func tokens() {
    let tokens = (0..<5000).map { _ in Random.token() }
    #expect(Set(tokens).count == 5000)
    #expect(tokens.allSatisfy { $0.utf8.count == 43 && Base64URL.decode($0)?.count == 32 })
  }

  @Test("threads never get the same bytes") func concurrently() async {
    let all = await withTaskGroup(of: [[UInt8]].self) { group in
      for _ in 0..<8 { group.addTask { (0..<2000).map { _ in Random.bytes(16) } } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(all).count == 16_000)
  }

  @Test("gives as many bytes as asked for", arguments: [0, 1, 64, 65, 10_000]) func counts(count: Int) {
    #expect(Random.bytes(count).count == count)
  }

  @Test("secrets print nothing of themselves") func secretsStaySecret() {
    let secret = SecretBytes(Array("hunter2".utf8))
    #expect("\(secret) \(String(reflecting: secret))" == "••• •••")
    #expect(secret.withBytes { $0.count } == 7)
    var bytes: [UInt8] = [1, 2]
    cleanse(&bytes)
    #expect(bytes.isEmpty)
  }
}
