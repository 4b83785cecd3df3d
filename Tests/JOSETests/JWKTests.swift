import Crypto
import JOSE
import JSON
import Testing

@Suite("JSON Web Keys") struct JWKTests {
  static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
  static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

  @Test("survive being written and read", arguments: SignatureAlgorithm.allCases)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let jwk = JWK(try TestKeys.make(algorithm).publicKey)
    let again = try JWK(jwk.json)
    #expect(again.parameters == jwk.parameters)
    #expect(again.keyID == Base64URL.encode(jwk.thumbprint))
    #expect(again.keys.map(\.algorithm) == [algorithm])
    #expect(jwk.json.string("use") == "sig")
    #expect(jwk.json.string("alg") == algorithm.rawValue)
    #expect(jwk.json["d"] == nil)
  }

  static let point: [JSONValue.Member] = [
    .init("kty", "EC"), .init("crv", "P-256"), .init("x", .string(x)), .init("y", .string(y)),
  ]

  /// The point with members replaced or added.
  static func point(_ changes: [JSONValue.Member]) -> JSONValue {
    .object(point.filter { member in !changes.contains { $0.name == member.name } } + changes)
  }

  static let refused: [(JSONValue, JWKFailure)] = [
    (point([.init("d", "AAAA")]), .notPublic), (["kty": "oct", "k": "AAAA"], .notPublic),
    (["kty": "oct"], .unsupported("kty")), ([:], .unsupported("kty")), (["kty": 1], .member("kty")),
    ("EC", .member("keys")), (["kty": "EC"], .unsupported("crv")), (["kty": "EC", "crv": "P-256"], .member("x")),
    (point([.init("crv", "P-384")]), .unsupported("crv")), (point([.init("y", nil)]), .member("y")),
    (["kty": "OKP", "crv": "X25519", "x": .string(x)], .unsupported("crv")),
    (point([.init("y", .string(y + "="))]), .member("y")), (point([.init("y", "")]), .member("y")),
    (point([.init("use", "enc")]), .unsupported("use")), (point([.init("use", 1)]), .member("use")),
    (point([.init("key_ops", ["sign"])]), .unsupported("key_ops")),
    (point([.init("key_ops", "verify")]), .member("key_ops")), (point([.init("kid", 5)]), .member("kid")),
    (point([.init("alg", "ES384")]), .unsupported("alg")), (point([.init("alg", "RS256")]), .unsupported("alg")),
  ]

  @Test("are refused when they are not for our signatures", arguments: refused)
  func refuses(value: JSONValue, failure: JWKFailure) {
    #expect(throws: failure) { try JWK(value) }
  }

  @Test("are refused when their numbers are no key") func weak() throws {
    let swapped: JSONValue = ["kty": "EC", "crv": "P-256", "x": .string(Self.y), "y": .string(Self.x)]
    let short: JSONValue = ["kty": "RSA", "e": "AQAB", "n": .string(String(repeating: "_", count: 172))]
    for value in [swapped, short] {
      #expect {
        try JWK(value)
      } throws: { error in
        if case .weak = error as? JWKFailure { true } else { false }
      }
    }
  }

  @Test("without algorithm serve each that fits") func withoutAlgorithm() throws {
    let key = try TestKeys.rs256.get()
    let members = (JWK(key.publicKey, keyID: "k").json.object ?? []).filter { $0.name != "alg" }
    let jwk = try JWK(.object(members))
    #expect(jwk.key(for: .rs256) != nil)
    #expect(jwk.key(for: .ps256) != nil)
    #expect(jwk.key(for: .es256) == nil)
    #expect(jwk.json["alg"] == nil)
  }
}

@Suite("Key sets") struct JWKSetTests {
  private func set(_ keys: [JSONValue]) throws -> JWKSet {
    try JWKSet(parsing: JSONValue.object([.init("keys", .array(keys))]).encoded())
  }

  private func key(_ keyID: String?) throws -> JSONValue {
    let json = JWK(try TestKeys.make(.es256).publicKey, keyID: "x").json
    let members = (json.object ?? []).filter { $0.name != "kid" }
    return .object(members + (keyID.map { [.init("kid", .string($0))] } ?? []))
  }

  @Test("leave out what cannot be used") func unusable() throws {
    let keys = try set([key("a"), ["kty": "oct", "k": "AAAA"], "junk", ["kty": "EC"], key("b")])
    #expect(keys.keys.map(\.keyID) == ["a", "b"])
  }

  @Test("give a key by its id, exactly") func lookup() throws {
    let keys = try set([key("a"), key("b")])
    #expect(try keys.key(for: "b", algorithm: .es256).parameters == keys.keys[1].parameters)
    #expect(throws: JWSFailure.unknownKey) { try keys.key(for: "B", algorithm: .es256) }
    #expect(throws: JWSFailure.unknownKey) { try keys.key(for: "a", algorithm: .rs256) }
    #expect(throws: JWSFailure.unknownKey) { try keys.key(for: "", algorithm: .es256) }
  }

  @Test("give a key without id only when it is the only one") func withoutID() throws {
    #expect(throws: Never.self) { try set([key("a")]).key(for: nil, algorithm: .es256) }
    #expect(throws: Never.self) { try set([key(nil)]).key(for: nil, algorithm: .es256) }
    #expect(throws: JWSFailure.unknownKey) { try set([key(nil)]).key(for: "a", algorithm: .es256) }
    #expect(throws: JWSFailure.ambiguousKey) { try set([key("a"), key("b")]).key(for: nil, algorithm: .es256) }
    #expect(throws: JWSFailure.unknownKey) { try set([]).key(for: nil, algorithm: .es256) }
  }

  @Test("refuse to choose between keys of one id") func duplicates() throws {
    #expect(throws: JWSFailure.ambiguousKey) { try set([key("a"), key("a")]).key(for: "a", algorithm: .es256) }
  }

  @Test("are refused when they are too large or no set") func limits() throws {
    let many = [JSONValue](repeating: ["kty": "oct"], count: 101)
    #expect(throws: JWKSetFailure.tooManyKeys) { try set(many) }
    #expect(throws: Never.self) { try set(Array(many.prefix(100))) }
    #expect(throws: JWKSetFailure.malformed) { try JWKSet(parsing: Array(#"{"keys":{}}"#.utf8)) }
    #expect(throws: JWKSetFailure.malformed) { try JWKSet(parsing: Array("[]".utf8)) }
    let long = [UInt8](repeating: 0x20, count: JWKSet.sizeLimit + 1)
    #expect(throws: JWKSetFailure.json(JSONFailure(reason: .tooLong, offset: JWKSet.sizeLimit))) {
      try JWKSet(parsing: long)
    }
  }

  @Test("are written with public parts only") func written() throws {
    let keys = JWKSet([JWK(try TestKeys.rs256.get().publicKey, keyID: "r"), JWK(try TestKeys.es256.get().publicKey)])
    #expect(try JWKSet(parsing: keys.json.encoded()).keys.map(\.parameters) == keys.keys.map(\.parameters))
    #expect(keys.json.array("keys")?.first?.object?.map(\.name) == ["e", "kty", "n", "use", "alg", "kid"])
  }
}
