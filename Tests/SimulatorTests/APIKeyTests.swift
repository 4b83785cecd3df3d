import HTTP
import JSON
import Simulator
import Testing

@Suite("API keys") struct APIKeyTests {
  private let caller = Caller(
    SimulatorConfiguration(clients: [
      .demo, SimulatedClient(id: "item", redirectURIs: [], secret: "s", makesKeys: true),
    ]))

  private func make(_ changes: [(String, String)] = []) async throws -> JSONValue {
    var values = [
      "grant_type": "client_credentials", "client_id": "item", "client_secret": "s", "apiToken": "1",
      "regenerateApiToken": "true",
    ]
    for (name, value) in changes { values[name] = value }
    var form = QueryItems()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
    return try await caller.portal("/oauth2/token", form)
  }

  private func refusal(of key: String) async throws -> Int64? {
    try await caller.portal("/portals/self", ["token": key])["error"]?.integer("code")
  }

  @Test("a new key in a slot kills the one that stood there, and no other")
  func slots() async throws {
    let first = try #require(try await make().string("access_token"))
    let other = try #require(try await make([("apiToken", "2")]).string("access_token"))
    #expect(first.hasPrefix("AAPT") && first.suffix(10).first == "1" && other.suffix(10).first == "2")
    let second = try #require(try await make().string("access_token"))
    #expect(try await refusal(of: first) == 498)
    #expect(try await refusal(of: second) == nil)
    #expect(try await refusal(of: other) == nil)
  }

  @Test(
    "are made for whoever may only",
    arguments: [
      ("client_secret", "wrong", "Invalid client_secret"), ("apiToken", "3", "Invalid apiToken"),
      ("regenerateApiToken", "false", "regenerateApiToken not specified"),
      ("client_id", "gatehouse-demo", "Invalid client_secret"),
    ])
  func refuses(_ field: String, _ value: String, _ text: String) async throws {
    #expect(try TokenError(try await make([(field, value)])).description == text)
  }
}
