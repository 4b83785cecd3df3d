import Domain
import Flows
import HTTP
import HTTPClient
import HTTPServer
import JSON
import Testing

@testable import Web

@Suite("Going on without signing in, by the proxy", .timeLimit(.minutes(1)))
struct GoOnWithoutTests {
  /// Refuses everybody with what it was asked.
  private static let refusing: Server.Handler = { request in
    let lines = request.headers.fields.map { "\($0.name.text): \($0.value.text)" }
    return Response(
      status: .forbidden, headers: ["content-type": "text/plain", "www-authenticate": "Bearer"],
      body: .bytes(Array("\(request.method.name) \(request.target)\n\(lines.joined(separator: "\n"))".utf8)))
  }

  @Test("the next call goes to the upstream without any credential, once, and its own answer comes back")
  func forwards() async throws {
    let stage = try await ProxyStage(connects: false, files: Self.refusing)
    let gatehouse = stage.gatehouse
    let url = stage.url("/home/files/a?x=1")
    let fields: Headers = [
      "cookie": "gh_s=1", "x-esri-authorization": "Bearer mine", "x-api-key": "mine", "accept-language": "sv",
    ]
    let refused = try await JSONValue(parsing: stage.open(url, headers: fields).bytes)
    #expect(refused.string("error") == "interaction_required")
    try await skip(try #require(refused.string("interaction_uri")), stage)
    let answer = try await stage.open(url, headers: fields)
    #expect(answer.status == .forbidden && answer.headers["via"] == "1.1 gatehouse")
    let lines = try await answer.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "GET /home/files/a?x=1" && lines.contains("accept-language: sv"))
    let names = Set(lines.dropFirst().map { String($0.prefix { $0 != ":" }) })
    #expect(names.isDisjoint(with: ["authorization", "x-esri-authorization", "x-api-key", "cookie", "referer"]))
    #expect(!lines.contains { $0.contains(stage.access) || $0.contains("mine") })
    let audit = try #require(try await gatehouse.audit().first { [.vended, .vendRefused].contains($0.name) })
    #expect(audit.name == .vendRefused && audit.connection == stage.connection.id)
    #expect(audit.detail == "proxied GET without a credential, as the person wished")
    #expect(audit.resource == stage.portal.origin + "/home/files/a")
    let again = try await JSONValue(parsing: stage.open(url).bytes)
    #expect(again.string("error") == "interaction_required", "one decision counts for one call")
  }

  private func skip(_ link: String, _ stage: ProxyStage) async throws {
    let browser = TestBrowser(stage.gatehouse, stage.person)
    let start = try #require(link.firstRange(of: "/connect?"))
    let page = await browser.get(String(link[start.lowerBound...]))
    var fields: QueryItems = ["do": "skip"]
    for name in ["connection", "asked"] { fields.append(name, TestBrowser.hiddenValue(name, in: page.text)) }
    let end = await browser.submit(fields, after: page, to: "/connect")
    #expect(end.text.contains("You go on without signing in"), "\(end.text)")
  }
}
