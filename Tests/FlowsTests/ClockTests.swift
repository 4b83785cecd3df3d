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
