import Domain
import HTTP
import Testing

@testable import Upstream

@Suite("The answer of an OpenID provider's token endpoint")
struct ProviderRefreshTests {
  @Test(
    "is classified by what may be done next",
    arguments: [
      (400, #"{"error":"invalid_grant"}"#, .refused),
      (400, #"{"error":"interaction_required","error_description":"AADSTS50076"}"#, .refused),
      (400, #"{"error":"token_inactive"}"#, .refused),
      (400, "", .refused),
      (400, "{}", .refused),
      (200, #"{"error":"invalid_grant"}"#, .refused),
      (401, #"{"error":"invalid_client"}"#, .misconfigured),
      (400, #"{"error":"invalid_client"}"#, .misconfigured),
      (400, #"{"error":"unauthorized_client"}"#, .misconfigured),
      (400, #"{"error":"invalid_request"}"#, .misconfigured),
      (400, #"{"error":"invalid_scope"}"#, .misconfigured),
      (401, "", .misconfigured),
      (403, "", .misconfigured),
      (404, "<html></html>", .misconfigured),
      (400, "<html>400 Bad Request</html>", .transient),
      (500, #"{"error":"invalid_grant"}"#, .transient),
      (429, #"{"error":"invalid_grant"}"#, .transient),
      (503, "", .transient),
      (400, #"{"error":"temporarily_unavailable"}"#, .transient),
      (200, "<html>sign in</html>", .transient),
      (200, "", .transient),
      (200, "{}", .transient),
      (302, "", .transient),
      (200, #"{"access_token":"x","token_type":"DPoP"}"#, .transient),
      (200, #"{"access_token":"a","access_token":"b"}"#, .transient),
    ] as [(Int, String, Verdict)])
  func classifies(status: Int, body: String, verdict: Verdict) async throws {
    let connection = try Samples.connection(.oidc, origin: "https://op.example.org")
    let found = try await Verdict.of {
      try OIDC.read(Samples.answer(status, body), replacing: Samples.tokens(), connection)
    }
    #expect(found == verdict)
  }

  @Test(
    "is read however it writes type and lifetime",
    arguments: [
      (#"{"access_token":"n","token_type":"Bearer","expires_in":60}"#, 60),
      (#"{"access_token":"n","token_type":"bearer","expires_in":"60"}"#, 60),
      (#"{"access_token":"n","token_type":"BEARER","expires_in":60.9,"unknown":[1,{}]}"#, 60),
      (#"{"access_token":"n"}"#, 300), (#"{"access_token":"n","expires_in":-5}"#, 300),
      (#"{"access_token":"n","expires_in":9e300}"#, 300),
      (#"{"access_token":"n","expires_in":9223372036854775807}"#, TokenAnswer.longestLifetime),
      (#"{"access_token":"n","refresh_token":"","id_token":null,"expires_in":60}"#, 60),
    ] as [(String, Int64)])
  func reads(body: String, lifetime: Int64) throws {
    let connection = try Samples.connection(.oidc, origin: "https://op.example.org")
    let new = try OIDC.read(Samples.answer(200, body), replacing: Samples.tokens(), connection)
    #expect(new.accessToken == Secret("n"))
    #expect(new.accessExpiresAt == Samples.now + lifetime)
    #expect(new.refreshToken == Secret("old-refresh"))
  }

  @Test(
    "A revocation endpoint's answer",
    arguments: [
      (200, "", .revoked, nil), (204, "", .revoked, nil),
      (400, #"{"error":"unsupported_token_type"}"#, .unsupported, nil),
      (401, #"{"error":"invalid_client"}"#, nil, .misconfigured), (503, "", nil, .transient),
      (404, "", nil, .misconfigured),
    ] as [(Int, String, RevocationOutcome?, Verdict?)])
  func revocation(status: Int, body: String, outcome: RevocationOutcome?, verdict: Verdict?) async throws {
    let reply = Reply(host: "https://op.example.org", status: status, headers: [], body: Array(body.utf8), date: nil)
    guard let outcome else {
      #expect(try await Verdict.of { try OIDC.outcome(of: reply) } == verdict)
      return
    }
    #expect(try OIDC.outcome(of: reply) == outcome)
  }

  @Test(
    "tells when to come back in seconds or by a date, an hour at most",
    arguments: [
      ("17", 17), ("0", 0), ("99999", 3600), ("-1", nil), ("soon", nil),
      ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:30 GMT", nil),
    ] as [(String, Int64?)])
  func retryAfter(text: String, seconds: Int64?) throws {
    let value = try #require(FieldValue(text))
    let reply = Reply(
      host: "https://op.example.org", status: 503, headers: ["retry-after": value], body: [], date: 784_111_777)
    #expect(reply.retryAfter == seconds)
  }
}
