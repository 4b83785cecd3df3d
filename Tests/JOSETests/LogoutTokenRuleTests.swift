import Crypto
import JOSE
import JSON
import Testing

@Suite("Logout tokens of upstreams") struct LogoutTokenRuleTests {
  static let now: Int64 = 1_700_000_000
  static let events: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]
  static let claims: [JSONValue.Member] = [
    .init("iss", "https://op.example"), .init("aud", "us"), .init("sub", "248289761001"), .init("sid", "s-1"),
    .init("iat", .integer(now - 2)), .init("exp", .integer(now + 118)), .init("jti", "t-1"), .init("events", events),
  ]

  private func rule(
    _ algorithms: Set<SignatureAlgorithm> = [.es256], mayLackExpiry: Bool = false
  ) -> LogoutTokenRule {
    LogoutTokenRule(
      issuer: "https://op.example", clientID: "us", algorithms: algorithms, longestSessionID: 512,
      mayLackExpiry: mayLackExpiry)
  }

  /// A token with the standard claims, some of them replaced or, where `nil`, left out.
  private func token(
    _ changes: [String: JSONValue?] = [:], type: String? = "logout+jwt", key: SigningKey? = nil, keyID: String? = "k"
  ) throws -> String {
    var members = Self.claims.filter { changes[$0.name] == nil }
    for (name, value) in changes { if let value { members.append(.init(name, value)) } }
    return try JWTSigner(key: try key ?? TestKeys.es256.get(), keyID: keyID, type: type).sign(.object(members))
  }

  private func keys(_ key: SigningKey? = nil) throws -> JWKSet {
    JWKSet([JWK(try (key ?? TestKeys.es256.get()).publicKey, keyID: "k")])
  }

  static let rightClaims: [[String: JSONValue?]] = [
    [:], ["sub": nil], ["sid": nil], ["aud": ["us"]], ["iat": .integer(now + 29)], ["exp": .integer(now - 29)],
    ["iat": .integer(now - 600), "exp": .integer(now + 9_999_999)], ["exp": .number(1e300)],
    ["events": ["http://schemas.openid.net/event/backchannel-logout": ["a": 1], "urn:other": [:]]],
    ["sid": .string(String(repeating: "s", count: 512))], ["trace_id": "any"],
  ]

  @Test("are accepted when all is right", arguments: rightClaims)
  func accepts(changes: [String: JSONValue?]) throws {
    let accepted = try rule().check(token(changes), keys: keys(), now: Self.now)
    #expect((accepted.subject ?? "248289761001") == "248289761001" && accepted.tokenID == "t-1")
    // From then on it is refused, so that a used one need not be remembered any longer.
    let end = accepted.believedUntil
    #expect(end > Self.now && end <= Self.now + 700)
    #expect(throws: LogoutTokenFailure.self) { try rule().check(token(changes), keys: keys(), now: end) }
  }

  static let wrongClaims: [([String: JSONValue?], LogoutTokenFailure)] = [
    (["iss": "https://op.example/"], .issuer), (["iss": nil], .issuer), (["iss": ["https://op.example"]], .issuer),
    (["aud": nil], .audience), (["aud": "them"], .audience), (["aud": []], .audience),
    (["aud": ["us", "them"]], .audience), (["aud": ["us", 7]], .audience),
    (["exp": nil], .time(.expiryMissing)), (["exp": "1"], .time(.expiryMissing)),
    (["exp": .integer(now - 30)], .time(.expired)),
    (["iat": nil], .time(.issueTimeMissing)), (["iat": .integer(now + 31)], .time(.issueTimeOff)),
    (["iat": .integer(now - 631)], .time(.issueTimeOff)), (["nbf": .integer(now + 61)], .time(.notYetValid)),
    (["jti": nil], .tokenID), (["jti": ""], .tokenID), (["jti": 1], .tokenID),
    (["jti": .string(String(repeating: "j", count: 256))], .tokenID),
    (["events": nil], .event), (["events": [:]], .event), (["events": "x"], .event), (["events": []], .event),
    (["events": ["http://schemas.openid.net/event/backchannel-logout/": [:]]], .event),
    (["events": ["http://schemas.openid.net/event/backchannel-logout": true]], .event),
    (["events": ["http://schemas.openid.net/event/backchannel-logout": .null]], .event),
    (["nonce": "n-0S6"], .nonce), (["nonce": ""], .nonce), (["nonce": .null], .nonce),
    (["sub": nil, "sid": nil], .nobody), (["sub": "", "sid": nil], .subject), (["sub": .null], .subject),
    (["sub": .string(String(repeating: "s", count: 256))], .subject),
    (["sid": 1], .sessionID), (["sid": ""], .sessionID), (["sid": .null], .sessionID),
    (["sid": .string(String(repeating: "s", count: 513))], .sessionID),
  ]

  @Test("are refused for any one wrong claim", arguments: wrongClaims)
  func refuses(changes: [String: JSONValue?], failure: LogoutTokenFailure) throws {
    let token = try token(changes)
    #expect(throws: failure) { try rule().check(token, keys: keys(), now: Self.now) }
  }

  @Test("may say that they are logout tokens or JWTs, or nothing") func types() throws {
    for type in ["logout+jwt", "LOGOUT+JWT", "application/logout+jwt", "JWT", nil] {
      #expect(throws: Never.self) { try rule().check(token(type: type), keys: keys(), now: Self.now) }
    }
    for type in ["at+jwt", "dpop+jwt", "secevent+jwt", ""] {
      #expect(throws: LogoutTokenFailure.type) { try rule().check(token(type: type), keys: keys(), now: Self.now) }
    }
  }

  @Test("may be signed with what ID tokens are signed with alone", arguments: SignatureAlgorithm.allCases)
  func algorithms(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.make(algorithm)
    let token = try token(key: key)
    #expect(throws: Never.self) { try rule([algorithm]).check(token, keys: keys(key), now: Self.now) }
    let others = Set(SignatureAlgorithm.allCases).subtracting([algorithm])
    #expect(throws: LogoutTokenFailure.signature(.algorithmNotAllowed)) {
      try rule(others).check(token, keys: keys(key), now: Self.now)
    }
  }

  @Test("are refused unsigned, signed with the public key as secret, or by another key") func forged() throws {
    let payload = String(decoding: JSONValue.object(Self.claims).encoded(), as: UTF8.self)
    let key = try TestKeys.rs256.get()
    let none = Forge.symmetric(header: #"{"alg":"none"}"#, payload: payload, secret: [])
    let bare = none.split(separator: ".").prefix(2).joined(separator: ".") + "."
    let confused = Forge.symmetric(
      header: #"{"alg":"HS256","kid":"k"}"#, payload: payload, secret: try key.publicKey.publicKeyInfo())
    for token in [none, bare, confused] {
      #expect(throws: LogoutTokenFailure.signature(.algorithmNotAllowed)) {
        try rule([.rs256]).check(token, keys: keys(key), now: Self.now)
      }
    }
    let foreign = try token(key: TestKeys.make(.es256))
    #expect(throws: LogoutTokenFailure.signature(.badSignature)) {
      try rule().check(foreign, keys: keys(), now: Self.now)
    }
    let unknown = try token(keyID: "k2")
    #expect(throws: LogoutTokenFailure.signature(.unknownKey)) {
      try rule().check(unknown, keys: keys(), now: Self.now)
    }
  }

  @Test("may lack exp where the provider is known for that, and count for ten minutes then") func expiry() throws {
    let token = try token(["exp": nil])
    #expect(throws: Never.self) { try rule(mayLackExpiry: true).check(token, keys: keys(), now: Self.now + 628) }
    #expect(throws: LogoutTokenFailure.time(.issueTimeOff)) {
      try rule(mayLackExpiry: true).check(token, keys: keys(), now: Self.now + 629)
    }
    let odd = try self.token(["exp": "never"])
    #expect(throws: LogoutTokenFailure.time(.expiryMissing)) {
      try rule(mayLackExpiry: true).check(odd, keys: keys(), now: Self.now)
    }
  }
}
