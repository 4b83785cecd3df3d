import Domain
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("Why an API key gets something, or not")
struct ExplainKeyTests {
  /// What stands in the way, and the question at which it shows.
  enum Situation: String, CaseIterable, Sendable {
    case nothing, unknown, revoked, expired, clientDisabled, wrongPage, wrongNetwork, usedUp, noURL, otherConnection,
      otherResource, otherMethod, notPermitted, narrowed, publishable

    var decides: VendStep.Question {
      switch self {
      case .nothing, .narrowed, .publishable: .outcome
      case .unknown, .revoked, .expired, .otherConnection, .otherResource, .otherMethod: .key
      case .clientDisabled: .client
      case .wrongPage, .wrongNetwork: .allowlist
      case .usedUp: .limits
      case .noURL: .url
      case .notPermitted: .permission
      }
    }

    var code: Refusal.Code? {
      switch self {
      case .nothing, .narrowed, .publishable: nil
      case .unknown, .revoked, .expired, .clientDisabled: .invalidToken
      case .wrongPage: .referrerNotAllowed
      case .wrongNetwork: .networkNotAllowed
      case .usedUp: .slowDown
      case .noURL, .notPermitted: .invalidTarget
      case .otherConnection, .otherResource, .otherMethod: .insufficientScope
      }
    }
  }

  private let test: TestInstallation
  private let portal: TestPortal
  private let connection: Connection

  init() async throws {
    (test, portal) = (try await TestInstallation(), try TestPortal())
    connection = try await test.connection(.oauthApplication, to: portal.server)
    let now = test.time.now
    try await test.store.write { try $0.insertServiceAccount(at: now) }
    _ = try await test.put(
      UpstreamTokens(
        accessToken: Secret("token"), accessExpiresAt: test.time.now + 1800, refreshToken: nil),
      at: connection, of: Account.service)
  }

  private var url: String { portal.server.origin + "/sharing/rest/community/self" }

  private func set(_ situation: Situation) async throws -> (Client, ClientAPIKey) {
    let client = Client(
      id: .random(), name: "Jobs", kind: .confidential, redirectURIs: [], grants: [.clientCredentials],
      scope: try #require(Scope("vend")),
      permissions: situation == .notPermitted ? [] : [.init(connection: connection.id, handsOutRawTokens: true)],
      createdAt: test.time.now)
    let elsewhere = try #require(ResourcePattern("https://elsewhere.example"))
    let (other, own) = (try #require(ConnectionID("other")), try #require(ResourcePattern(portal.server.origin)))
    let key = ClientAPIKey(
      id: .random(), client: client.id, name: "Night", kind: situation == .publishable ? .publishable : .secret,
      scope: APIKeyScope(
        connections: [situation == .otherConnection ? other : connection.id],
        resources: situation == .otherResource ? [elsewhere] : situation == .narrowed ? [own] : [],
        methods: situation == .otherMethod || situation == .publishable ? ["GET"] : []),
      limits: APIKeyLimits(
        referrers: situation == .wrongPage ? [elsewhere] : [],
        networks: situation == .wrongNetwork ? ["192.0.2.0/24"] : [], perMinute: situation == .usedUp ? 1 : 5),
      createdAt: test.time.now,
      slots: [
        .init(
          number: 1, code: [1], pepperID: "p", createdAt: test.time.now,
          expiresAt: test.time.now + (situation == .expired ? -1 : 100))
      ])
    let (stored, now) = (client, test.time.now)
    try await test.store.write { tx in
      try tx.insert(stored)
      try tx.insert(key)
      if situation == .clientDisabled { _ = try tx.setClient(stored.id, disabled: true, at: now) }
      if situation == .revoked { _ = try tx.revokeAPIKey(key.id, at: now) }
    }
    return (client, key)
  }

  @Test("says which question decides, and what the app would be told", arguments: Situation.allCases)
  func decides(_ situation: Situation) async throws {
    let (client, key) = try await set(situation)
    if situation == .usedUp {
      let entry = try #require(try await test.here.knownAPIKeys.entry(key.id, test.here))
      try await test.here.countedUses.count(ProvenAPIKey(entry, key.slots[0]), at: test.time.now, test.here)
    }
    var question = ExplainVend.Question(client: "", account: "", url: situation == .noURL ? "maps" : url)
    question.byKey = .init(
      key: situation == .unknown ? "Day" : "Night", method: situation == .otherMethod ? "post" : nil,
      address: "127.0.0.1", referrer: "https://app.example/x")
    let told = try await ExplainVend(test.here)(question)
    let words = told.steps.map { "\($0.question): \($0.finding)" }.joined(separator: "\n")
    #expect(told.refusal?.code == situation.code, "\(words)")
    #expect(told.steps.last?.question == situation.decides, "\(words)")
    #expect(told.steps.last?.answer == (situation.code == nil ? .passed : .refused))
    #expect(told.steps.dropLast().allSatisfy { $0.answer != .refused })
    if situation != .unknown { #expect(told.key?.id == key.id && told.client?.id == client.id) }
    let isProxied = told.steps.last?.finding.contains("api_key_scope") ?? false
    #expect(isProxied == [.narrowed, .publishable].contains(situation))
  }

  @Test("is asked about a key's id or name, and never about its secret")
  func secret() async throws {
    let (_, key) = try await set(.nothing)
    var question = ExplainVend.Question(client: "", account: "", url: url)
    question.byKey = .init(key: key.id.text)
    #expect(try await ExplainVend(test.here)(question).refusal == nil)
    question.byKey = .init(key: HeldAPIKey.new(key.id, .secret).text.revealedText)
    let asked = question
    let refused = await #expect(throws: Refusal.self) { _ = try await ExplainVend(test.here)(asked) }
    #expect(refused?.description.contains("begins with key_") == true)
  }
}
