import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Testing

@testable import Web

@Suite("private_key_jwt", .timeLimit(.minutes(1)))
struct ClientAssertionTests {
  @Test("a client proves who it is with its key, wherever clients do", arguments: ["token", "revoke", "introspect"])
  func accepted(endpoint: String) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient()
    let proof = try client.proof() + [("client_id", client.id)]
    #expect(await gatehouse.token(proof, path: "/oauth2/\(endpoint)").status == .ok)
  }

  @Test("every algorithm that the metadata names is taken", arguments: SignatureAlgorithm.allCases)
  func algorithms(_ algorithm: SignatureAlgorithm) async throws {
    let gatehouse = try await TestInstallation()
    let key = try SigningKey.generate(algorithm, bits: 2048)
    let client = try await gatehouse.keyClient {
      $0.options.keys = .inline(TestInstallation.keySet([JWK(key.publicKey, keyID: KeyClient.keyID)]))
    }
    #expect(await gatehouse.token(try client.proof(client.assertion(key: key))).status == .ok)
  }

  @Test("clocks may differ by a little: iat and nbf 8 seconds ahead, any known typ, no kid")
  func tolerated() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient()
    let ahead = JSONValue.integer(client.now.seconds + 8)
    for assertion in [
      try client.assertion(["nbf": ahead, "iat": ahead]), try client.assertion(["iat": nil]),
      try client.assertion(type: "JWT"), try client.assertion(type: "client-authentication+jwt"),
      try client.assertion(keyID: nil), try client.assertion(["extra": true]),
    ] { #expect(await gatehouse.token(try client.proof(assertion)).status == .ok) }
  }

  /// What is wrong with an assertion, and the claims that make it so.
  private static let wrongClaims: [(name: String, claims: @Sendable (KeyClient) -> [String: JSONValue?])] = [
    ("no iss", { _ in ["iss": nil] }),
    ("another iss", { _ in ["iss": "client_0"] }),
    ("no sub", { _ in ["sub": nil] }),
    ("another sub", { _ in ["sub": "client_0"] }),
    ("no aud", { _ in ["aud": nil] }),
    ("another server as aud", { _ in ["aud": "https://other.example"] }),
    ("the issuer with a slash as aud", { _ in ["aud": .string(TestInstallation.external + "/")] }),
    ("an array as aud", { _ in ["aud": [.string(TestInstallation.external)]] }),
    ("the token endpoint as aud", { _ in ["aud": .string(TestInstallation.external + "/oauth2/token")] }),
    ("the PAR endpoint as aud", { _ in ["aud": .string(TestInstallation.external + "/oauth2/par")] }),
    ("no exp", { _ in ["exp": nil] }),
    ("exp now", { ["exp": .integer($0.now.seconds)] }),
    ("exp five minutes ago", { ["exp": .integer($0.now.seconds - 300)] }),
    ("exp more than five minutes ahead", { ["exp": .integer($0.now.seconds + 301)] }),
    ("exp as text", { ["exp": .string("\($0.now.seconds + 60)")] }),
    ("nbf more than a minute ahead", { ["nbf": .integer($0.now.seconds + 61)] }),
    ("iat more than a minute ahead", { ["iat": .integer($0.now.seconds + 61)] }),
    ("no jti", { _ in ["jti": nil] }),
    ("an empty jti", { _ in ["jti": ""] }),
    ("a jti that is a number", { _ in ["jti": 5] }),
    ("a jti of 257 bytes", { _ in ["jti": .string(String(repeating: "j", count: 257))] }),
  ]

  @Test("an assertion with a wrong claim is refused", arguments: wrongClaims.indices)
  func wrongClaim(row: Int) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient()
    let (name, claims) = Self.wrongClaims[row]
    let answer = await gatehouse.token(try client.proof(client.assertion(claims(client))))
    #expect(answer.status == .badRequest, "\(name)")
    #expect(try answer.error == "invalid_client", "\(name)")
  }

  /// Tokens that a verifier takes only when it lets the token choose how it is verified.
  private static let confusions: [(name: String, token: @Sendable (KeyClient) throws -> String)] = [
    ("unsigned", { try unsigned($0, header: #"{"alg":"none"}"#) }),
    ("unsigned, in another spelling", { try unsigned($0, header: #"{"alg":"nOnE","kid":"one"}"#) }),
    ("signed with the public key as a secret", { try symmetric($0) }),
    ("signed with another key under the same kid", { try $0.assertion(key: .generate(.es256)) }),
    (
      "signed with another key that it brings along",
      { client in
        let other = try SigningKey.generate(.es256)
        return try client.assertion(key: other, header: [JSONValue.Member("jwk", JWK(other.publicKey).json)])
      }
    ),
    (
      "names an address of its key",
      {
        try $0.assertion(header: [JSONValue.Member("jku", "https://app.example/keys")])
      }
    ),
    (
      "names an address of its certificate",
      {
        try $0.assertion(header: [JSONValue.Member("x5u", "https://app.example/cert")])
      }
    ),
    ("demands an extension", { try $0.assertion(header: [JSONValue.Member("crit", ["exp"])]) }),
    ("an unknown kid", { try $0.assertion(keyID: "two") }),
    ("signed by the key for another algorithm", { try $0.assertion(key: .generate(.edDSA)) }),
    ("an access token's type", { try $0.assertion(type: "at+jwt") }),
    ("a DPoP proof's type", { try $0.assertion(type: "dpop+jwt") }),
    ("four parts", { try $0.assertion() + ".x" }),
    ("no token", { _ in "assertion" }),
    (
      "a changed signature",
      { client in
        let token = try client.assertion()
        return String(token.dropLast(4)) + (token.hasSuffix("AAAA") ? "BBBB" : "AAAA")
      }
    ),
  ]

  private static func unsigned(_ client: KeyClient, header: String) throws -> String {
    "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(client.claims.encoded()))."
  }

  private static func symmetric(_ client: KeyClient) throws -> String {
    let header = Array(#"{"alg":"HS256","kid":"one"}"#.utf8)
    let input = "\(Base64URL.encode(header)).\(Base64URL.encode(client.claims.encoded()))"
    let code = HMACSHA256(key: try client.key.publicKey.publicKeyInfo()).authenticate(Array(input.utf8))
    return "\(input).\(Base64URL.encode(code))"
  }

  @Test("an assertion that wants to be verified in another way is refused", arguments: confusions.indices)
  func confusion(row: Int) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient()
    let (name, token) = Self.confusions[row]
    let answer = await gatehouse.token(try client.proof(token(client)))
    #expect(answer.status == .badRequest, "\(name)")
    #expect(try answer.error == "invalid_client", "\(name)")
  }

  @Test("an assertion is used once until it expires, however many present it at once")
  func replay() async throws {
    let gatehouse = try await TestInstallation()
    let (client, other) = (try await gatehouse.keyClient(), try await gatehouse.keyClient())
    let proof = try client.proof(client.assertion(["jti": "same"]))
    let answers = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<8 { group.addTask { await gatehouse.token(proof) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == .ok } == 1)
    #expect(try answers.filter { $0.status != .ok }.allSatisfy { try $0.error == "invalid_client" })
    // The id is the client's own: another one may use the same.
    #expect(await gatehouse.token(try other.proof(other.assertion(["jti": "same"]))).status == .ok)
    try await SweepExpired(gatehouse.here)()
    #expect(await gatehouse.token(proof).status == .badRequest)
    gatehouse.time.advance(by: 60)
    try await SweepExpired(gatehouse.here)()
    let later = KeyClient(client: client.client, key: client.key, now: gatehouse.time.now)
    #expect(await gatehouse.token(try later.proof(later.assertion(["jti": "same"]))).status == .ok)
  }

  @Test("FAPI takes no RS256, whatever key the client has")
  func financial() async throws {
    let gatehouse = try await TestInstallation()
    let key = try SigningKey.generate(.rs256, bits: 2048)
    let client = try await gatehouse.keyClient {
      $0.options.profile = .fapi2
      $0.options.keys = .inline(TestInstallation.keySet([JWK(key.publicKey, keyID: KeyClient.keyID)]))
    }
    #expect(try await gatehouse.token(client.proof(client.assertion(key: key))).error == "invalid_client")
  }

  @Test("the token endpoint is an audience for clients that were registered for it alone")
  func formerAudience() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient { $0.options.takesEndpointAudience = true }
    let audience = TestInstallation.external + "/oauth2/token"
    #expect(await gatehouse.token(try client.proof(client.assertion(["aud": .string(audience)]))).status == .ok)
    #expect(await gatehouse.token(try client.proof()).status == .ok)
    let other = JSONValue.string(TestInstallation.external + "/oauth2/par")
    #expect(await gatehouse.token(try client.proof(client.assertion(["aud": other]))).status == .badRequest)
  }

  @Test("the form and the assertion name one client, and the type of the assertion stands beside it")
  func form() async throws {
    let gatehouse = try await TestInstallation()
    let (client, other) = (try await gatehouse.keyClient(), try await gatehouse.keyClient())
    let proof = try client.proof() + [("client_id", other.id)]
    #expect(try await gatehouse.token(proof).error == "invalid_client")
    #expect(try await gatehouse.token([("client_assertion", client.assertion())]).error == "invalid_request")
    #expect(
      try await gatehouse.token([("client_assertion_type", KeyClient.assertionType)]).error == "invalid_request")
    let saml = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"
    let foreign = [("client_assertion_type", saml), ("client_assertion", try client.assertion())]
    #expect(try await gatehouse.token(foreign).error == "invalid_client")
  }

  @Test("keys at registration are public and fit for signatures")
  func registration() async throws {
    let gatehouse = try await TestInstallation()
    let held = JWK(try KeyClient.key.get().publicKey).json.changed(["d": "AAAA"])
    let good = JWK(try KeyClient.key.get().publicKey, keyID: "other").json
    let mixed = JSONValue.object([JSONValue.Member("keys", [held, good])])
    for keys in [
      #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, "[]", String(decoding: mixed.encoded(), as: UTF8.self),
    ] {
      await #expect(throws: Refusal.self) { try await gatehouse.keyClient { $0.options.keys = .inline(keys) } }
    }
  }
}
