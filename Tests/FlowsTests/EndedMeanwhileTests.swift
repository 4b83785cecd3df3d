import Domain
import Storage
import Testing
import Upstream

@testable import Flows

/// What an administrator or a person ends while a vend waits for another server.
enum Ending: CaseIterable, Sendable {
  case consent, client, account, connection, credential, replacement

  func happen(to credential: Credential, _ client: ClientID, _ tokens: Sealed, _ tx: Transaction, at now: Timestamp)
    throws
  {
    switch self {
    case .consent: try tx.deleteConsent(of: credential.account, for: client)
    case .client: _ = try tx.setClient(client, disabled: true, at: now)
    case .account: try tx.setAccount(credential.account, disabled: true, at: now)
    case .connection: try tx.setConnection(credential.connection, disabled: true, at: now)
    case .credential: _ = try tx.closeCredential(credential.id, of: credential.account)
    case .replacement:
      try tx.withdrawConsents(of: credential.account, to: credential.connection, at: now)
      let other = UpstreamIdentity(
        connection: credential.connection, issuer: "i", subject: "somebody else", displayName: "Ben")
      try tx.put(
        Credential(
          id: .random(), account: credential.account, connection: credential.connection, identity: other,
          state: .active, generation: 1, accessExpiresAt: now + 1800, refreshExpiresAt: nil, canRefresh: true,
          connectedAt: now, refreshedAt: now, lastUsedAt: nil), tokens: tokens)
    }
  }
}

@Suite("What ends while a vend waits has ended for it, too")
struct EndedMeanwhileTests {
  private let test: TestInstallation
  private let portal: TestPortal

  init() async throws { (test, portal) = (try await TestInstallation(), try TestPortal()) }

  /// Long enough for the ending, in milliseconds.
  private static let delay: Int64 = 800

  private func vend(_ request: VendRequest) -> Task<Vended, any Error> {
    Task { [test] in try await VendToken(test.here)(request, with: nil, TestInstallation.visitor) }
  }

  /// Lets `ending` happen once the portal was asked at `endpoint`, and expects that nothing is handed out.
  private func expectRefusal(
    _ request: VendRequest, of credential: Credential, asking endpoint: String, _ ending: Ending
  ) async throws {
    let sealed = try #require(try await test.store.read { try $0.sealedCredential(credential.id)?.1 })
    await portal.fault("delay", at: endpoint, value: Self.delay)
    let waiting = vend(request)
    while try await portal.calls(of: endpoint) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    let now = test.here.clock.now()
    try await test.store.write { try ending.happen(to: credential, request.client, sealed, $0, at: now) }
    await #expect(throws: Refusal.self) { _ = try await waiting.value }
    #expect(try await test.count(.vended) == 0)
  }

  @Test("for a refresh", arguments: Ending.allCases)
  func refresh(_ ending: Ending) async throws {
    let credential = try await test.credential(at: portal)
    let connection = try #require(try await test.store.read { try $0.connection(credential.connection) })
    let request = try await test.vendRequest(
      for: portal.server.origin + "/sharing/rest/community/self", at: connection)
    try await test.refreshing {
      try await expectRefusal(request, of: credential, asking: "token.refresh_token", ending)
    }
  }

  @Test("for a federated server's token", arguments: Ending.allCases)
  func server(_ ending: Ending) async throws {
    let connection = try await test.connection(.oauthUser, to: portal.server)
    let registration = try await test.here.registration(for: connection)
    let signedIn = try await portal.signIn(registration, test.here.upstreams.portals, at: test.time.now)
    let credential = try await test.put(signedIn.tokens, at: connection)
    let request = try await test.vendRequest(
      for: "\(portal.server.origin)/server/rest/services/Traffic/FeatureServer/0", at: connection)
    try await expectRefusal(request, of: credential, asking: "generateToken.server", ending)
  }
}
