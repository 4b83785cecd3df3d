import Crypto
import JSON
import TestVectors
import Testing

@Suite("Wycheproof", .enabled(if: Vectors.folder != nil, "GATEHOUSE_VECTORS is not set"))
struct WycheproofTests {
  @Test("AES-256-GCM opens what is authentic and nothing else") func aesGCM() throws {
    var count = 0
    for group in try Vectors.groups("aes_gcm")
    where group.group.integer("keySize") == 256 && group.group.integer("ivSize") == 96 {
      for test in group.cases {
        let box = AESGCM(key: try test.bytes("key"))
        let sealed = try test.bytes("iv") + test.bytes("ct") + test.bytes("tag")
        if test.isValid {
          #expect(try box.open(sealed, context: test.bytes("aad")) == test.bytes("msg"), "\(test)")
        } else {
          #expect(throws: CryptoError.notAuthentic, "\(test)") { try box.open(sealed, context: test.bytes("aad")) }
        }
        count += 1
      }
    }
    #expect(count >= 60)
  }

  @Test("AES-256 key wrap unwraps what is authentic and nothing else") func keyWrap() throws {
    var count = 0
    for group in try Vectors.groups("aes_wrap") where group.group.integer("keySize") == 256 {
      for test in group.cases {
        let wrap = KeyWrap(key: try test.bytes("key"))
        if test.isValid {
          #expect(try wrap.wrap(test.bytes("msg")) == test.bytes("ct"), "\(test)")
          #expect(try wrap.unwrap(test.bytes("ct")) == test.bytes("msg"), "\(test)")
        } else if test.isInvalid {
          #expect(throws: CryptoError.notAuthentic, "\(test)") { try wrap.unwrap(test.bytes("ct")) }
        }
        count += 1
      }
    }
    #expect(count >= 50)
  }

  @Test("HKDF-SHA-256 derives the expected keys") func hkdf() throws {
    var count = 0
    for test in try Vectors.groups("hkdf_sha256").flatMap(\.cases) where test.isValid {
      let derived = try HKDF.sha256(
        key: test.bytes("ikm"), salt: test.bytes("salt"), info: test.bytes("info"),
        count: Int(test.test.integer("size") ?? 0))
      #expect(derived == (try test.bytes("okm")), "\(test)")
      count += 1
    }
    #expect(count == 83)
  }

  @Test("HMAC-SHA-256 tells codes apart") func hmac() throws {
    var count = 0
    for group in try Vectors.groups("hmac_sha256") {
      for test in group.cases {
        let code = Array(HMACSHA256(key: try test.bytes("key")).authenticate(try test.bytes("msg")))
        let size = Int(group.group.integer("tagSize") ?? 0) / 8
        #expect(constantTimeEqual(Array(code.prefix(size)), try test.bytes("tag")) == test.isValid, "\(test)")
        count += 1
      }
    }
    #expect(count == 174)
  }

  @Test(
    "signatures are valid when they must be and only then",
    arguments: [
      ("ecdsa_secp256r1_sha256_p1363", SignatureAlgorithm.es256, 262), ("ed25519", .edDSA, 151),
      ("rsa_signature_2048_sha256", .rs256, 259), ("rsa_pss_2048_sha256_mgf1_32", .ps256, 108),
    ])
  func signatures(name: String, algorithm: SignatureAlgorithm, expected: Int) throws {
    var count = 0
    for group in try Vectors.groups(name) {
      let der = hex(try #require(group.group.string("publicKeyDer")))
      let key = try VerificationKey(publicKeyInfo: der, algorithm: algorithm)
      #expect(try key.publicKeyInfo() == der)
      for test in group.cases {
        let isValid = key.isValid(try test.bytes("sig"), for: try test.bytes("msg"))
        if test.isValid { #expect(isValid, "\(test)") }
        if test.isInvalid { #expect(!isValid, "\(test)") }
        count += 1
      }
    }
    #expect(count == expected)
  }
}
