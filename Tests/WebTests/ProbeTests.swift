import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("POST /v1/probe")
struct ProbeTests {
  private func probe(
    _ stage: VendStage, _ body: String, token: String? = nil, type: FieldValue = "application/json"
  ) async throws -> Response {
    var headers: Headers = ["content-type": type]
    headers.set("authorization", try #require(FieldValue("Bearer \(token ?? stage.access)")))
    return await stage.gatehouse.send(.post, "/v1/probe", headers: headers, body: Array(body.utf8))
  }

  private func body(_ url: String) -> String {
    String(decoding: (["url": .string(url)] as JSONValue).encoded(), as: UTF8.self)
  }

  @Test("says what a URL demands, and which connection of the caller's meets that")
  func covered() async throws {
    let stage = try await VendStage(connects: false)
    let layer = stage.portal.origin + "/server/rest/services/Traffic/FeatureServer/0"
    let answer = try await probe(stage, body(layer + "?secret=1"))
    #expect(answer.status == .ok, "\(answer.text)")
    let json = try answer.json
    #expect(json.string("challenge") == "arcgis" && json.string("url") == layer)
    #expect(json["arcgis"]?.string("portal") == stage.portal.origin && json["arcgis"]?.string("sign_in") == "oauth")
    #expect(json.array("connections")?.map { $0.string("id") } == ["demo"])
    let open = try await probe(stage, body(stage.portal.origin + "/server/rest/services/Roads/FeatureServer")).json
    #expect(open.string("challenge") == "none" && open.array("connections") == [])
  }

  @Test("reads the same for what is private, for what other clients use and for what is switched off")
  func notCovered() async throws {
    let stage = try await VendStage(connects: false)
    let stranger = try await stage.gatehouse.tokens(for: stage.gatehouse.client(), stage.person).access
    let hidden = try await probe(stage, body(stage.resource), token: stranger)
    #expect(try hidden.status == .badRequest && hidden.error == "invalid_target")
    let private10 = try await probe(stage, body("https://10.0.0.1/"))
    #expect(private10.text == hidden.text)
    #expect(try await probe(stage, body("http://192.0.2.1/")).text == hidden.text)
    try await ChangeConnection(stage.gatehouse.here)(.disable, stage.connection.id, by: nil, TestInstallation.visitor)
    #expect(try await probe(stage, body(stage.resource)).text == hidden.text)
    #expect(try await stage.portal.calls(of: "portals.self") == 0)
  }

  @Test(
    "refuses what it cannot read, each with words of its own",
    arguments: [
      ("{}", "invalid_request"), ("{\"url\":1}", "invalid_request"), ("{\"url\":", "invalid_request"),
      ("", "invalid_request"), ("{\"url\":\"ftp://x/\"}", "invalid_target"),
      ("{\"url\":\"https://u:p@x.org/\"}", "invalid_target"), ("{\"url\":\"\"}", "invalid_target"),
    ])
  func malformed(text: String, code: String) async throws {
    let stage = try await VendStage(connects: false)
    #expect(try await probe(stage, text).error == code)
    #expect(try await probe(stage, body(stage.resource), type: "text/plain").error == "invalid_request")
  }

  @Test("is for callers with a live token for vending alone")
  func callers() async throws {
    let stage = try await VendStage(connects: false)
    let none = await stage.gatehouse.send(
      .post, "/v1/probe", headers: ["content-type": "application/json"], body: Array(body(stage.resource).utf8))
    #expect(none.status == .unauthorized && none.headers["www-authenticate"] == "Bearer realm=\"gatehouse\"")
    _ = await stage.gatehouse.post("/oauth2/revoke", ["token": stage.access], basic: stage.client.basic)
    #expect(try await probe(stage, body(stage.resource)).error == "invalid_token")
  }

  @Test("is bounded for each client and minute")
  func bounded() async throws {
    let stage = try await VendStage(connects: false)
    for _ in 0..<30 { #expect(try await probe(stage, body("https://10.0.0.1/")).error == "invalid_target") }
    let refused = try await probe(stage, body("https://10.0.0.1/"))
    #expect(refused.status == 429 && refused.headers["retry-after"] == "60")
    stage.gatehouse.time.advance(by: 60)
    #expect(try await probe(stage, body("https://10.0.0.1/")).error == "invalid_target")
  }
}
