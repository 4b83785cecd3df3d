import Crypto
import JOSE
import JSON
import Testing

@Suite("Signed tokens") struct JWSTests {
  static let claims: JSONValue = ["sub": "alice"]

  @Test("are verified by the key that signed them", arguments: SignatureAlgorithm.allCases)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.make(algorithm)
    let token = try JWTSigner(key: key, keyID: "k1", type: "at+jwt").sign(Self.claims)
    let jws = try JWS(parsing: token)
    #expect(jws.algorithm == algorithm)
    #expect(jws.keyID == "k1")
    #expect(jws.hasType("at+jwt"))
    #expect(try jws.payload(verifiedBy: key.publicKey) == Self.claims.encoded())
    let keys = JWKSet([JWK(key.publicKey, keyID: "k1")])
    #expect(try jws.payload(verifiedBy: keys, allowing: [algorithm]) == Self.claims.encoded())
    #expect(throws: JWSFailure.badSignature) {
      try jws.payload(verifiedBy: TestKeys.make(algorithm).publicKey)
    }
    #expect(throws: JWSFailure.algorithmNotAllowed) { try jws.payload(verifiedBy: keys, allowing: []) }
  }

  @Test("carry extra header members when asked") func extraMembers() throws {
    let signer = JWTSigner(key: try TestKeys.es256.get(), keyID: nil, type: nil, members: [.init("x5t", "abc")])
    let header = try JWS(parsing: signer.sign(Self.claims)).header
    #expect(header == ["alg": "ES256", "x5t": "abc"])
  }

  @Test(
    "are refused for their header, though properly signed",
    arguments: [
      (#"{"alg":"none"}"#, JWSFailure.algorithmNotAllowed), (#"{"alg":"HS256"}"#, .algorithmNotAllowed),
      (#"{"alg":"es256"}"#, .algorithmNotAllowed), (#"{"alg":"ES384"}"#, .algorithmNotAllowed),
      (#"{"alg":null}"#, .malformed), (#"{}"#, .malformed), (#"["ES256"]"#, .malformed), ("", .malformed),
      (#"{"alg":"ES256","alg":"ES256"}"#, .malformed), (#"{"alg":"ES256","\u0061lg":"none"}"#, .malformed),
      (#"{"alg":"ES256","crit":["exp"],"exp":1}"#, .unknownExtension),
      (#"{"alg":"ES256","crit":[]}"#, .unknownExtension), (#"{"alg":"ES256","b64":false}"#, .unknownExtension),
      (#"{"alg":"ES256","crit":["b64"],"b64":true}"#, .unknownExtension),
      (#"{"alg":"ES256","jwk":{}}"#, .embeddedKey), (#"{"alg":"ES256","jku":"https://a.example"}"#, .embeddedKey),
      (#"{"alg":"ES256","x5u":"https://a.example"}"#, .embeddedKey), (#"{"alg":"ES256","kid":7}"#, .malformed),
      (#"{"alg":"ES256","typ":[]}"#, .malformed),
    ])
  func headers(header: String, failure: JWSFailure) throws {
    let token = try Forge.token(header: header, payload: "{}", key: TestKeys.es256.get())
    #expect(throws: failure) { try JWS(parsing: token) }
  }

  @Test("are refused unless they are three canonical parts") func form() throws {
    let token = try JWTSigner(key: TestKeys.es256.get(), keyID: nil, type: nil).sign(Self.claims)
    let parts = token.split(separator: ".").map(String.init)
    let broken = [
      "", ".", "..", parts[0], "\(parts[0]).\(parts[1])", "\(token).", ".\(token)", "\(token).x.y", "\(token)=",
      "\(token)\n", " \(token)", "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2])AAA",
      #"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#,
    ]
    for token in broken { #expect(throws: JWSFailure.malformed, "\(token)") { try JWS(parsing: token) } }
    #expect(throws: JWSFailure.tooLong) { try JWS(parsing: token, sizeLimit: token.utf8.count - 1) }
    #expect(throws: Never.self) { try JWS(parsing: token, sizeLimit: token.utf8.count) }
  }

  @Test("are refused with left-over bits in the signature") func canonicalSignature() throws {
    let token = try JWTSigner(key: TestKeys.es256.get(), keyID: nil, type: nil).sign(Self.claims)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    let readable = alphabet.filter { (try? JWS(parsing: token.dropLast() + String($0))) != nil }
    #expect(readable == "AQgw")
  }

  @Test("with the public key as HMAC secret are refused") func symmetricConfusion() throws {
    let key = try TestKeys.rs256.get().publicKey
    for secret in [try key.publicKeyInfo(), JWK(key).json.encoded()] {
      let token = Forge.symmetric(header: #"{"alg":"HS256"}"#, payload: "{}", secret: secret)
      #expect(throws: JWSFailure.algorithmNotAllowed) { try JWS(parsing: token) }
    }
  }

  @Test("of a key's other algorithm are refused") func otherAlgorithm() throws {
    let key = try TestKeys.rs256.get()
    let pss = try SigningKey(pkcs8: key.pkcs8(), algorithm: .ps256)
    let jws = try JWS(parsing: JWTSigner(key: pss, keyID: "k", type: nil).sign(Self.claims))
    #expect(throws: JWSFailure.algorithmNotAllowed) { try jws.payload(verifiedBy: key.publicKey) }
    let keys = JWKSet([JWK(key.publicKey, keyID: "k")])
    #expect(throws: JWSFailure.unknownKey) { try jws.payload(verifiedBy: keys, allowing: [.rs256, .ps256]) }
  }

  @Test("show an embedded key only where it is expected") func embeddedKey() throws {
    let token = try Forge.token(
      header: #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC"}}"#, payload: "{}", key: TestKeys.es256.get())
    #expect(try JWS(parsing: token, allowsEmbeddedKey: true).header["jwk"]?.string("kty") == "EC")
  }

  @Test("have the type they say", arguments: ["at+jwt", "AT+JWT", "application/at+jwt"]) func types(type: String) throws
  {
    let jws = try JWS(parsing: JWTSigner(key: TestKeys.es256.get(), keyID: nil, type: type).sign(Self.claims))
    #expect(jws.hasType("at+jwt"))
    #expect(!jws.hasType("jwt"))
  }
}
