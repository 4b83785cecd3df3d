import Domain
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("What is known of a person's standing")
struct KnownStandingsTests {
  private let test: TestInstallation
  private let portal: TestPortal
  private let credential: Credential
  private let request: VendRequest
  private let token: AccessTokenClaims

  init() async throws {
    (test, portal) = (try await TestInstallation(), try TestPortal())
    let connection = try await test.connection(.oauthUser, to: portal.server)
    credential = try await test.put(
      UpstreamTokens(accessToken: Secret("token"), accessExpiresAt: test.time.now + 1800, refreshToken: nil),
      at: connection)
    request = try await test.vendRequest(
      for: portal.server.origin + "/sharing/rest/community/self", at: connection)
    let scope = try #require(Scope("vend"))
    let session = BrowserSession(
      hash: TokenHash(of: "session"), account: test.account.id, kind: .person, authenticatedAt: test.time.now,
      lastSeenAt: test.time.now, userAgent: "tests")
    let family = TokenFamily(
      id: .random(), client: request.client, account: test.account.id, session: session.hash, scope: scope,
      authenticatedAt: test.time.now, expiresAt: test.time.now + 3600)
    try await test.store.write { tx in
      try tx.insert(session)
      try tx.insert(family)
    }
    token = AccessTokenClaims(
      id: "jti", subject: test.account.id.text, client: request.client, scope: scope,
      audience: AccessToken.vendAudience, family: family.id, issuedAt: test.time.now, expiresAt: test.time.now + 600)
  }

  @discardableResult
  private func vend() async throws -> Vended {
    try await VendToken(test.here)(request, with: token, TestInstallation.visitor)
  }

  /// Vends so often that the last use is noted and the standing is kept after it.
  private func vendOften() async throws {
    try await vend()
    // What waits for nobody is written before what comes after it.
    try await test.store.record(
      AuditEvent(.vended, at: test.time.now, origin: .system, account: test.account.id))
    try await vend()
  }

  @Test("it is not read again while nothing is written but what vends write")
  func kept() async throws {
    try await vendOften()
    let (account, client) = (test.account.id, request.client)
    try await test.store.writeAuditInBackground { try $0.deleteConsent(of: account, for: client) }
    try await vend()
    try await test.store.write { _ in }
    await #expect(throws: Refusal.self) { try await vend() }
  }

  @Test("whatever ends has ended for the next vend", arguments: Ending.allCases)
  func ended(_ ending: Ending) async throws {
    try await vendOften()
    let (credential, client, now) = (credential, request.client, test.time.now)
    let sealed = try #require(try await test.store.read { try $0.sealedCredential(credential.id)?.1 })
    try await test.store.write { try ending.happen(to: credential, client, sealed, $0, at: now) }
    await #expect(throws: Refusal.self) { try await vend() }
  }

  @Test("a revoked token vends no more, alone or with its family", arguments: [true, false])
  func revoked(_ alone: Bool) async throws {
    try await vendOften()
    let (token, now) = (token, test.time.now)
    try await test.store.write { tx in
      if alone { try tx.insertRevokedToken(token.id, expiresAt: token.expiresAt) }
      if !alone, let family = token.family { _ = try tx.revokeFamily(family, at: now) }
    }
    await #expect(throws: Refusal.self) { try await vend() }
  }

  @Test("another account or client than the token was first shown for is read for itself")
  func others() async throws {
    try await vendOften()
    let stranger = VendRequest(
      client: request.client, account: .random(), resource: request.resource, minimumLifetime: 0)
    await #expect(throws: Refusal.self) {
      try await VendToken(test.here)(stranger, with: token, TestInstallation.visitor)
    }
  }

  @Test("a use is noted again after a minute")
  func uses() async throws {
    try await vendOften()
    let first = try #require(try await test.held(credential.id)?.lastUsedAt)
    test.time.advance(by: 61)
    try await vendOften()
    #expect(try await test.held(credential.id)?.lastUsedAt == first + 61)
  }
}
