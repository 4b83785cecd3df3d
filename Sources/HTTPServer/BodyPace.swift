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
