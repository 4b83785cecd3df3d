import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Web

struct ExchangeTests {
  @Test("Token exchange gives the same")
  func exchanges() async throws {
    let stage = try await VendStage()
    let answer = await stage.exchange([("audience", "demo"), ("requested_token_type", VendAnswer.tokenType)])
    #expect(answer.status == .ok, "\(answer.text)")
    let (exchanged, fetched) = (try answer.json, try await stage.get().json)
    #expect(exchanged.string("access_token") == fetched.string("access_token"))
    #expect(exchanged.string("issued_token_type") == VendAnswer.tokenType)
  }

  @Test(
    "A wrong exchange gets the error of RFC 8693 §2.2.2",
    arguments: [
      ([("subject_token", "unknown")], "invalid_request"), ([("actor_token", "x")], "invalid_request"),
      ([("subject_token_type", "urn:ietf:params:oauth:token-type:id_token")], "invalid_request"),
      ([("requested_token_type", "urn:x")], "invalid_request"), ([("scope", "vend")], "invalid_scope"),
      ([("audience", "other")], "invalid_target"), ([("resource", "https://example.org/")], "invalid_target"),
      ([("min_ttl", "-1")], "invalid_request"), ([("audience", "demo"), ("audience", "demo")], "invalid_target"),
    ] as [([(String, String)], String)])
  func wrongExchange(more: [(String, String)], code: String) async throws {
    let stage = try await VendStage()
    let answer = await stage.exchange(more)
    #expect(answer.status == .badRequest)
    #expect(try answer.error == code)
  }

  @Test("An audience that names another connection is refused before anything is vended")
  func otherAudience() async throws {
    let stage = try await VendStage()
    let answer = await stage.exchange([("audience", "other")])
    #expect(answer.status == .badRequest)
    let names = try await stage.gatehouse.auditNames()
    #expect(names.contains(.vendRefused) && !names.contains(.vended))
  }

  @Test(
    "An exchange lacking a parameter is an invalid request",
    arguments: ["subject_token", "subject_token_type", "resource"])
  func incompleteExchange(name: String) async throws {
    let stage = try await VendStage()
    #expect(try await stage.exchange(without: name).error == "invalid_request")
  }

  @Test("No refresh token, ID token or token without the scope vend stands for what vends")
  func unfitSubject() async throws {
    let stage = try await VendStage()
    let (gatehouse, person) = (stage.gatehouse, stage.person)
    var options = ClientOptions()
    options.idTokenAlgorithm = "ES256"
    let client = try await gatehouse.client(
      scope: "vend openid", connections: [stage.connection.id], options: options)
    let code = try await gatehouse.code(for: client, person, scope: "openid")
    let tokens = try await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic).json
    for name in ["access_token", "refresh_token", "id_token"] {
      let token = try #require(tokens.string(name))
      let answer = await stage.exchange([("subject_token", token)], as: client)
      #expect(answer.status == .badRequest, "\(name)")
      #expect(try answer.error == "invalid_request", "\(name)")
    }
  }

  @Test("No client exchanges the token of another")
  func foreignSubject() async throws {
    let stage = try await VendStage()
    let other = try await stage.gatehouse.client(connections: [stage.connection.id])
    #expect(try await stage.exchange(as: other).error == "invalid_request")
    let lacking = try await stage.gatehouse.client(grants: [.clientCredentials])
    #expect(try await stage.exchange(as: lacking).error == "unauthorized_client")
  }
}
