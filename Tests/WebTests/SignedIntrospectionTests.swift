import Domain
import HTTP
import JSON
import Testing

@testable import Web

@Suite("Signed introspection")
struct SignedIntrospectionTests {
  private static let type: FieldValue = "application/token-introspection+jwt"

  private func introspect(_ stage: OpenIDStage, _ token: String, accept: FieldValue?) async -> Response {
    var headers = Headers()
    if let accept { headers.set("accept", accept) }
    return await stage.gatehouse.post(
      "/oauth2/introspect", ["token": token], basic: stage.client.basic, headers: headers)
  }

  @Test("is a JWT for the caller that holds the same answer, also about a token that does not count")
  func signed() async throws {
    let stage = try await OpenIDStage()
    let token = try #require(try await stage.signIn().string("access_token"))
    for text in [token, "none"] {
      let plain = await introspect(stage, text, accept: nil)
      let answer = await introspect(stage, text, accept: Self.type)
      #expect(answer.status == .ok && answer.headers["content-type"] == Self.type.text)
      #expect(answer.headers["cache-control"] == "no-store")
      let claims = try await stage.claims(of: answer.text, "token-introspection+jwt")
      #expect(claims.string("iss") == TestInstallation.external && claims.string("aud") == stage.client.id)
      #expect(claims.integer("iat") == stage.gatehouse.time.now.seconds)
      #expect(try claims["token_introspection"] == plain.json)
      #expect(claims["sub"] == nil && claims["exp"] == nil, "it must pass for no token (RFC 9701 §5)")
    }
  }

  @Test("is only for who asks for it, and refusals stay JSON")
  func onlyAsked() async throws {
    let stage = try await OpenIDStage()
    for accept: FieldValue in ["application/json", "*/*", "application/token-introspection+jwt;q=0"] {
      let answer = await introspect(stage, "none", accept: accept)
      #expect(answer.headers["content-type"] == "application/json", "\(accept.text)")
    }
    let refused = await stage.gatehouse.post(
      "/oauth2/introspect", ["token": "none"], basic: (stage.client.id, "wrong"), headers: ["accept": Self.type])
    #expect(refused.status == .unauthorized && refused.headers["content-type"] == "application/json")
  }
}
