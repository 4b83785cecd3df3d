import Domain
import Testing

@testable import Upstream

@Suite("The answer of a portal's token endpoint")
struct PortalRefreshTests {
  @Test(
    "is classified by what may be done next",
    arguments: [
      (200, #"{"error":{"code":498,"error":"invalid_request","error_description":"refresh_token expired"}}"#, .refused),
      (200, #"{"error":{"code":498,"message":"Invalid token.","details":[]}}"#, .refused),
      (200, #"{"error":{"code":400,"error":"invalid_request","message":"something new"}}"#, .refused),
      (400, #"{"error":{"code":400,"error":"invalid_grant","message":"Invalid code_verifier"}}"#, .refused),
      (200, #"{"error":{"code":403,"messageCode":"GWM_0003","message":"not allowed"}}"#, .refused),
      (200, #"{"error":{"code":400,"error":"invalid_client_id","message":"Invalid client_id"}}"#, .misconfigured),
      (
        200, #"{"error":{"code":400,"error":"invalid_request","error_description":"Invalid client_secret"}}"#,
        .misconfigured
      ),
      (200, #"{"error":{"code":400,"message":"'redirect_uri' not specified"}}"#, .misconfigured),
      (200, #"{"error":{"code":404,"message":"no such resource"}}"#, .misconfigured),
      (200, #"{"error":{"code":499,"messageCode":"GWM_0003","message":"Token Required"}}"#, .transient),
      (200, #"{"error":{"code":500,"message":"internal"}}"#, .transient),
      (503, #"{"error":{"code":498,"message":"Invalid token."}}"#, .transient),
      (429, #"{"error":{"code":400,"message":"slow down"}}"#, .transient),
      (200, #"{"error":{"message":"refresh_token expired"}}"#, .refused),
      (200, #"{"error":{"message":"no idea"}}"#, .transient),
      (200, #"{"error":"invalid_grant","error_description":"expired"}"#, .refused),
      (200, #"{"status":"error","messages":["Token Expired."],"code":498}"#, .refused),
      (200, #"{"code":500,"message":"x","status":"failure","details":null}"#, .transient),
      (200, #"{"code":200,"message":"x","status":"failure"}"#, .transient),
      (200, #"{"status":"failed","statusMessage":"x"}"#, .transient),
      (200, #"callback({"error":{"code":498,"message":"Invalid token."}});"#, .refused),
      (200, "  jsonp.cb_1 ( {\"error\": {\"code\" : 498}} ) ;\n", .refused),
      (200, "<!DOCTYPE html><title>Sign in</title>", .transient),
      (200, "", .transient),
      (200, "{\"access_token\":\"abc", .transient),
      (200, "[]", .transient),
      (200, "{}", .transient),
      (200, #"{"access_token":""}"#, .transient),
      (200, #"{"access_token":"with space","expires_in":1800}"#, .transient),
      (200, #"{"access_token":7}"#, .transient),
      (302, "", .transient),
      (401, "<html>401</html>", .misconfigured),
      (404, "<html>404</html>", .misconfigured),
      (502, "<html>Bad Gateway</html>", .transient),
      (500, "", .transient),
    ] as [(Int, String, Verdict)])
  func classifies(status: Int, body: String, verdict: Verdict) async throws {
    let connection = try Samples.connection()
    let found = try await Verdict.of {
      try OAuthUser.read(Samples.answer(status, body), replacing: Samples.tokens(), connection)
    }
    #expect(found == verdict)
  }

  @Test("says how long an overloaded portal wants to be left alone")
  func retryAfter() throws {
    let connection = try Samples.connection()
    let failure = #expect(throws: UpstreamFailure.self) {
      try OAuthUser.read(Samples.answer(503, "busy", retryAfter: 17), replacing: Samples.tokens(), connection)
    }
    guard case .transient(_, 17, .down)? = failure else {
      Issue.record("expected a transient failure with its delay")
      return
    }
  }

  @Test("names the portal and never the tokens in its text")
  func namesNoSecret() throws {
    let connection = try Samples.connection()
    let failure = #expect(throws: UpstreamFailure.self) {
      try OAuthUser.read(
        Samples.answer(200, #"{"access_token":"sec ret","refresh_token":"hidden"}"#), replacing: Samples.tokens(),
        connection)
    }
    let text = try #require(failure?.text)
    #expect(text.contains("https://gis.example.org/portal"))
    #expect(!text.contains("sec ret") && !text.contains("hidden") && !text.contains("old-refresh"))
  }

  @Test("without a refresh token keeps the old one and its expiry")
  func keepsRefreshToken() throws {
    let new = try OAuthUser.read(
      Samples.answer(200, #"{"access_token":"new","expires_in":1800,"username":"ana","ssl":true}"#),
      replacing: Samples.tokens(), try Samples.connection())
    #expect(new.accessToken == Secret("new"))
    #expect(new.accessExpiresAt == Samples.now + 1800)
    #expect(new.refreshToken == Secret("old-refresh"))
    #expect(new.refreshExpiresAt == Samples.now + 1_209_600)
    #expect(new.scope == "read")
  }

  @Test("with a refresh token replaces the old one and takes its stated lifetime")
  func replacesRefreshToken() throws {
    let body = #"{"access_token":"new","expires_in":"1800","refresh_token":"next","refresh_token_expires_in":99}"#
    let new = try OAuthUser.read(
      Samples.answer(200, body), replacing: Samples.tokens(), try Samples.connection())
    #expect(new.refreshToken == Secret("next"))
    #expect(new.refreshExpiresAt == Samples.now + 99)
  }

  @Test(
    "that states no refresh lifetime is trusted for what was asked, two weeks at most",
    arguments: [(nil, 20_160), (60, 60), (-1, 20_160), (129_600, 20_160)] as [(Int64?, Int64)])
  func unstatedRefreshLifetime(asked: Int64?, minutes: Int64) throws {
    var connection = try Samples.connection()
    connection.portal.refreshTokenMinutes = asked
    let new = try OAuthUser.read(
      Samples.answer(200, #"{"access_token":"new","refresh_token":"next"}"#), replacing: Samples.tokens(), connection)
    #expect(new.refreshExpiresAt == Samples.now + minutes * 60)
    #expect(new.accessExpiresAt == Samples.now + TokenAnswer.unstatedLifetime)
  }

  @Test(
    "The refresh token is exchanged near its end, unless the settings say never",
    arguments: [
      (nil, 86_400, 86_399, true), (nil, 86_400, 86_400, false), (nil, 0, 5, false), (nil, -1, 5, false),
      (60, 86_400, 5, false), (60, 3_600, 5, false), (60, 3_599, 5, true), (-1, 86_400, 5, true),
    ] as [(Int64?, Int64, Int64, Bool)])
  func exchanges(asked: Int64?, below: Int64, left: Int64, expected: Bool) {
    let options = PortalOptions(refreshTokenMinutes: asked, exchangeBelowSeconds: below)
    #expect(options.exchanges(atSecondsLeft: left) == expected)
  }
}
