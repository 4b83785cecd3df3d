import Domain
import Testing

@Suite("Credentials")
struct CredentialRuleTests {
  private let now = Samples.now

  private func credential(expiresIn: Int64, refreshedAgo: Int64 = 0, usedAgo: Int64? = nil) throws -> Credential {
    let connection = try Samples.connection().id
    return Credential(
      id: CredentialID(random: "one"), account: Samples.account, connection: connection,
      identity: UpstreamIdentity(connection: connection, issuer: "i", subject: "s", displayName: "n"), state: .active,
      generation: 1, accessExpiresAt: now + expiresIn, refreshExpiresAt: nil, canRefresh: true, connectedAt: now,
      refreshedAt: now - refreshedAgo, lastUsedAt: usedAgo.map { now - $0 })
  }

  @Test(
    "are fresh as long as asked, and never at their end",
    arguments: [
      (60, 60, true), (59, 60, false), (1, 0, true), (0, 0, false), (-5, 0, false), (1, -10, true), (0, -10, false),
    ] as [(Int64, Int64, Bool)])
  func freshness(expiresIn: Int64, wanted: Int64, isFresh: Bool) throws {
    #expect(try credential(expiresIn: expiresIn).isFresh(for: wanted, at: now) == isFresh)
  }

  @Test(
    "are refreshed a minute before the end, or a tenth of a short life",
    arguments: [(1800, 60), (600, 60), (599, 59), (100, 10), (10, 1), (1, 1), (0, 1), (-100, 1)] as [(Int64, Int64)])
  func margin(lifetime: Int64, margin: Int64) { #expect(Credential.refreshMargin(lifetime: lifetime) == margin) }

  @Test("an app's wish never makes every call refresh")
  func wish() throws {
    let halfHour = try credential(expiresIn: 1800)
    #expect(halfHour.wantedLifetime(0) == 60)
    #expect(halfHour.wantedLifetime(900) == 900)
    #expect(halfHour.wantedLifetime(1500) == 1500)
    #expect(halfHour.wantedLifetime(100_000) == 1740)
    let short = try credential(expiresIn: 30)
    #expect(short.wantedLifetime(1500) == 3)
  }

  @Test(
    "their use is noted once a minute",
    arguments: [(nil, true), (0, false), (59, false), (60, true)] as [(Int64?, Bool)])
  func touch(usedAgo: Int64?, isDue: Bool) throws {
    #expect(try credential(expiresIn: 60, usedAgo: usedAgo).needsTouch(at: now) == isDue)
  }

  @Test("a refresh that leaves something out keeps what was")
  func replaced() {
    let old = UpstreamTokens(
      accessToken: Secret("a1"), accessExpiresAt: now, refreshToken: Secret("r1"), refreshExpiresAt: now + 100,
      idToken: Secret("i1"), scope: "s1")
    let bare = old.replaced(by: UpstreamTokens(accessToken: Secret("a2"), accessExpiresAt: now + 60, refreshToken: nil))
    #expect(bare.accessToken == Secret("a2") && bare.accessExpiresAt == now + 60)
    #expect(bare.refreshToken == Secret("r1") && bare.refreshExpiresAt == now + 100)
    #expect(bare.idToken == Secret("i1") && bare.scope == "s1")
    let full = old.replaced(
      by: UpstreamTokens(accessToken: Secret("a2"), accessExpiresAt: now, refreshToken: Secret("r2"), scope: "s2"))
    #expect(full.refreshToken == Secret("r2") && full.scope == "s2")
    // The old token's end says nothing about the new one.
    #expect(full.refreshExpiresAt == nil)
    let extended = old.replaced(
      by: UpstreamTokens(
        accessToken: Secret("a2"), accessExpiresAt: now, refreshToken: nil, refreshExpiresAt: now + 500))
    #expect(extended.refreshExpiresAt == now + 500)
  }

  @Test(
    "a revocation is tried again after a minute, then twice as long each time, at most an hour",
    arguments: [(0, 60), (1, 60), (2, 120), (3, 240), (6, 1920), (7, 3600), (8, 3600), (1_000_000, 3600)]
      as [(Int64, Int64)])
  func revocationDelay(attempts: Int64, seconds: Int64) {
    #expect(Revocation.delay(afterAttempts: attempts) == seconds)
  }

  @Test("the refresh's lease outlasts the call, and the call begins early enough")
  func lease() { #expect(RefreshAttempt.minimumRemainingLease < RefreshAttempt.lease) }
}
