public import Domain

extension Quota {
  /// Bounds the rows that strangers can make us store: authorization requests and trips to upstreams live ten minutes,
  /// and so does each count of those who began them.
  ///
  /// Each network has room for thousands of people behind one address, and for an installation that forgot to name its
  /// proxy.
  static func ofBeginnings() -> Quota { Quota(each: 10_000, inAll: 100_000, window: 10 * 60) }
}

extension Installation {
  /// Counts that `visitor` begins something whose row nobody may ever finish.
  ///
  /// - Throws: `Refusal` `slow_down` when their network, or all together, began too many within ten minutes.
  public func countBeginning(by visitor: Visitor) throws(Refusal) {
    guard let seconds = beginnings.take(visitor.network, at: clock.now()) else { return }
    throw Refusal(
      .slowDown, "Too many sign-ins were begun from your network. Try again in a few minutes.", retryAfter: seconds)
  }
}
