import Domain
import SQL
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("Keeping credentials fresh") struct KeepFreshTests {
  private let test: TestInstallation
  private let portal: TestPortal
  private let credential: Credential

  init() async throws {
    test = try await TestInstallation()
    portal = try TestPortal()
    credential = try await test.credential(at: portal)
  }

  /// Goes through what is due, once; gives how often the portal was asked.
  private func round() async throws -> Int64 {
    let before = try await portal.calls(of: "token.refresh_token") + portal.calls(of: "token.exchange_refresh_token")
    try await test.refreshing { [test] in try await KeepFresh(test.here)(spread: .zero) }
    return try await portal.calls(of: "token.refresh_token") + portal.calls(of: "token.exchange_refresh_token") - before
  }

  private func set(usedBefore: Int64?, accessLeft: Int64, refreshedBefore: Int64, refreshLeft: Int64?) async throws {
    let (now, id) = (test.time.now.seconds, credential.id)
    try await test.database.write(
      """
      UPDATE credential SET last_used_at = \(usedBefore.map { now - $0 }), access_expires_at = \(now + accessLeft),
        refreshed_at = \(now - refreshedBefore), refresh_expires_at = \(refreshLeft.map { now + $0 })
      WHERE id = \(id.text)
      """)
  }

  @Test(
    "takes what is in use and about to end, and sign-ins about to lapse",
    arguments: [
      (60, 119, 1681, 1_000_000, 1), (60, 121, 1679, 1_000_000, 0), (601, 60, 1740, 1_000_000, 0),
      (nil, 60, 1740, 1_000_000, 0), (60, 0, 1800, 1_000_000, 0), (60, 50, 250, nil, 1), (60, 70, 230, nil, 0),
      (86_400, -100_000, 101_800, 86_000, 1), (nil, -100_000, 101_800, 86_000, 1), (86_400, -100, 1900, 86_000, 0),
      (86_400, -100_000, 101_800, 87_000, 0), (86_400, -100_000, 101_800, -1, 0),
      (91 * 86_400, -100_000, 101_800, 86_000, 0),
    ] as [(Int64?, Int64, Int64, Int64?, Int64)])
  func due(_ usedBefore: Int64?, _ left: Int64, _ refreshedBefore: Int64, _ lapse: Int64?, _ calls: Int64) async throws
  {
    try await set(usedBefore: usedBefore, accessLeft: left, refreshedBefore: refreshedBefore, refreshLeft: lapse)
    #expect(try await round() == calls)
    if calls == 1 { #expect(try await test.held(credential.id)?.isFresh(for: 1700, at: test.time.now) == true) }
  }

  @Test("does not touch what only the person can mend")
  func leaves() async throws {
    try await set(usedBefore: 1, accessLeft: 60, refreshedBefore: 1740, refreshLeft: nil)
    try await test.database.write("UPDATE credential SET state = 'reauth_required'")
    #expect(try await round() == 0)
  }
}

@Suite("Sparing an upstream that does not answer") struct ConnectionBreakerTests {
  private let breaker = ConnectionBreaker()
  private let down = RefreshOutcome.failed(.transient("down", retryAfter: nil, .down))
  private let start = Timestamp(seconds: 1_000_000)
  private let one = CredentialID.random()
  private let other = CredentialID.random()
  private let third = CredentialID.random()
  private let demo: ConnectionID

  init() throws { demo = try #require(ConnectionID("demo")) }

  private func refusal(_ credential: CredentialID, at now: Timestamp) -> UpstreamFailure? {
    breaker.refusal(of: demo, for: credential, at: now)
  }

  @discardableResult
  private func note(
    _ outcome: RefreshOutcome, _ credential: CredentialID, isAlone: Bool = false, at now: Timestamp? = nil
  ) -> Bool? {
    breaker.note(outcome, of: demo, credential, isAlone: isAlone, at: now ?? start)
  }

  @Test("five failures in a row stop all but one caller now and then, and one answer ends it")
  func spares() throws {
    for number in 1...5 {
      #expect(refusal(one, at: start) == nil)
      #expect(note(down, number < 5 ? one : other) == (number == 5 ? true : nil))
    }
    #expect(breaker.silence(of: demo)?.since == start)
    let told = UpstreamFailure.transient("The upstream has not answered for a while.", retryAfter: 15, .notSent)
    #expect(refusal(third, at: start) == told)
    #expect(breaker.refusal(of: try #require(ConnectionID("other")), for: one, at: start) == nil)
    #expect(refusal(third, at: start + 15) == nil && refusal(one, at: start + 15) != nil)
    #expect(note(down, third, at: start + 16) == nil)
    #expect(refusal(one, at: start + 45) != nil)
    // Who has just failed comes behind the others.
    #expect(refusal(third, at: start + 46) != nil && refusal(one, at: start + 46) == nil)
    #expect(note(.refreshed, one, at: start + 47) == false)
    #expect(breaker.silence(of: demo) == nil && refusal(third, at: start + 47) == nil)
  }

  @Test("one credential that fails again and again stops nobody, unless it is the only one", arguments: [true, false])
  func oneAlone(isAlone: Bool) throws {
    for _ in 1...9 { note(down, one, isAlone: isAlone) }
    #expect((breaker.silence(of: demo) == nil) == !isAlone)
    #expect((refusal(one, at: start + 300) == nil))
    if !isAlone {
      #expect(note(down, other) == true && breaker.silence(of: demo)?.triesAt == start + 15)
    }
  }

  @Test("what says nothing about the upstream counts for nothing, and an answer is one whatever it says")
  func ignores() throws {
    for _ in 1...9 { note(.failed(.misconfigured("client id")), one) }
    for answer: RefreshOutcome in [
      .reauthRequired, .failed(.transient("429", retryAfter: 5)), .failed(.invalidAnswer("a page")),
    ] {
      for _ in 1...2 { note(down, one) }
      for _ in 1...2 { note(down, other) }
      note(answer, third)
    }
    for _ in 1...4 { note(down, one) }
    #expect(breaker.silence(of: demo) == nil)
    note(.failed(.transient("another's", retryAfter: nil, .unseen)), other)
    #expect(breaker.silence(of: demo) == nil)
    #expect(note(down, other) == true)
  }

  @Test("the pause grows to five minutes")
  func grows() { #expect((5...11).map(ConnectionBreaker.pause(after:)) == [15, 30, 60, 120, 240, 300, 300]) }

  @Test("a portal that is down is asked five times, and not again before the pause is over")
  func reaches() async throws {
    let (test, portal) = (try await TestInstallation(), try TestPortal())
    let credential = try await test.credential(at: portal)
    await portal.fault("status", at: "token", value: 503, times: 1000)
    let calls = try await test.refreshing {
      for pause in [2, 4, 8, 16, 32] as [Int64] {
        _ = await test.refresh(credential.id)
        test.time.advance(by: pause)
      }
      test.here.breaker.note(
        .failed(.ambiguous("another's")), of: credential.connection, .random(), isAlone: false, at: test.time.now)
      _ = await test.refresh(credential.id)
      return try await portal.calls(of: "token.refresh_token")
    }
    #expect(calls == 5)
  }
}
