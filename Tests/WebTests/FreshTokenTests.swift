import Domain
import HTTP
import JSON
import Testing

@testable import Web

@Suite("Tokens that the server refuses although they should work", .timeLimit(.minutes(1)))
struct FreshTokenTests {
  private static let another: (String, String) = ("min_ttl", "1209600")

  private func vend(_ stage: VendStage, _ url: String? = nil, another: Bool = false) async throws -> Response {
    var query: QueryItems = ["resource": url ?? stage.resource]
    if another { query.append(Self.another.0, Self.another.1) }
    return try await stage.get("/v1/token", query)
  }

  private func layer(_ stage: VendStage) -> String {
    stage.portal.origin + "/server/rest/services/Traffic/FeatureServer/0"
  }

  @Test("an app gets another one by min_ttl, once in a minute, however many ask", arguments: [true, false])
  func another(rawTokens: Bool) async throws {
    let stage = try await VendStage(rawTokens: rawTokens)
    let first = try await vend(stage).json.string("access_token")
    let young = try await vend(stage, another: true)
    #expect(young.status.code == 429 && young.headers["retry-after"] == "60")
    #expect(try young.json.string("error_description")?.contains("another would not help") == true)
    stage.gatehouse.time.advance(by: 60)
    let answers = try await withThrowingTaskGroup(of: Response.self) { group in
      for _ in 0..<20 { group.addTask { try await vend(stage, another: true) } }
      return try await group.reduce(into: [Response]()) { $0.append($1) }
    }
    #expect(answers.contains { $0.status == .ok } && answers.allSatisfy { [200, 429].contains($0.status.code) })
    #expect(try await stage.portal.calls(of: "token") == 2, "the sign-in's and one more")
    let renewed = try await vend(stage).json.string("access_token")
    #expect(rawTokens ? renewed != first : renewed == nil)
  }

  @Test("a portal that refuses its own token is asked for another one once in its life")
  func portalRefuses() async throws {
    let stage = try await VendStage()
    stage.gatehouse.time.advance(by: 60)
    await stage.portal.fault("refuse", at: "generateToken", times: 1)
    #expect(try await vend(stage, layer(stage)).status == .ok, "one that was ended early")
    #expect(try await stage.portal.calls(of: "token") == 2)
    let other = try await VendStage()
    await other.portal.fault("refuse", at: "generateToken", times: 100)
    for seconds: Int64 in [60, 1, 60, 300] {
      other.gatehouse.time.advance(by: seconds)
      let refused = try await vend(other, layer(other))
      #expect(refused.status == .badGateway && refused.headers["retry-after"] == nil)
      let words = try #require(try refused.json.string("error_description"))
      #expect(words.contains("just made, so another one would not help"))
    }
    #expect(try await other.portal.calls(of: "token") == 2)
    #expect(try await other.portal.calls(of: "generateToken") == 5, "one for each vend, and one with the new token")
  }

  @Test("a server that refuses a fresh one ends the way through its layers with what may be wrong")
  func challenge() async throws {
    let stage = try await VendStage()
    await stage.portal.fault("refuse", at: "server.layer", times: 100)
    let browser = TestBrowser(stage.gatehouse, stage.person)
    for _ in 0..<3 {
      let page = await browser.get("/connect?resource=\(layer(stage))")
      #expect(page.text.contains("refuses a token of Demo (ana) that was made just now"), "\(page.text)")
      #expect(page.text.contains("may not belong to this portal"))
    }
    #expect(try await stage.portal.calls(of: "token") == 1)
    #expect(try await stage.portal.calls(of: "generateToken") == 1)
  }

  @Test("a sign-in whose token the portal refuses at once sends nobody round again")
  func signIn() async throws {
    let stage = try await VendStage(connects: false)
    await stage.portal.fault("refuse", at: "community.self", times: 100)
    let browser = TestBrowser(stage.gatehouse, stage.person)
    let page = try await browser.travel(try await browser.submit([:], on: "/connect/demo"), stage.portal)
    #expect(page.text.contains("does not accept Gatehouse") && !page.text.contains("Start again"), "\(page.text)")
    #expect(try await stage.portal.calls(of: "token") == 1)
  }
}
