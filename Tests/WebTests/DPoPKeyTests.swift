import Crypto
import Domain
import HTTP
import JOSE
import JSON
import Testing

@testable import Flows
@testable import Web

@Suite("What is bound to a DPoP key", .timeLimit(.minutes(1)))
struct DPoPKeyTests {
  @Test("a code that was asked for with a key is redeemed with that key alone")
  func code() async throws {
    let stage = try await DPoPStage()
    let code = try await stage.code(boundTo: DPoPStage.thumbprint(stage.key))
    let other = try SigningKey.generate(.es256)
    let refused = try await stage.ask(code, proofs: [stage.proof(stage.claims(), key: other)])
    #expect(try refused.error == "invalid_grant")
    let fresh = try await stage.code(boundTo: DPoPStage.thumbprint(stage.key))
    #expect(try await stage.ask(fresh, proofs: [stage.proof(stage.claims())]).status == .ok)
    var request = stage.gatehouse.authorization(stage.client)
    request.append("dpop_jkt", "short")
    let answer = await stage.gatehouse.send(.get, request.appended(to: "/oauth2/authorize"))
    #expect(answer.location?.contains("error=invalid_request") == true)
  }

  @Test("a pushed request binds its code to the key of its proof, and dpop_jkt must not name another")
  func pushed() async throws {
    let stage = try await DPoPStage()
    let par = "/oauth2/par"
    func push(_ proof: String, _ thumbprint: String?) async throws -> Response {
      var form = stage.gatehouse.authorization(stage.client)
      form.append("dpop_jkt", thumbprint)
      let headers: Headers = [
        "content-type": "application/x-www-form-urlencoded", "dpop": try #require(FieldValue(proof)),
      ]
      return await stage.gatehouse.send(.post, par, headers: headers, body: form.body)
    }
    let other = try SigningKey.generate(.es256)
    let torn = try await push(try stage.proof(stage.claims("POST", par)), DPoPStage.thumbprint(other))
    #expect(try torn.error == "invalid_dpop_proof")
    let uri = try #require(
      try await push(try stage.proof(stage.claims("POST", par)), nil).json.string("request_uri"))
    let opened: QueryItems = ["client_id": stage.client.id, "request_uri": uri]
    let location = try #require(await stage.gatehouse.send(.get, opened.appended(to: "/oauth2/authorize")).location)
    let url = try await DecideConsent(stage.gatehouse.here).allow(
      String(location.dropFirst("/consent?ticket=".count)), connections: [], stage.person.signedIn,
      TestInstallation.visitor
    ).url
    let code = try #require(Form(query: url.split(separator: "?", maxSplits: 1)[1]).nonEmpty("code"))
    let redemption = [
      ("grant_type", "authorization_code"), ("code", code), ("code_verifier", TestInstallation.verifier),
    ]
    let refused = try await stage.ask(redemption, proofs: [stage.proof(stage.claims(), key: other)])
    #expect(try refused.error == "invalid_grant")
  }

  @Test("a public app's refresh token is worth nothing to another key, which ends nothing by trying")
  func publicRefresh() async throws {
    let stage = try await DPoPStage()
    let tokens = try await stage.tokens()
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh)]
    let other = try SigningKey.generate(.es256)
    for _ in 0..<2 {
      let answer = try await stage.ask(refresh, proofs: [stage.proof(stage.claims(), key: other)])
      #expect(try answer.error == "invalid_grant")
    }
    #expect(try await stage.ask(refresh, proofs: []).error == "invalid_dpop_proof")
    let answer = try await stage.ask(refresh, proofs: [stage.proof(stage.claims())])
    #expect(try answer.json.string("token_type") == "DPoP")
  }

  @Test("a confidential app may go over to another key: it proves who it is")
  func confidentialRefresh() async throws {
    let stage = try await DPoPStage(.confidential)
    let tokens = try await stage.tokens()
    let other = try SigningKey.generate(.edDSA)
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh)]
    let answer = try await stage.ask(refresh, proofs: [stage.proof(stage.claims(), key: other)])
    let access = try #require(try answer.json.string("access_token"), "\(answer.text)")
    let payload = try JWTClaims(JWS(parsing: access).unverifiedPayload).json
    #expect(payload["cnf"]?.string("jkt") == DPoPStage.thumbprint(other))
  }

  @Test("a confidential app keeps its refresh token, which is worth nothing without a key")
  func notRotated() async throws {
    let stage = try await DPoPStage(.confidential)
    let tokens = try await stage.tokens()
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh)]
    for _ in 0..<3 {
      let answer = try await stage.ask(refresh, proofs: [stage.proof(stage.claims())])
      #expect(try answer.json.string("refresh_token") == tokens.refresh)
      // Longer than any window for repetitions, and in all longer than a token that nobody uses.
      stage.gatehouse.time.advance(by: TokenFamily.idleLifetime - 60)
    }
    let bare = try await stage.ask(refresh, proofs: [])
    #expect(try bare.error == "invalid_dpop_proof")
    let late = try await stage.ask(refresh, proofs: [stage.proof(stage.claims())])
    #expect(try late.error == "invalid_grant")
  }

  @Test("a bound token is exchanged by the holder of its key alone")
  func exchange() async throws {
    let stage = try await DPoPStage(.confidential)
    let tokens = try await stage.tokens()
    let fields = [
      ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", tokens.access),
      ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"), ("resource", "https://maps.example"),
    ]
    let other = try SigningKey.generate(.es256)
    let foreign = try await stage.ask(fields, proofs: [stage.proof(stage.claims(), key: other)])
    #expect(try foreign.error == "invalid_request")
    let own = try await stage.ask(fields, proofs: [stage.proof(stage.claims())])
    #expect(try own.error == "invalid_target", "the key is right; the app may use nothing there")
  }

  @Test("where nonces are required, the answer brings one, which is taken for some minutes")
  func nonces() async throws {
    let stage = try await DPoPStage { $0.requiresDPoPNonce = true }
    func nonce(of answer: Response) throws -> JSONValue {
      let values = answer.headers.values(of: "dpop-nonce")
      #expect(values.count == 1)
      return .string(try #require(values.first))
    }
    let code = try await stage.code()
    let first = try await stage.ask(code, proofs: [stage.proof(stage.claims())])
    #expect(first.status == .badRequest)
    #expect(try first.error == "use_dpop_nonce")
    let answer = try await stage.ask(code, proofs: [stage.proof(stage.claims(), ["nonce": nonce(of: first)])])
    #expect(answer.status == .ok, "\(answer.text)")
    let access = try #require(try answer.json.string("access_token"))
    let claims = stage.claims("GET", "/v1/connections", token: access)
    let without = try await stage.present(access, proofs: [stage.proof(claims)])
    #expect(without.status == .unauthorized)
    #expect(without.headers["www-authenticate"]?.contains("error=\"use_dpop_nonce\"") == true)
    let given = try nonce(of: without)
    #expect(try await stage.present(access, proofs: [stage.proof(claims, ["nonce": given])]).status == .ok)
    for wrong in ["", "AAAA", String(repeating: "A", count: 32)] {
      let proof = try stage.proof(claims, ["nonce": .string(wrong), "jti": .string("w" + wrong)])
      #expect(try await stage.present(access, proofs: [proof]).error == "use_dpop_nonce")
    }
    stage.gatehouse.time.advance(by: 6 * 60)
    let later = stage.claims("GET", "/v1/connections", token: access)
    #expect(try await stage.present(access, proofs: [stage.proof(later, ["nonce": given])]).error == "use_dpop_nonce")
  }

  @Test("FAPI demands bound tokens and nonces")
  func financial() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.keyClient { $0.options.profile = .fapi2 }
    let bearer = await gatehouse.token(try client.proof())
    #expect(try bearer.error == "invalid_dpop_proof")
    #expect(client.client.requiresDPoPNonce)
  }

  @Test("a public app without DPoP still may not vend")
  func publicWithoutDPoP() async throws {
    await #expect(throws: Refusal.self) { try await DPoPStage { $0.requiresDPoP = false } }
  }
}
