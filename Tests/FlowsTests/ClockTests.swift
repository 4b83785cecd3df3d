import Domain
import Storage
import Testing

@testable import Flows

@Suite("The clock")
struct ClockTests {
  @Test("stands still when the machine's clock is set back, until that has caught up")
  func neverBack() {
    let machine = TestClock()
    let (clock, start) = (machine.clock, machine.now)
    #expect(clock.now() == start)
    machine.advance(by: 10)
    #expect(clock.now() == start + 10)
    machine.advance(by: -3600)
    #expect(clock.now() == start + 10)
    #expect(clock.lag == 3600)
    machine.advance(by: 3599)
    #expect(clock.now() == start + 10)
    machine.advance(by: 2)
    #expect(clock.now() == start + 11)
    #expect(clock.lag == 0)
  }

  @Test("goes on more slowly meanwhile, so that everything still expires, and never ahead of its own pace")
  func slowed() {
    let (machine, steady) = (TestClock(), TestClock())
    let origin = steady.now
    let clock = Clock(wall: { machine.now.seconds }, steady: { .seconds(steady.now - origin) })
    let start = clock.now()
    func pass(_ seconds: Int64) {
      for _ in 0..<seconds {
        machine.advance(by: 1)
        steady.advance(by: 1)
        _ = clock.now()
      }
    }
    machine.advance(by: -100)
    #expect(clock.now() == start)
    pass(10)
    #expect(clock.now() == start + 9)
    pass(500)
    #expect(clock.now() == start + 459 && clock.lag == 49)
    pass(490)
    #expect(clock.now() == start + 900 && clock.lag == 0)
    pass(100)
    #expect(clock.now() == start + 1000)
    machine.advance(by: -1)
    pass(1)
    #expect(clock.now() == start + 1000)
    machine.advance(by: -50)
    #expect(clock.now() == start + 1000)
    pass(10)
    #expect(clock.now() == start + 1009)
  }

  @Test("goes on from the latest time of an earlier run")
  func highWater() {
    let machine = TestClock()
    let mark = machine.now + 500
    let clock = Clock(wall: { machine.now.seconds }, highWater: mark)
    #expect(clock.now() == mark)
    #expect(clock.lag == 500)
    machine.advance(by: 501)
    #expect(clock.now() == mark + 1)
  }

  @Test("gives many tasks times that never fall")
  func concurrent() async {
    let machine = TestClock()
    let clock = machine.clock
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for step in 0..<2000 { machine.advance(by: step.isMultiple(of: 3) ? -5 : 7) } }
      for _ in 0..<4 {
        group.addTask {
          var last = clock.now()
          for _ in 0..<2000 {
            let now = clock.now()
            #expect(now >= last)
            last = now
          }
        }
      }
    }
  }

  @Test("is persisted, so that a restart with a clock set back revives nothing")
  func persisted() async throws {
    let test = try await TestInstallation()
    test.time.advance(by: 100)
    let latest = test.here.clock.now()
    test.store.raiseClock(to: latest)
    try await test.store.write { try $0.set("other", to: "") }
    test.time.advance(by: -5000)
    let mark = try await test.store.read { try $0.clockHighWater() }
    #expect(mark == latest)
    #expect(Clock(wall: { test.time.now.seconds }, highWater: mark).now() == latest)
  }

  @Test("is written down with everything that is audited, so that a crash loses only time in which nothing happened")
  func audited() async throws {
    let test = try await TestInstallation()
    test.store.raiseClock(to: test.time.now)
    test.time.advance(by: 9)
    let effect = test.here.clock.now()
    try await test.here.record(AuditEvent(.tokenIssued, at: effect, origin: TestInstallation.visitor.origin))
    #expect(try await test.store.read { try $0.clockHighWater() } == effect)
  }

  @Test("is written down when the work ends")
  func atTheEnd() async throws {
    let test = try await TestInstallation()
    let work = Task { await BackgroundWork(test.here).run() }
    test.time.advance(by: 9)
    work.cancel()
    await work.value
    try await test.store.write { try $0.set("other", to: "") }
    #expect(try await test.store.read { try $0.clockHighWater() } == test.time.now)
  }
}

@Suite("The sweep")
struct SweepTests {
  @Test("takes what has expired, however much, and nothing else")
  func sweeps() async throws {
    let test = try await TestInstallation()
    let now = test.time.now
    try await test.store.write { tx in
      for index in 0..<1200 { try tx.insertRevokedToken("old-\(index)", expiresAt: now) }
      try tx.insertRevokedToken("live", expiresAt: now + 1)
    }
    let provider = try TestProvider()
    let credential = try await test.credential(at: provider)
    try await test.store.write { _ = try $0.closeCredential(credential.id, of: credential.account) }
    try await SweepExpired(test.here)()
    try await test.store.read { tx throws in
      #expect(try !tx.tokenHasEnded("old-0", family: nil))
      #expect(try !tx.tokenHasEnded("old-1199", family: nil))
      #expect(try tx.tokenHasEnded("live", family: nil))
      #expect(try tx.sealedCredential(credential.id) == nil)
    }
  }
}
