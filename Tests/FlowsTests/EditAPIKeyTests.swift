import Domain
import Storage
import Testing

@testable import Flows

@Suite("Changing an API key")
struct EditAPIKeyTests {
  private let test: TestInstallation
  private let client: Client
  private let key: ClientAPIKey
  private let text: Secret
  private let connection: Connection

  init() async throws {
    test = try await TestInstallation()
    var connection = Connection(
      id: try #require(ConnectionID("jobs")), name: "Jobs", kind: .oauthApplication, origin: "https://maps.example",
      clientID: "app", createdAt: test.time.now)
    connection.resources = [try #require(ResourcePattern("https://maps.example"))]
    let client = Client(
      id: .random(), name: "Jobs", kind: .confidential, redirectURIs: [], grants: [.clientCredentials],
      scope: try #require(Scope("vend")), permissions: [.init(connection: connection.id, handsOutRawTokens: true)],
      createdAt: test.time.now)
    let stored = connection
    try await test.store.write {
      try $0.insert(stored, clientSecret: nil)
      try $0.insert(client)
    }
    let made = try await ManageAPIKeys(test.here).create(
      .init(
        name: "Night", kind: .secret, scope: APIKeyScope(connections: [stored.id]), limits: APIKeyLimits(perDay: 5),
        days: 30), for: client.id, by: nil, TestInstallation.visitor)
    (self.client, self.connection, key, text) = (client, stored, made.key, made.text)
  }

  private func edit(_ change: @escaping @Sendable (ClientAPIKey) -> APIKeyEdit) async throws {
    try await EditAPIKey(test.here)(key.id, by: test.account.id, TestInstallation.visitor, change)
  }

  private func present() async throws -> ClientAPIKey {
    let shown = AuthenticateAPIKey.Shown(text.revealedText, referrer: nil, address: "127.0.0.1")
    return try await AuthenticateAPIKey(test.here)(shown, TestInstallation.visitor).key
  }

  private func details() async throws -> [String?] {
    var filter = AuditFilter()
    filter.names = [.apiKeyChanged]
    return try await test.store.read { [filter] in
      try $0.auditRecords(filter, before: nil, limit: 10).map(\.event.detail)
    }
  }

  @Test("holds at once, leaves the secret as it is, and is written down with what changed")
  func changes() async throws {
    #expect(try await present().name == "Night")
    let pattern = try #require(ResourcePattern("https://maps.example/roads"))
    try await edit { key in
      APIKeyEdit(
        name: "Day", scope: APIKeyScope(connections: key.scope.connections, resources: [pattern], methods: ["GET"]),
        limits: APIKeyLimits(networks: ["127.0.0.0/8"], perMinute: 60, perDay: nil))
    }
    let shown = try await present()
    #expect(shown.name == "Day" && shown.scope.resources == [pattern] && shown.limits.perMinute == 60)
    #expect(shown.slots.map(\.code) == key.slots.map(\.code) && !shown.mayHoldRawTokens)
    #expect(
      try await details() == [
        "\(key.id): name, resources, methods, networks, calls a minute any to 60, calls a day 5 to any"
      ])
    try await edit { APIKeyEdit($0) }
    #expect(try await details().count == 1, "nothing was changed")
    try await edit { key in
      var edit = APIKeyEdit(key)
      edit.limits = APIKeyLimits(networks: ["192.0.2.0/24"])
      return edit
    }
    let refused = await #expect(throws: Refusal.self) { try await present() }
    #expect(refused?.code == .networkNotAllowed)
  }

  @Test("holds for a request that had shown the key before")
  func underWay() async throws {
    let shown = try await present()
    let elsewhere = try #require(ResourcePattern("https://elsewhere.example"))
    try await edit { key in
      var edit = APIKeyEdit(key)
      edit.scope = APIKeyScope(connections: key.scope.connections, resources: [elsewhere])
      return edit
    }
    let url = try #require(ResourceURL("https://maps.example/a"))
    let refused = await #expect(throws: Refusal.self) {
      _ = try await VendToken(test.here)(VendCaller.key(shown).request(url), with: nil, TestInstallation.visitor)
    }
    #expect(refused?.code == .insufficientScope)
  }

  @Test("is refused with everything to mend, and where there is nothing to change")
  func refused() async throws {
    let other = try #require(ConnectionID("other"))
    let invalid = await #expect(throws: InvalidAPIKey.self) {
      try await edit { _ in
        APIKeyEdit(
          name: "", scope: APIKeyScope(connections: [other], methods: ["BREW"]),
          limits: APIKeyLimits(networks: ["many"], perDay: 0))
      }
    }
    #expect(Set(invalid?.objections.map(\.field) ?? []) == ["name", "connection", "method", "network", "per_day"])
    #expect(try await present().name == "Night")
    try await ManageAPIKeys(test.here).revoke(key.id, by: nil, TestInstallation.visitor)
    let ended = await #expect(throws: Refusal.self) {
      try await edit { key in
        var edit = APIKeyEdit(key)
        edit.name = "Day"
        return edit
      }
    }
    #expect(ended?.code == .invalidRequest)
    let unknown = await #expect(throws: Refusal.self) {
      try await EditAPIKey(test.here)(.random(), by: nil, TestInstallation.visitor) { APIKeyEdit($0) }
    }
    #expect(unknown?.code == .notFound)
  }
}
