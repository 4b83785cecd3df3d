import Crypto
import JOSE
import JSON
import TestVectors
import Testing

@Suite("Wycheproof tokens and keys", .enabled(if: Vectors.folder != nil, "GATEHOUSE_VECTORS is not set"))
struct WycheproofTests {
  static let supported = Set(SignatureAlgorithm.allCases.map(\.rawValue))

  @Test(
    "tokens are accepted when they must be, and only with our algorithms",
    arguments: [("json_web_signature", 401, 16), ("json_web_key", 26, 1), ("json_web_crypto", 49, 2)])
  func tokens(name: String, cases: Int, valid: Int) throws {
    var count = 0
    var accepted = 0
    for group in try Vectors.json("wycheproof/\(name).json").array("testGroups") ?? [] {
      for test in group.array("tests") ?? [] where test["jws"] != nil {
        let isAccepted = Self.isAccepted(test, in: group)
        let comment = Comment("\(group.string("comment") ?? ""), case \(test.integer("tcId") ?? 0)")
        if test.string("result") == "valid" {
          #expect(isAccepted == Self.isOurs(test, in: group), comment)
        } else {
          #expect(!isAccepted, comment)
        }
        count += 1
        accepted += isAccepted ? 1 : 0
      }
    }
    #expect(count == cases)
    #expect(accepted == valid)
  }

  private static func isAccepted(_ test: JSONValue, in group: JSONValue) -> Bool {
    guard let keys = try? keySet(group), let token = test["jws"] else { return false }
    let text = token.string ?? String(decoding: token.encoded(), as: UTF8.self)
    guard let jws = try? JWS(parsing: text) else { return false }
    return (try? jws.payload(verifiedBy: keys, allowing: Set(SignatureAlgorithm.allCases))) != nil
  }

  /// The public keys of a group; where it only has private ones, their public parts.
  private static func keySet(_ group: JSONValue) throws -> JWKSet {
    let key = group["public"] ?? group["private"] ?? nil
    let keys = (key.array("keys") ?? [key]).map { key in
      JSONValue.object((key.object ?? []).filter { !["d", "p", "q", "dp", "dq", "qi"].contains($0.name) })
    }
    return try JWKSet(parsing: JSONValue.object([JSONValue.Member("keys", .array(keys))]).encoded())
  }

  /// Whether key and token both use one of our algorithms; Figure 20 of RFC 7520 is PS384 under a key that
  /// the file marks PS256, which we refuse.
  private static func isOurs(_ test: JSONValue, in group: JSONValue) -> Bool {
    let key = group["public"] ?? group["private"] ?? nil
    let keys = key.array("keys") ?? [key]
    return test.string("comment") != "Figure20"
      && keys.contains { key in key.string("alg").map { supported.contains($0) } ?? false }
  }

  @Test(
    "the tokens of RFC 7520 are verified or refused",
    arguments: [
      ("jws/4_1.rsa_v15_signature", true), ("jws/4_2.rsa-pss_signature", false), ("jws/4_3.ecdsa_signature", false),
      ("jws/4_4.hmac-sha2_integrity_protection", false), ("curve25519/jws", true),
    ])
  func cookbook(name: String, isOurs: Bool) throws {
    let example = try Vectors.json("jose-cookbook/\(name).json")
    let token = try #require(example["output"]?.string("compact"))
    guard isOurs else {
      #expect(throws: JWSFailure.algorithmNotAllowed) { try JWS(parsing: token) }
      return
    }
    let key = try #require(example["input"]?["key"]?.object)
    let jwk = try JWK(.object(key.filter { ["kty", "crv", "x", "n", "e", "kid", "use"].contains($0.name) }))
    let payload = try JWS(parsing: token).payload(verifiedBy: JWKSet([jwk]), allowing: [.rs256, .edDSA])
    #expect(String(decoding: payload, as: UTF8.self) == example["input"]?.string("payload"))
  }

  @Test(
    "the public keys of RFC 7520 are read, private and secret ones refused",
    arguments: [
      ("3_1.ec_public_key", JWKFailure.unsupported("crv")), ("3_2.ec_private_key", .notPublic),
      ("3_3.rsa_public_key", nil), ("3_4.rsa_private_key", .notPublic),
      ("3_5.symmetric_key_mac_computation", .notPublic), ("3_6.symmetric_key_encryption", .notPublic),
    ])
  func cookbookKeys(name: String, failure: JWKFailure?) throws {
    let value = try Vectors.json("jose-cookbook/jwk/\(name).json")
    if let failure {
      #expect(throws: failure) { try JWK(value) }
    } else {
      #expect(try JWK(value).keys.map(\.algorithm) == [.rs256, .ps256])
    }
  }
}
