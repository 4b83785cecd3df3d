import Testing

@testable import HTTPServer

@Suite struct DeadlineWheelTests {
  @Test("An entry is due after its deadline, never before", arguments: [0, 1, 63, 64, 65, 5_000, 60_000])
  func due(delay: Milliseconds) {
    var wheel = DeadlineWheel(now: 1_000)
    _ = wheel.insert(7, at: 1_000 + delay, now: 1_000)
    #expect(wheel.takeDue(at: 1_000 + delay - 1).isEmpty)
    let wait = wheel.wait(from: 1_000) ?? -1
    #expect(wait > delay && wait <= delay + DeadlineWheel.tick)
    #expect(wheel.takeDue(at: 1_000 + wait) == [7])
    #expect(wheel.wait(from: 1_000 + wait) == nil)
  }

  @Test("Entries come due in the order of their deadlines, also after a long pause")
  func order() {
    var wheel = DeadlineWheel(now: 0)
    for (entry, deadline) in [(1, 30_000), (2, 10_000), (3, 20_000)] {
      _ = wheel.insert(UInt64(entry), at: deadline, now: 0)
    }
    #expect(wheel.takeDue(at: 25_000) == [2, 3])
    #expect(wheel.takeDue(at: 500_000) == [1])
    _ = wheel.insert(4, at: 500_100, now: 500_000)
    #expect(wheel.takeDue(at: 500_200) == [4])
  }

  @Test("A deadline beyond the wheel's reach is looked at early, to be put back")
  func far() {
    var wheel = DeadlineWheel(now: 0)
    let tick = wheel.insert(9, at: 10_000_000, now: 0)
    #expect(tick * DeadlineWheel.tick < 10_000_000)
    #expect(wheel.takeDue(at: 100_000) == [9])
  }
}
