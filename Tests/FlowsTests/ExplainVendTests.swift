import Domain
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("Why an app gets something, or not")
struct ExplainVendTests {
  private let test: TestInstallation
  private let portal: TestPortal
  private let connection: Connection
  private let client: Client

  init() async throws {
    (test, portal) = (try await TestInstallation(), try TestPortal())
    connection = try await test.connection(.oauthUser, to: portal.server)
    client = Client(
      id: .random(), name: "Field app", kind: .confidential, redirectURIs: [],
      grants: [.authorizationCode, .tokenExchange], scope: try #require(Scope("vend")),
      permissions: [.init(connection: connection.id, handsOutRawTokens: true)], createdAt: test.time.now)
    let (client, consent) = (client, consent)
    try await test.store.write {
      try $0.insert(client)
      try $0.put(consent)
    }
  }

  private var consent: Consent {
    Consent(
      account: test.account.id, client: client.id, scope: client.scope, connections: [connection.id],
      givenAt: test.time.now)
  }

  private var url: String { portal.server.origin + "/sharing/rest/community/self" }

  private func connect(for seconds: Int64 = 1800, canRefresh: Bool = false) async throws {
    _ = try await test.put(
      UpstreamTokens(
        accessToken: Secret("token"), accessExpiresAt: test.time.now + seconds,
        refreshToken: canRefresh ? Secret("refresh") : nil),
      at: connection)
  }

  private func explain(
    _ url: String? = nil, account: String = "ana", lifetime: Int64 = 0
  ) async throws -> ExplainVend.Explanation {
    try await ExplainVend(test.here)(
      .init(client: "Field app", account: account, url: url ?? self.url, minimumLifetime: lifetime))
  }

  /// What stands in the way of a vend, and the question at which it shows.
  enum Situation: String, CaseIterable, Sendable {
    case nothing, clientDisabled, accountDisabled, otherURL, notPermitted, connectionDisabled, notAllowed, notConnected,
      reauthRequired, ended, keptTooLong, wishTooLong, twoConnections, noServer, proxied

    var decides: VendStep.Question {
      switch self {
      case .nothing, .proxied: .outcome
      case .clientDisabled: .client
      case .accountDisabled: .person
      case .otherURL, .connectionDisabled, .twoConnections: .connection
      case .notPermitted: .permission
      case .notAllowed: .consent
      case .notConnected, .reauthRequired, .ended, .keptTooLong, .wishTooLong: .credential
      case .noServer: .upstream
      }
    }

    var path: String {
      switch self {
      case .noServer: "/elsewhere/else"
      default: "/sharing/rest/community/self"
      }
    }
  }

  private func set(_ situation: Situation) async throws {
    let ending: Set<Situation> = [.ended]
    if situation != .notConnected { try await connect(for: ending.contains(situation) ? 0 : 1800) }
    let (client, connection, account, now) = (client, connection, test.account.id, test.time.now)
    try await test.store.write { tx in
      let credential = try tx.credential(of: account, for: connection.id)
      switch situation {
      case .nothing, .otherURL, .notConnected, .ended, .wishTooLong, .noServer: break
      case .clientDisabled: try tx.setClient(client.id, disabled: true, at: now)
      case .accountDisabled: try tx.setAccount(account, disabled: true, at: now)
      case .notPermitted, .proxied:
        try tx.deleteClient(client.id)
        let permission = Client.Permission(connection: connection.id, handsOutRawTokens: false)
        try tx.insert(client.permitting(situation == .proxied ? [permission] : []))
        try tx.put(
          Consent(
            account: account, client: client.id, scope: client.scope, connections: [connection.id], givenAt: now))
      case .connectionDisabled: try tx.setConnection(connection.id, disabled: true, at: now)
      case .notAllowed: try tx.deleteConsent(of: account, for: client.id)
      case .reauthRequired:
        if let credential { _ = try tx.markReauthRequired(credential.id, generation: credential.generation) }
      case .keptTooLong:
        if var credential, let sealed = try tx.sealedCredential(credential.id)?.1 {
          credential.keptUntil = now
          try tx.put(credential, tokens: sealed)
        }
      case .twoConnections:
        guard let id = ConnectionID("twin") else { return }
        var twin = Connection(
          id: id, name: "Twin", kind: .oauthUser, origin: connection.origin, clientID: "twin", createdAt: now)
        twin.resources = connection.resources
        try tx.insert(twin, clientSecret: nil)
        try tx.deleteClient(client.id)
        let both = [connection.id, id].map { Client.Permission(connection: $0, handsOutRawTokens: true) }
        try tx.insert(client.permitting(both))
      }
    }
  }

  @Test("is what the vend itself decides, and nothing is vended or written for it", arguments: Situation.allCases)
  func agrees(_ situation: Situation) async throws {
    try await set(situation)
    let base = situation == .otherURL ? "https://elsewhere.example" : portal.server.origin
    let asked = base + situation.path
    let lifetime: Int64 = situation == .wishTooLong ? 1900 : 0
    let (rows, calls) = (try await test.count(), try await portal.calls(of: "oauth2/token"))
    let explanation = try await explain(asked, lifetime: lifetime)
    #expect(explanation.steps.last?.question == situation.decides, "\(explanation.steps)")
    #expect(explanation.steps.dropLast().allSatisfy { $0.answer != .refused })
    #expect(try await test.count() == rows)
    #expect(try await portal.calls(of: "oauth2/token") == calls)
    let request = VendRequest(
      client: client.id, account: test.account.id, resource: try #require(ResourceURL(asked)),
      minimumLifetime: lifetime)
    let refusal = try await refusal(of: request)
    #expect(explanation.refusal?.code == refusal?.code, "\(String(describing: refusal))")
    #expect(explanation.refusal?.description == refusal?.description)
    #expect(explanation.refusal?.interaction?.reason == refusal?.interaction?.reason)
  }

  /// What a vend is refused with; `nil` where it is granted.
  private func refusal(of request: VendRequest) async throws -> Refusal? {
    let here = test.here
    return try await test.refreshing { () -> Refusal? in
      do {
        _ = try await VendToken(here)(request, with: nil, TestInstallation.visitor)
        return nil
      } catch let refusal as Refusal { return refusal }
    }
  }

  @Test("names every connection that covers the URL, and what became of it")
  func candidates() async throws {
    try await connect()
    let (test, origin) = (test, portal.server.origin)
    for (name, prefix) in [("closer", origin + "/sharing"), ("far", origin + "/other")] {
      var other = Connection(
        id: try #require(ConnectionID(name)), name: name, kind: .oauthUser, origin: origin, clientID: name,
        createdAt: test.time.now)
      other.resources = [try #require(ResourcePattern(prefix))]
      let made = other
      try await test.store.write { try $0.insert(made, clientSecret: nil) }
    }
    let explanation = try await explain()
    let found = explanation.steps.filter { $0.question == .connection }.map(\.finding)
    #expect(
      found == [
        "closer (closer) covers it by \(origin)/sharing: it is the one that the app gets.",
        "demo (demo) covers it by \(origin), less closely than closer.",
      ])
    #expect(explanation.steps.last?.question == .permission)
  }

  @Test("says that an upstream would be asked first, and asks it nothing")
  func renewal() async throws {
    try await connect(for: 0, canRefresh: true)
    let explanation = try await explain()
    #expect(explanation.refusal == nil)
    #expect(explanation.steps.contains { $0.question == .upstream && $0.answer == .noted })
    #expect(try await portal.calls(of: "oauth2/token") == 0)
  }

  @Test(
    "says which of the three is not known here, or cannot be read",
    arguments: [
      ("nobody", "ana", "https://maps.example/", VendStep.Question.client),
      ("Field app", "nobody", "https://maps.example/", .person),
      ("Field app", "ana", "https://maps.example/../%2f", .url), ("Field app", "", "https://maps.example/", .grant),
    ])
  func unknown(client: String, account: String, url: String, decides: VendStep.Question) async throws {
    let explanation = try await ExplainVend(test.here)(.init(client: client, account: account, url: url))
    #expect(explanation.refusal != nil)
    #expect(explanation.steps.last?.question == decides && explanation.steps.last?.answer == .refused)
  }

  @Test("needs the id where several are called the same")
  func ambiguous() async throws {
    let twin = Account(id: .random(), name: "Ana", username: nil, role: .person, createdAt: test.time.now)
    try await test.store.write { try $0.insert(twin) }
    await #expect(throws: Refusal.self) { try await explain(account: "Ana") }
    #expect(try await explain(account: twin.id.text).account?.id == twin.id)
  }
}

extension TestInstallation {
  /// How many rows the audit log has.
  fileprivate func count() async throws -> Int64 {
    try await store.read { try $0.countAuditRecords(AuditFilter()) }
  }
}

extension Client {
  /// The same client with other permissions.
  fileprivate func permitting(_ permissions: [Permission]) -> Client {
    Client(
      id: id, name: name, kind: kind, redirectURIs: redirectURIs, grants: grants, scope: scope,
      permissions: permissions, createdAt: createdAt)
  }
}
