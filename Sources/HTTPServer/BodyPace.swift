/// How long a body may take: a fixed time in all, and less when it crawls.
struct BodyPace {
  private let start: Milliseconds
  private let end: Milliseconds
  private let grace: Milliseconds
  private let rate: Int

  init(start: Milliseconds, limits: Limits) {
    self.start = start
    end = start + limits.body.milliseconds
    grace = limits.bodyGrace.milliseconds
    rate = max(limits.bodyRate, 1)
  }

  /// When the next bytes must be there, after `count` have come; each byte buys its share of time.
  func deadline(after count: Int) -> Milliseconds { min(end, start + max(grace, count * 1_000 / rate)) }
}

/// How long a body that is handed on as it comes may be waited for.
///
/// Without an end in all, since it may be of any size, but with the same least rate. The time for which its reader holds
/// it back does not count.
struct StreamPace {
  private let grace: Milliseconds
  private let rate: Int
  private var count = 0
  private var spent: Milliseconds = 0

  init(_ limits: Limits) {
    grace = limits.bodyGrace.milliseconds
    rate = max(limits.bodyRate, 1)
  }

  /// How long the next bytes may take.
  var patience: Milliseconds { max(grace, count * 1_000 / rate) - spent }

  mutating func came(_ bytes: Int) { count += bytes }

  mutating func waited(_ time: Milliseconds) { spent += time }
}
