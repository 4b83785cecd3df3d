import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Web

@Suite("Gatehouse in the part of an ArcGIS portal, over a socket and without one")
struct ArcGISFaceTests {
  @Test(
    "what the server refuses before is told as ArcGIS would, also to the page of an app",
    arguments: [
      ("/maps/sharing/rest/../x", 400), ("/sharing/rest/generateToken", 413), ("/maps/servers/a/rest/services?x", 414),
      ("https://gate.example/maps/sharing/rest", 431), ("/maps/sharing/rest/content", 405),
    ])
  func refusals(target: String, status: Int) async throws {
    let gatehouse = try await TestInstallation()
    _ = try await gatehouse.client(.public, scope: "openid")
    let failure = ParseFailure(Status(integerLiteral: status), "reason")
    for origin in ["https://app.example", "https://evil.example", "x y", nil] {
      let answer = try #require(
        await gatehouse.app.refusal(of: RefusedRequest(failure, target: target, origin: origin)))
      #expect(answer.status.code == status)
      let error = try #require(try answer.json["error"])
      #expect(error.integer("code") == Int64(status) && error["details"] != nil && error.string("message") != nil)
      let isOwn = origin == "https://app.example"
      #expect(answer.headers["access-control-allow-origin"] == (isOwn ? "https://app.example" : nil))
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect((answer.headers["allow"] != nil) == (status == 405))
    }
  }

  @Test(
    "what is refused elsewhere keeps the plain form",
    arguments: ["/v1/token", "/", "", "*", "/maps/x/sharing", "http://sharing", "/a/b/servers/sharing", "garbage"])
  func elsewhere(target: String) async throws {
    let gatehouse = try await TestInstallation()
    #expect(
      await gatehouse.app.refusal(of: RefusedRequest(ParseFailure(400, "reason"), target: target, origin: nil)) == nil)
  }
}
