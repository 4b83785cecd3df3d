import Crypto
import Domain
import JOSE
import JSON
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("Why an unattended job gets something, or not")
struct ExplainUnattendedTests {
  /// What stands in the way, and the question at which it shows.
  enum Situation: String, CaseIterable, Sendable {
    case nothing, notRegistered, elsewhere, nobody, accountDisabled, notPinned, notAllowed, attendedOnly, proxied,
      notConnected

    var decides: VendStep.Question {
      switch self {
      case .nothing, .proxied: .outcome
      case .notRegistered: .grant
      case .elsewhere: .allowlist
      case .nobody, .accountDisabled: .person
      case .notPinned: .pinned
      case .notAllowed: .consent
      case .attendedOnly: .unattendedConsent
      case .notConnected: .credential
      }
    }
  }

  private let test: TestInstallation
  private let portal: TestPortal
  private let connection: Connection

  init() async throws {
    (test, portal) = (try await TestInstallation(), try TestPortal())
    connection = try await test.connection(.oauthUser, to: portal.server)
  }

  /// The client as it is then, and what the person allowed it.
  private func set(_ situation: Situation) async throws -> Client {
    var options = ClientOptions()
    if situation != .notRegistered {
      let key = try SigningKey.generate(.es256)
      options.unattendedKeys = String(decoding: JWKSet([JWK(key.publicKey)]).json.encoded(), as: UTF8.self)
      options.unattendedNetworks = ["10.20.0.0/16"]
    }
    let client = Client(
      id: .random(), name: "Field app", kind: .confidential, redirectURIs: [],
      grants: [.authorizationCode, .tokenExchange], scope: try #require(Scope("vend vend:unattended")),
      permissions: [
        .init(
          connection: connection.id, handsOutRawTokens: situation != .proxied, isUnattended: situation != .notPinned)
      ],
      options: options, createdAt: test.time.now)
    let consent = Consent(
      account: test.account.id, client: client.id, scope: client.scope, connections: [connection.id],
      unattended: situation == .attendedOnly ? [] : [connection.id], givenAt: test.time.now)
    if situation != .notConnected {
      _ = try await test.put(
        UpstreamTokens(
          accessToken: Secret("token"), accessExpiresAt: test.time.now + 1800, refreshToken: nil), at: connection)
    }
    let (account, now) = (test.account.id, test.time.now)
    try await test.store.write { tx in
      try tx.insert(client)
      if situation != .notAllowed { try tx.put(consent) }
      if situation == .accountDisabled { try tx.setAccount(account, disabled: true, at: now) }
    }
    return client
  }

  @Test("is what the vend decides, question by question", arguments: Situation.allCases)
  func agrees(_ situation: Situation) async throws {
    let client = try await set(situation)
    let url = portal.server.origin + "/sharing/rest/community/self"
    var question = ExplainVend.Question(
      client: "Field app", account: situation == .nobody ? "" : "ana", url: url)
    question.unattendedFrom = situation == .elsewhere ? "203.0.113.7" : "10.20.0.7"
    let explanation = try await ExplainVend(test.here)(question)
    #expect(explanation.steps.last?.question == situation.decides, "\(explanation.steps)")
    #expect(explanation.steps.dropLast().allSatisfy { $0.answer != .refused })
    guard ![.notRegistered, .elsewhere, .nobody].contains(situation) else {
      return #expect(explanation.refusal?.code == .invalidRequest)
    }
    var request = VendRequest(
      client: client.id, account: test.account.id, resource: try #require(ResourceURL(url)), minimumLifetime: 0)
    request.unattended = UnattendedJob(reason: "night")
    var refusal: Refusal?
    do { _ = try await VendToken(test.here)(request, with: nil, TestInstallation.visitor) } catch let refused as Refusal
    {
      refusal = refused
    }
    #expect(explanation.refusal?.code == refusal?.code && explanation.refusal?.description == refusal?.description)
    let row = try await test.store.read { try $0.auditRecords(limit: 1) }.first?.event
    #expect(row.map { VendDetail(of: $0).job } == "night", "\(String(describing: row))")
    if situation == .nothing { #expect(row.flatMap { VendDetail(of: $0).seconds } == 1800) }
  }

  @Test("What stands in front of a service needs the same, layer by layer")
  func layers() async throws {
    let url = try #require(ResourceURL(portal.server.origin + "/sharing/rest/community/self"))
    var proxy = Connection(
      id: try #require(ConnectionID("entra")), name: "Entra", kind: .iap, origin: "https://login.example/v2.0",
      clientID: "entra", createdAt: test.time.now)
    proxy.iap = IAPOptions(
      authorizeURL: "https://login.example/authorize", tokenURL: "https://login.example/token",
      logoutURL: "https://login.example/logout")
    proxy.resources = [try #require(ResourcePattern(portal.server.origin))]
    let front = proxy
    try await test.store.write { try $0.insert(front, clientSecret: nil) }
    for (isPinned, isAllowed, code) in [
      (false, true, Refusal.Code.invalidTarget), (true, false, .invalidRequest), (true, true, .interactionRequired),
    ] {
      let client = Client(
        id: .random(), name: "Night \(isPinned) \(isAllowed)", kind: .confidential, redirectURIs: [],
        grants: [.tokenExchange], scope: try #require(Scope("vend vend:unattended")),
        permissions: [
          .init(connection: connection.id, handsOutRawTokens: true, isUnattended: true),
          .init(connection: front.id, handsOutRawTokens: true, isUnattended: isPinned),
        ], createdAt: test.time.now)
      let both = [connection.id, front.id]
      let consent = Consent(
        account: test.account.id, client: client.id, scope: client.scope, connections: both,
        unattended: isAllowed ? both : [connection.id], givenAt: test.time.now)
      try await test.store.write {
        try $0.insert(client)
        try $0.put(consent)
      }
      var request = VendRequest(client: client.id, account: test.account.id, resource: url, minimumLifetime: 0)
      request.unattended = UnattendedJob(reason: "night")
      let asked = request
      let refusal = await #expect(throws: Refusal.self) {
        _ = try await VendToken(test.here)(asked, with: nil, TestInstallation.visitor)
      }
      #expect(refusal?.code == code, "\(String(describing: refusal))")
    }
  }
}
