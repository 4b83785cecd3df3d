import Domain
import SQL
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("Refreshing at a portal")
struct RefreshTests {
  private let test: TestInstallation
  private let portal: TestPortal
  private let credential: Credential

  init() async throws {
    test = try await TestInstallation()
    portal = try TestPortal()
    credential = try await test.credential(at: portal)
  }

  @Test("a thousand callers of one credential cause one call upstream")
  func once() async throws {
    let id = credential.id
    let ended = try await test.refreshing { [test] in
      await withTaskGroup(of: Ended.self) { group in
        for _ in 0..<1000 { group.addTask { await test.refresh(id) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(ended.count == 1000 && ended.allSatisfy { $0 == .refreshed })
    #expect(try await portal.calls(of: "token.refresh_token") == 1)
    let held = try #require(try await test.held(id))
    #expect(held.generation == 2 && held.isFresh(for: 1700, at: test.time.now))
    #expect(try await test.attempt(of: id) == nil)
    #expect(try await test.count(.upstreamRefreshed) == 1)
  }

  @Test("a refusal asks for the person, once")
  func refused() async throws {
    let id = credential.id
    await portal.fault("refuse", at: "token", times: 10)
    let ended = try await test.refreshing { [test] in [await test.refresh(id), await test.refresh(id)] }
    #expect(ended == [.reauthRequired, .reauthRequired])
    #expect(try await portal.calls(of: "token.refresh_token") == 1)
    #expect(try await test.held(id)?.state == .reauthRequired)
    #expect(try await test.attempt(of: id) == nil)
    #expect(try await test.count(.upstreamRefreshFailed) == 1)
  }

  @Test(
    "a fault that may pass keeps the credential and makes everybody pause",
    arguments: [
      ("status", 500), ("status", 502), ("status", 503), ("status", 429), ("html", 0), ("garbage", 0), ("truncate", 0),
      ("drop", 0), ("drop-after", 0),
    ] as [(String, Int64)])
  func transient(kind: String, value: Int64) async throws {
    let id = credential.id
    let before = try await test.tokens(of: id)
    await portal.fault(kind, at: "token", value: value)
    let ended = try await test.refreshing { [test, portal] () async throws in
      let failed = [await test.refresh(id), await test.refresh(id), await test.refresh(id)]
      #expect(failed == [.failed, .failed, .failed])
      #expect(try await portal.calls(of: "token.refresh_token") == 1, "the others pause")
      #expect(try await test.held(id)?.state == .active)
      #expect(try await test.tokens(of: id) == before)
      #expect(try await test.attempt(of: id) == nil)
      test.passPause()
      return await test.refresh(id)
    }
    #expect(ended == .refreshed)
    #expect(try await portal.calls(of: "token.refresh_token") == 2)
    #expect(try await test.held(id)?.generation == 2)
    #expect(try await test.count(.upstreamRefreshFailed) == 0)
  }

  @Test("a slow answer is an answer")
  func slow() async throws {
    let id = credential.id
    await portal.fault("delay", at: "token", value: 300)
    #expect(try await test.refreshOnce(id) == .refreshed)
  }

  @Test("a caller that goes away cancels nothing")
  func cancelled() async throws {
    let id = credential.id
    await portal.fault("delay", at: "token", value: 100)
    try await test.refreshing { [test] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await test.refresh(id) }
        group.cancelAll()
      }
    }
    #expect(try await test.held(id)?.generation == 2)
  }

  @Test("a refresh token near its end is exchanged, and the old one given up")
  func exchange() async throws {
    let id = credential.id
    let before = try await test.tokens(of: id)
    test.time.advance(by: 13 * 86_400 + 7200)
    #expect(try await test.refreshOnce(id) == .refreshed)
    #expect(try await portal.calls(of: "token.exchange_refresh_token") == 1)
    let after = try await test.tokens(of: id)
    #expect(after.refreshToken != before.refreshToken && after.accessToken != before.accessToken)
    #expect(try await test.held(id)?.refreshExpiresAt == after.refreshExpiresAt)
  }

  @Test("an exchange whose answer is lost ends with the person, never with a guess")
  func lostExchange() async throws {
    let id = credential.id
    test.time.advance(by: 13 * 86_400 + 7200)
    await portal.fault("drop-after", at: "token.exchange_refresh_token")
    let ended = try await test.refreshing { [test] () async throws in
      let first = await test.refresh(id)
      #expect(try await test.held(id)?.state == .active)
      test.passPause()
      return [first, await test.refresh(id)]
    }
    #expect(ended == [.failed, .reauthRequired])
    #expect(try await portal.calls(of: "token") == 3, "the sign-in, the exchange and one repetition")
  }

  @Test("a token without a refresh token runs out once")
  func withoutRefreshToken() async throws {
    let connection = try await test.connection(.oauthUser, to: portal.server, named: "other")
    let bare = try await test.put(
      UpstreamTokens(accessToken: Secret("a"), accessExpiresAt: test.time.now, refreshToken: nil), at: connection)
    let ended = try await test.refreshing { [test] in [await test.refresh(bare.id), await test.refresh(bare.id)] }
    #expect(ended == [.reauthRequired, .reauthRequired])
    #expect(try await portal.calls(of: "token.refresh_token") == 0)
    #expect(try await test.count(.upstreamRefreshFailed) == 1)
  }

  @Test("tokens that do not open ask for the person, and no upstream")
  func unreadable() async throws {
    let id = credential.id
    try await test.database.write { try $0.run("UPDATE connection SET revision = revision + 1") }
    #expect(try await test.refreshOnce(id) == .reauthRequired)
    #expect(try await test.held(id)?.state == .reauthRequired)
    #expect(try await test.count(.decryptionFailed) == 1)
    #expect(try await portal.calls(of: "token.refresh_token") == 0)
  }

  @Test("a token that still works is served while the upstream is down")
  func servedWhileDown() async throws {
    let stored = try await test.store.read { [credential] in try $0.connection(credential.connection) }
    let request = try await test.vendRequest(
      for: portal.server.origin + "/sharing/rest/community/self", at: try #require(stored))
    await portal.fault("status", at: "token", value: 503, times: 100)
    test.time.advance(by: -31)
    let before = try await test.tokens(of: credential.id)
    try await test.refreshing { [test] () async throws in
      let vend = VendToken(test.here)
      // The clock never goes back, so the token is made to have 30 seconds left instead.
      try await test.database.write { [now = test.here.clock.now()] in
        try $0.run("UPDATE credential SET access_expires_at = \(now.seconds + 30)")
      }
      let vended = try await vend(request, with: nil, TestInstallation.visitor)
      #expect(vended.handedOut?.token == before.accessToken)
      test.time.advance(by: 31 + 31)
      await #expect(throws: Refusal.self) { _ = try await vend(request, with: nil, TestInstallation.visitor) }
    }
    #expect(try await portal.calls(of: "token.refresh_token") >= 1)
    #expect(try await test.held(credential.id)?.state == .active)
  }

  @Test("after the end nobody waits in vain")
  func closed() async throws {
    let id = credential.id
    try await test.refreshing {}
    #expect(await test.refresh(id) == .failed)
    let other = try await TestInstallation()
    let waiting = Task { await other.refresh(id) }
    let running = Task { await RefreshCredentials(other.here).run() }
    running.cancel()
    #expect([.failed, .gone].contains(await waiting.value))
    await running.value
  }
}

@Suite("The gate of refreshes")
struct RefreshGateTests {
  @Test(
    "pauses double from a second to five minutes, up to a quarter more by chance",
    arguments: [(1, 1, 1), (2, 2, 2), (3, 4, 5), (8, 128, 160), (9, 256, 320), (10, 300, 375), (1000, 300, 375)]
      as [(Int64, Int64, Int64)])
  func pauses(failures: Int64, shortest: Int64, longest: Int64) {
    let failure = UpstreamFailure.ambiguous("x")
    #expect(RefreshGate.pause(after: failures, failure, jitter: 0) == shortest)
    #expect(RefreshGate.pause(after: failures, failure, jitter: 1) == longest)
  }

  @Test(
    "an upstream's own wish is heard, up to an hour",
    arguments: [(0, 4), (3, 4), (90, 90), (100_000, 3600)] as [(Int64, Int64)])
  func retryAfter(asked: Int64, pause: Int64) {
    #expect(RefreshGate.pause(after: 3, .transient("x", retryAfter: asked), jitter: 0) == pause)
  }

  @Test("whoever comes during a pause is told how long it still lasts")
  func remaining() async throws {
    let gate = RefreshGate()
    let (id, now) = (CredentialID(random: "one"), Timestamp(seconds: 1000))
    gate.finish(id, .failed(.transient("down", retryAfter: 60)), at: now)
    guard case .failed(let failure) = await gate.refresh(id, at: now + 45) else {
      Issue.record("the pause was not kept")
      return
    }
    #expect(failure == .transient("down", retryAfter: 15))
    gate.close()
    guard case .failed(.transient(_, retryAfter: 5, _)) = await gate.refresh(id, at: now + 60) else {
      Issue.record("a refresh was begun after the end")
      return
    }
  }
}
