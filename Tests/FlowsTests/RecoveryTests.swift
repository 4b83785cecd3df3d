import Domain
import SQL
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("Refreshes that were interrupted")
struct RecoveryTests {
  private let test: TestInstallation
  private let provider: TestProvider
  private let credential: Credential

  init() async throws {
    test = try await TestInstallation()
    provider = try TestProvider()
    credential = try await test.credential(at: provider)
  }

  private func recover() async throws {
    try await test.refreshing { [test] in try await RecoverRefreshes(test.here)() }
  }

  /// Records an answer for an attempt, as its holder would have done before it died.
  private func record(_ body: String, for attempt: RefreshAttempt) async throws {
    let id = credential.connection
    let stored = try await test.store.read { try $0.connection(id) }
    let connection = try #require(stored)
    let answer = UpstreamAnswer(status: 200, body: Secret(body), askedAt: test.time.now)
    let sealed = try test.here.vault.seal(
      answer.sealable, in: RefreshCredentials(test.here).place(of: attempt, connection))
    let now = test.time.now
    #expect(try await test.store.write { try $0.recordAnswer(sealed, of: attempt.id, at: now) })
  }

  private let recorded =
    #"{"access_token":"recorded","token_type":"Bearer","expires_in":600,"refresh_token":"recorded-refresh"}"#

  @Test("an intent without an answer is asked about once more")
  func asksOnceMore() async throws {
    _ = try await test.interrupt(credential.id)
    try await recover()
    #expect(provider.presented == ["refresh-0"])
    #expect(try await test.held(credential.id)?.generation == 2)
    #expect(try await test.tokens(of: credential.id).refreshToken == Secret("refresh-1"))
    #expect(try await test.attempt(of: credential.id) == nil)
  }

  @Test("an intent that was asked about twice is not asked about again: a rotated token is lost")
  func asksNotThrice() async throws {
    _ = try await test.interrupt(credential.id, posts: 2)
    try await recover()
    #expect(provider.presented.isEmpty)
    #expect(try await test.held(credential.id)?.state == .reauthRequired)
    #expect(try await test.attempt(of: credential.id) == nil)
    #expect(try await test.count(.upstreamRefreshFailed) == 1)
  }

  @Test("a recorded answer is applied without asking", arguments: [1, 2] as [Int64])
  func applies(posts: Int64) async throws {
    let attempt = try await test.interrupt(credential.id, posts: posts)
    try await record(recorded, for: attempt)
    try await recover()
    #expect(provider.presented.isEmpty)
    let tokens = try await test.tokens(of: credential.id)
    #expect(tokens.accessToken == Secret("recorded") && tokens.refreshToken == Secret("recorded-refresh"))
    #expect(tokens.accessExpiresAt == test.time.now + 600)
    #expect(try await test.attempt(of: credential.id) == nil)
    #expect(try await test.count(.upstreamRefreshed) == 1)
  }

  @Test("a recorded refusal is applied too")
  func appliesRefusal() async throws {
    let attempt = try await test.interrupt(credential.id)
    try await record(#"{"error":"invalid_grant"}"#, for: attempt)
    try await recover()
    #expect(provider.presented.isEmpty)
    #expect(try await test.held(credential.id)?.state == .reauthRequired)
  }

  @Test("a recorded answer that does not open is a lost one")
  func tamperedAnswer() async throws {
    let attempt = try await test.interrupt(credential.id)
    try await record(recorded, for: attempt)
    try await test.database.write { try $0.run("UPDATE refresh_attempt SET box = \([UInt8](repeating: 1, count: 99))") }
    try await recover()
    #expect(provider.presented.isEmpty)
    #expect(try await test.held(credential.id)?.state == .reauthRequired)
    #expect(try await test.attempt(of: credential.id) == nil)
  }

  @Test("a live lease is left alone, and taken over when it has run out")
  func lease() async throws {
    _ = try await test.interrupt(credential.id, leaseLeft: 30)
    try await recover()
    #expect(provider.presented.isEmpty)
    let id = credential.id
    let later = try await TestInstallation(after: test)
    let ended = try await later.refreshing {
      async let ended = later.refresh(id)
      later.time.advance(by: 31)
      return await ended
    }
    #expect(ended == .refreshed)
    #expect(provider.presented == ["refresh-0"])
  }

  @Test("an answer that is lost is asked for once more, and the rotation is lost when that is refused")
  func lostRotation() async throws {
    provider.next(.rotateAndDrop)
    #expect(try await test.refreshOnce(credential.id) == .reauthRequired)
    #expect(provider.presented == ["refresh-0", "refresh-0"])
    #expect(try await test.attempt(of: credential.id) == nil)
  }

  @Test("a request that was lost on its way is repeated and succeeds")
  func lostRequest() async throws {
    provider.next(.drop)
    #expect(try await test.refreshOnce(credential.id) == .refreshed)
    #expect(provider.presented == ["refresh-0", "refresh-0"])
    #expect(try await test.tokens(of: credential.id).refreshToken == Secret("refresh-1"))
  }

  @Test("after two lost answers the token is never presented again")
  func lostTwice() async throws {
    provider.next(.drop, .drop)
    let id = credential.id
    let ended = try await test.refreshing { [test] in
      let first = await test.refresh(id)
      test.time.advance(by: 600)
      return [first, await test.refresh(id)]
    }
    #expect(ended == [.reauthRequired, .reauthRequired])
    #expect(provider.presented == ["refresh-0", "refresh-0"])
  }

  @Test("a repetition that never left does not count, so that the one repetition stays")
  func repetitionNotSent() async throws {
    _ = try await test.interrupt(credential.id)
    await provider.server.stop()
    try await recover()
    let attempt = try #require(try await test.attempt(of: credential.id))
    #expect(attempt.posts == 1 && attempt.leaseUntil <= test.time.now)
    #expect(try await test.held(credential.id)?.state == .active)
  }

  @Test("an answer that came after somebody else's new tokens changes and revokes nothing")
  func superseded() async throws {
    let barrier = Barrier()
    provider.next(.wait(barrier))
    let id = credential.id
    let newer = UpstreamTokens(
      accessToken: Secret("newer"), accessExpiresAt: test.time.now + 900, refreshToken: Secret("newer-refresh"))
    let ended = try await test.refreshing { [test, credential] () async throws in
      async let ended = test.refresh(id)
      await barrier.arrival()
      let stored = try await test.store.read { try $0.connection(credential.connection) }
      let connection = try #require(stored)
      let sealed = try test.here.seal(newer, of: id, credential.account, connection)
      let now = test.time.now
      let isKept = try await test.store.write {
        try $0.replaceTokens(of: id, generation: 1, with: sealed, TokenExpiry(newer), at: now)
      }
      #expect(isKept)
      barrier.open()
      return await ended
    }
    #expect(ended == .refreshed)
    #expect(try await test.tokens(of: id) == newer)
    #expect(try await test.outbox().isEmpty)
    #expect(try await test.attempt(of: id) == nil)
  }

  @Test("a sign-out during a refresh waits for its tokens, revokes them and shreds last")
  func signOut() async throws {
    let barrier = Barrier()
    provider.next(.wait(barrier))
    let id = credential.id
    let ended = try await test.refreshing { [test] () async throws in
      async let ended = test.refresh(id)
      await barrier.arrival()
      _ = try await SignOut(test.here)(test.account.id, TestInstallation.visitor)
      #expect(try await test.held(id)?.state == .closing, "its refresh is under way")
      barrier.open()
      return await ended
    }
    #expect(ended == .gone)
    #expect(try await test.held(id) == nil)
    #expect(try await test.outbox().count == 1)
    try await DeliverRevocations(test.here)()
    #expect(provider.revoked == ["refresh-0", "access-0", "refresh-1", "access-1"])
    #expect(try await test.outbox().isEmpty)
  }

  @Test("what a crash left of a signed-out credential is not asked about, and shredded")
  func closingWithoutAnswer() async throws {
    _ = try await test.interrupt(credential.id)
    try await test.store.write { [credential] in
      _ = try $0.closeCredential(credential.id, of: credential.account)
    }
    try await recover()
    #expect(provider.presented.isEmpty)
    #expect(try await test.held(credential.id) == nil)
  }

  @Test("tokens in the journal of a signed-out credential go to the outbox")
  func closingWithAnswer() async throws {
    let attempt = try await test.interrupt(credential.id)
    try await record(recorded, for: attempt)
    try await test.store.write { [credential] in
      _ = try $0.closeCredential(credential.id, of: credential.account)
    }
    try await recover()
    #expect(provider.presented.isEmpty)
    #expect(try await test.held(credential.id) == nil)
    try await DeliverRevocations(test.here)()
    #expect(provider.revoked == ["recorded-refresh", "recorded"])
  }

  @Test("one that cannot be finished keeps no other from being finished")
  func poison() async throws {
    let poisoned = try await test.connection(.oidc, to: provider.server, named: "poisoned")
    let other = try await test.put(
      UpstreamTokens(accessToken: Secret("a"), accessExpiresAt: test.time.now, refreshToken: Secret("r")), at: poisoned)
    _ = try await test.interrupt(other.id)
    _ = try await test.interrupt(credential.id)
    try await test.database.write { try $0.run("UPDATE connection SET revision = 9 WHERE id = 'poisoned'") }
    try await recover()
    #expect(try await test.held(credential.id)?.generation == 2)
    #expect(try await test.held(other.id)?.state == .reauthRequired)
    #expect(try await test.attempt(of: other.id) == nil)
    #expect(provider.presented == ["refresh-0"])
  }

  @Test("at a portal, whose refresh uses nothing up, a lost answer costs nothing", arguments: [1, 2] as [Int64])
  func portal(posts: Int64) async throws {
    let test = try await TestInstallation()
    let portal = try TestPortal()
    let credential = try await test.credential(at: portal)
    _ = try await test.interrupt(credential.id, posts: posts)
    try await test.refreshing { try await RecoverRefreshes(test.here)() }
    #expect(try await portal.calls(of: "token.refresh_token") == (posts == 1 ? 1 : 0))
    #expect(try await test.held(credential.id)?.generation == (posts == 1 ? 2 : 1))
    #expect(try await test.attempt(of: credential.id) == nil)
    test.passPause()
    #expect(try await TestInstallation(after: test).refreshOnce(credential.id) == .refreshed)
  }
}

@Suite("Leases that a dead process left behind")
struct DeadLeaseTests {
  @Test("are ended at the next start, so that nobody waits for them")
  func ended() async throws {
    let test = try await TestInstallation()
    let portal = try TestPortal()
    let id = try await test.credential(at: portal).id
    // Who waits for a lease looks every second and gives up before a minute; the test's clock stands still.
    _ = try await test.interrupt(id, leaseLeft: 3600)
    let next = try await TestInstallation(after: test)
    try await RecoverRefreshes(next.here).endLeases()
    #expect(try await next.refreshOnce(id) == .refreshed)
    #expect(try await portal.calls(of: "token.refresh_token") == 1)
  }
}

@Suite("Signing out at a portal")
struct PortalSignOutTests {
  @Test("during a refresh, the tokens that come are revoked and the credential is shredded")
  func duringRefresh() async throws {
    let test = try await TestInstallation()
    let portal = try TestPortal()
    let id = try await test.credential(at: portal).id
    await portal.fault("delay", at: "token", value: 700)
    try await test.refreshing { () async throws in
      async let ended = test.refresh(id)
      while try await portal.calls(of: "token.refresh_token") == 0 { try await Task.sleep(for: .milliseconds(5)) }
      _ = try await SignOut(test.here)(test.account.id, TestInstallation.visitor)
      #expect(await ended == .gone)
    }
    #expect(try await test.held(id) == nil)
    try await DeliverRevocations(test.here)()
    #expect(try await test.outbox().isEmpty)
    #expect(try await portal.calls(of: "revokeToken") == 2)
  }
}
