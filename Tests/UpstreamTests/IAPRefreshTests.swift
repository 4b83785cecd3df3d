import Domain
import HTTP
import JSON
import Testing

@testable import Upstream

@Suite("Refreshing at Microsoft Entra", .timeLimit(.minutes(1)))
struct IAPRefreshTests {
  private func refresh(_ tokens: UpstreamTokens, _ tenant: TestTenant) async throws -> UpstreamTokens {
    let registration = try tenant.registration()
    let answer = try await tenant.proxies.requestRefresh(
      RefreshRequest(tokens: tokens, isRepeated: false, now: Samples.now), registration)
    return try await tenant.proxies.tokens(from: answer, replacing: tokens, registration)
  }

  private func held(_ tenant: TestTenant) throws -> UpstreamTokens {
    let token = Secret(try tenant.give())
    return UpstreamTokens(
      accessToken: token, accessExpiresAt: Samples.now - 10, refreshToken: Secret("old-refresh"), idToken: token)
  }

  @Test("replaces the ID token, and keeps the refresh token when none comes", arguments: [true, false])
  func refreshes(givesNew: Bool) async throws {
    let tenant = try TestTenant()
    let old = try held(tenant)
    let token = try tenant.give(["nonce": .null, "exp": .integer(Samples.now.seconds + 900)])
    if !givesNew { tenant.change { $0.refreshToken = .null } }
    let new = try await refresh(old, tenant)
    #expect(new.accessToken == Secret(token) && new.accessExpiresAt == Samples.now + 900)
    #expect(new.refreshToken == Secret(givesNew ? "refresh-1" : "old-refresh"))
    let form = try #require(tenant.loopback.requests(at: "/\(TestTenant.id)/oauth2/v2.0/token").first?.form)
    #expect(form["refresh_token"] == "old-refresh" && form["scope"]?.contains("openid") == true)
    await tenant.loopback.stop()
  }

  @Test("refuses another person's token, and leaves the refresh token alone when the new one is no good")
  func mistrusts() async throws {
    let tenant = try TestTenant()
    let old = try held(tenant)
    try tenant.give(["oid": "11111111-2222-3333-4444-555555555555"])
    #expect(try await Verdict.of { try await refresh(old, tenant) } == .refused)
    try tenant.give(["aud": "other"])
    #expect(try await Verdict.of { try await refresh(old, tenant) } == .transient)
    tenant.change { $0.idToken = "" }
    #expect(try await Verdict.of { try await refresh(old, tenant) } == .transient)
    await tenant.loopback.stop()
  }

  @Test(
    "goes by the error's name, and explains its number",
    arguments: [
      ("invalid_grant", 70008, 400, .refused, "expired"),
      ("interaction_required", 50076, 400, .refused, "second factor"),
      ("login_required", 50058, 400, .refused, "no session"), ("consent_required", 65001, 400, .refused, "consented"),
      ("invalid_client", 7_000_215, 401, .misconfigured, "secret is wrong"),
      ("unauthorized_client", 700016, 400, .misconfigured, "not known"),
      ("invalid_request", 9_002_327, 400, .misconfigured, "Web"),
      ("temporarily_unavailable", 90033, 400, .transient, "AADSTS90033"),
      ("server_error", 1, 400, .transient, "AADSTS1"), ("invalid_grant", 70008, 503, .transient, "expired"),
    ] as [(String, Int64, Int, Verdict, String)])
  func errors(name: String, number: Int64, status: Int, verdict: Verdict, words: String) throws {
    let body: JSONValue = [
      "error": .string(name), "error_description": .string("AADSTS\(number): words nobody reads"),
      "error_codes": [.integer(number)], "correlation_id": "0F1E2D3C-4b5a-6978-8796-a5b4c3d2e1f0",
    ]
    do throws(UpstreamFailure) {
      _ = try EntraAnswer.object(status: status, body: body.encoded(), retryAfter: nil, host: "login")
      Issue.record("an error was taken for an answer")
    } catch {
      #expect(Verdict(error) == verdict)
      #expect(error.text.contains(words) && error.text.contains("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"))
      #expect(!error.text.contains("nobody reads"))
    }
  }
}
