import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Testing

@testable import Web

@Suite("DPoP", .timeLimit(.minutes(1)))
struct DPoPTests {
  @Test("a public app vends with tokens that are bound to its key, which introspection and the token name")
  func binds() async throws {
    let stage = try await DPoPStage()
    let tokens = try await stage.tokens()
    let payload = try JWTClaims(JWS(parsing: tokens.access).unverifiedPayload).json
    #expect(payload["cnf"]?.string("jkt") == DPoPStage.thumbprint(stage.key))
    let proof = try stage.proof(stage.claims("GET", "/v1/connections", token: tokens.access))
    #expect(try await stage.present(tokens.access, proofs: [proof]).status == .ok)
    let confidential = try await DPoPStage(.confidential)
    let bound = try await confidential.tokens()
    let json = try await confidential.gatehouse.introspect(bound.access, confidential.client)
    #expect(json.string("token_type") == "DPoP")
    #expect(json["cnf"]?.string("jkt") == DPoPStage.thumbprint(confidential.key))
  }

  @Test("the query is no part of the URL, nor the case of scheme and host, and more claims do no harm")
  func tolerated() async throws {
    let stage = try await DPoPStage()
    let tokens = try await stage.tokens()
    let claims = stage.claims("GET", "/v1/connections", token: tokens.access)
    let base = TestInstallation.external
    for (changes, path) in [
      (["extra": JSONValue.bool(true)], "/v1/connections"), ([:], "/v1/connections?a=b"),
      (["htu": .string(base + "/v1/connections?x#y")], "/v1/connections"),
      (["htu": "HTTP://LOCALHOST:8080/v1/%63onnections"], "/v1/connections"),
      (["iat": .integer(stage.gatehouse.time.now.seconds + 10)], "/v1/connections"),
      (["iat": .integer(stage.gatehouse.time.now.seconds - 60)], "/v1/connections"),
    ] {
      let proof = try stage.proof(claims, ["jti": .string(Hex.encode(Random.bytes(8)))].merging(changes) { $1 })
      let answer = try await stage.present(tokens.access, proofs: [proof], path: path)
      #expect(answer.status == .ok, "\(changes) \(answer.text)")
    }
  }

  /// What is wrong with a proof, and how it is made so.
  private static let wrong: [(name: String, proofs: @Sendable (DPoPStage, JSONValue) throws -> [String])] = [
    ("none", { _, _ in [] }),
    ("two", { [try $0.proof($1), try $0.proof($1, ["jti": "other"])] }),
    ("no token", { _, _ in ["proof"] }),
    ("an empty one", { _, _ in [""] }),
    ("JSON serialization", { _, _ in [#"{"payload":"e30","signatures":[]}"#] }),
    ("no typ", { [try $0.proof($1, type: nil)] }),
    ("typ JWT", { [try $0.proof($1, type: "JWT")] }),
    ("alg none", { [try Self.handMade($1, $0, header: #""alg":"none""#, signed: false)] }),
    ("alg HS256", { [try Self.handMade($1, $0, header: #""alg":"HS256""#, signed: true)] }),
    ("alg of another kind of key", { [try Self.handMade($1, $0, header: #""alg":"RS256""#, signed: true)] }),
    ("no jwk", { [try $0.proof($1, jwk: .some(nil))] }),
    (
      "a jwk with its private part",
      { stage, claims in
        [try stage.proof(claims, jwk: JWK(stage.key.publicKey).json.changed(["d": "AAAA"]))]
      }
    ),
    ("a symmetric jwk", { [try $0.proof($1, jwk: ["kty": "oct", "k": "AAAA"])] }),
    ("a jwk that is text", { [try $0.proof($1, jwk: "key")] }),
    ("another key's jwk", { [try $0.proof($1, jwk: JWK(SigningKey.generate(.es256).publicKey).json)] }),
    (
      "a changed signature",
      { stage, claims in
        let proof = try stage.proof(claims)
        return [String(proof.dropLast(4)) + (proof.hasSuffix("AAAA") ? "BBBB" : "AAAA")]
      }
    ),
    ("no jti", { [try $0.proof($1, ["jti": nil])] }),
    ("an empty jti", { [try $0.proof($1, ["jti": ""])] }),
    ("no htm", { [try $0.proof($1, ["htm": nil])] }),
    ("another method", { [try $0.proof($1, ["htm": "PUT"])] }),
    (
      "the method in lower case",
      { stage, claims in
        [try stage.proof(claims, ["htm": .string((claims.string("htm") ?? "").lowercased())])]
      }
    ),
    ("no htu", { [try $0.proof($1, ["htu": nil])] }),
    ("another path", { [try $0.proof($1, ["htu": .string(TestInstallation.external + "/oauth2/revoke")])] }),
    ("another host", { [try $0.proof($1, ["htu": "http://localhost.example:8080/oauth2/token"])] }),
    ("another scheme", { [try $0.proof($1, ["htu": "https://localhost:8080/oauth2/token"])] }),
    ("another port", { [try $0.proof($1, ["htu": "http://localhost/oauth2/token"])] }),
    ("no iat", { [try $0.proof($1, ["iat": nil])] }),
    ("iat as text", { [try $0.proof($1, ["iat": "now"])] }),
    ("iat over a minute ago", { [try $0.proof($1, ["iat": .integer($0.gatehouse.time.now.seconds - 61)])] }),
    ("iat ahead", { [try $0.proof($1, ["iat": .integer($0.gatehouse.time.now.seconds + 11)])] }),
    ("exp passed", { [try $0.proof($1, ["exp": .integer($0.gatehouse.time.now.seconds)])] }),
    ("nbf ahead", { [try $0.proof($1, ["nbf": .integer($0.gatehouse.time.now.seconds + 11)])] }),
  ]

  private static func handMade(
    _ claims: JSONValue, _ stage: DPoPStage, header: String, signed: Bool
  ) throws -> String {
    let jwk = String(decoding: JWK(stage.key.publicKey).json.encoded(), as: UTF8.self)
    let start = Base64URL.encode(Array(#"{"typ":"dpop+jwt",\#(header),"jwk":\#(jwk)}"#.utf8))
    let input = "\(start).\(Base64URL.encode(claims.encoded()))"
    return signed ? "\(input).\(Base64URL.encode(try stage.key.sign(Array(input.utf8))))" : input + "."
  }

  @Test("a wrong proof gets no token and leaves the code as it was", arguments: wrong.indices)
  func wrongAtTokenEndpoint(row: Int) async throws {
    let stage = try await DPoPStage()
    let (name, proofs) = Self.wrong[row]
    let code = try await stage.code()
    let answer = try await stage.ask(code, proofs: proofs(stage, stage.claims()))
    #expect(answer.status == .badRequest, "\(name)")
    #expect(try answer.error == "invalid_dpop_proof", "\(name)")
    #expect(try await stage.ask(code, proofs: [stage.proof(stage.claims())]).status == .ok)
  }

  @Test("a wrong proof makes a bound token worth nothing", arguments: wrong.indices)
  func wrongAtResource(row: Int) async throws {
    let stage = try await DPoPStage()
    let (name, proofs) = Self.wrong[row]
    let tokens = try await stage.tokens()
    let claims = stage.claims("GET", "/v1/connections", token: tokens.access)
    let answer = try await stage.present(tokens.access, proofs: proofs(stage, claims))
    #expect(answer.status == .unauthorized, "\(name)")
    #expect(answer.headers["www-authenticate"]?.hasPrefix("DPoP realm=\"gatehouse\", error=\"invalid_") == true)
    #expect(answer.headers["www-authenticate"]?.contains("algs=\"ES256 ") == true)
  }

  @Test("a bound token is nothing without its own key and its own proof")
  func presented() async throws {
    let stage = try await DPoPStage()
    let tokens = try await stage.tokens()
    let claims = stage.claims("GET", "/v1/connections", token: tokens.access)
    let other = try SigningKey.generate(.es256)
    let withoutHash = try stage.proof(claims, ["ath": nil, "jti": "1"])
    let foreignHash = try stage.proof(
      claims, ["ath": .string(Base64URL.encode(SHA256.hash("other"))), "jti": "2"])
    for proofs in [[withoutHash], [foreignHash], [try stage.proof(claims, key: other)]] {
      #expect(try await stage.present(tokens.access, proofs: proofs).status == .unauthorized)
    }
    let bearer = try await stage.present(tokens.access, scheme: "Bearer", proofs: [])
    #expect(bearer.status == .unauthorized)
    #expect(try bearer.error == "invalid_token")
    let proven = try await stage.present(tokens.access, scheme: "Bearer", proofs: [stage.proof(claims)])
    #expect(proven.status == .unauthorized, "a bound token under another scheme is a downgrade")
    #expect(try await stage.present(tokens.access, proofs: [stage.proof(claims)]).status == .ok)
  }

  @Test("userinfo takes a bound token with its proof alone, whatever the case of scheme and header")
  func userInfo() async throws {
    let stage = try await DPoPStage(.confidential, scope: "openid") { $0.idTokenAlgorithm = "ES256" }
    let tokens = try await stage.tokens()
    let header = "DPOP"
    func ask(_ scheme: String, _ proof: String?) async throws -> Response {
      var headers: Headers = ["authorization": try #require(FieldValue("\(scheme) \(tokens.access)"))]
      if let proof { headers.add(try #require(FieldName(header)), try #require(FieldValue(proof))) }
      return await stage.gatehouse.send(.post, "/oauth2/userinfo", headers: headers)
    }
    let claims = stage.claims("POST", "/oauth2/userinfo", token: tokens.access)
    let answer = try await ask("dpop", stage.proof(claims))
    #expect(try answer.json.string("sub") == stage.person.account.id.text)
    for (scheme, proof) in [("Bearer", nil), ("Bearer", try stage.proof(claims, ["jti": "2"])), ("DPoP", nil)] {
      let refused = try await ask(scheme, proof)
      #expect(refused.status == .unauthorized, "\(scheme)")
    }
  }

  @Test("a token that is bound to nothing is no DPoP token")
  func unbound() async throws {
    let stage = try await DPoPStage()
    let bearer = try await stage.gatehouse.client()
    let tokens = try await stage.gatehouse.tokens(for: bearer, stage.person)
    let proof = try stage.proof(stage.claims("GET", "/v1/connections", token: tokens.access))
    #expect(try await stage.present(tokens.access, proofs: [proof]).error == "invalid_token")
    #expect(try await stage.present(tokens.access, scheme: "Bearer", proofs: []).status == .ok)
  }

  @Test("a proof is used once, however many present it at once; another key may use its id")
  func replay() async throws {
    let stage = try await DPoPStage()
    let tokens = try await stage.tokens()
    let proof = try stage.proof(stage.claims("GET", "/v1/connections", token: tokens.access), ["jti": "same"])
    let answers = try await withThrowingTaskGroup(of: Response.self) { group in
      for _ in 0..<8 { group.addTask { try await stage.present(tokens.access, proofs: [proof]) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0.status == .ok } == 1)
    let other = try stage.proof(stage.claims(), ["jti": "same"], key: .generate(.es256))
    #expect(try await stage.ask(try await stage.code(), proofs: [other]).status == .ok)
    stage.gatehouse.time.advance(by: 60)
    #expect(try await stage.present(tokens.access, proofs: [proof]).status == .unauthorized)
  }
}
