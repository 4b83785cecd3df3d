/// Milliseconds of the system's monotonic clock.
typealias Milliseconds = Int

/// Who waits until when, for thousands of waiters whose deadlines nearly always move before they come.
///
/// A deadline that moves to later is not touched here: the entry is looked at when its time comes, and put where it
/// then belongs. So an entry is only a hint to look, and stale ones are harmless.
struct DeadlineWheel {
  /// Deadlines are kept to this many milliseconds, never early.
  static let tick: Milliseconds = 64
  /// Later deadlines are looked at after this many ticks (about a minute), and put back.
  private static let slotCount = 1_024

  private var slots: [[UInt64]] = Array(repeating: [], count: slotCount)
  private var count = 0
  /// The tick that is looked at next; all before it are empty.
  private var next: Int
  /// No entry is due before this tick; a lower bound, so that asking ``wait(from:)`` is cheap.
  private var earliest = Int.max

  init(now: Milliseconds) { next = now / Self.tick }

  /// Adds an entry for `deadline` and returns the tick at which it will be looked at.
  mutating func insert(_ entry: UInt64, at deadline: Milliseconds, now: Milliseconds) -> Int {
    if count == 0 { next = max(next, now / Self.tick) }
    let tick = min(max(deadline / Self.tick + 1, next), next + Self.slotCount - 1)
    slots[tick % Self.slotCount].append(entry)
    count += 1
    earliest = min(earliest, tick)
    return tick
  }

  /// Takes all entries whose tick has come.
  mutating func takeDue(at now: Milliseconds) -> [UInt64] {
    let current = now / Self.tick
    guard earliest <= current else { return [] }
    var due: [UInt64] = []
    while next <= current && count > 0 {
      let slot = next % Self.slotCount
      if !slots[slot].isEmpty {
        count -= slots[slot].count
        due.append(contentsOf: slots[slot])
        slots[slot].removeAll(keepingCapacity: slots[slot].count < 64)
      }
      next += 1
    }
    earliest = count > 0 ? (next..<next + Self.slotCount).first { !slots[$0 % Self.slotCount].isEmpty } ?? next : .max
    return due
  }

  /// How long until an entry may be due; `nil` when there is none.
  func wait(from now: Milliseconds) -> Milliseconds? {
    earliest == .max ? nil : max(earliest * Self.tick - now, 0)
  }
}
