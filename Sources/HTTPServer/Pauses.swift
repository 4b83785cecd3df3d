/// The pauses in which connections keep their task: the last ones that began.
///
/// A task that is kept makes the next answer cheaper (starting another costs about as much as parsing a request), but
/// it also keeps the memory of the deepest handler it ran. This bounds how many do, and costs a busy connection no
/// more than one look at a table.
struct Pauses {
  struct Pause {
    /// From 1 on; 0 stands for none.
    var number = 0
    var descriptor: Int32 = -1
  }

  private var latest: [Pause]
  private var count = 0

  /// Keeps the tasks of the `capacity` latest pauses, 0 or more.
  init(capacity: Int) { latest = Array(repeating: Pause(), count: capacity) }

  /// Takes note of a pause on `descriptor`; `nil` when no pause keeps its task.
  ///
  /// - Returns: the pause, and the one whose place it takes, which may be over.
  mutating func begin(on descriptor: Int32) -> (begun: Pause, displaced: Pause)? {
    guard !latest.isEmpty else { return nil }
    let slot = count % latest.count
    let displaced = latest[slot]
    count += 1
    latest[slot] = Pause(number: count, descriptor: descriptor)
    return (latest[slot], displaced)
  }
}
