import Synchronization

/// A number that only grows, counted from any thread.
public final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  /// Adds `amount`, which is at least 0.
  public func add(_ amount: Int = 1) { count.add(amount, ordering: .relaxed) }

  public var value: Int { count.load(ordering: .relaxed) }
}

/// A number that goes up and down, counted from any thread.
public final class Gauge: Sendable {
  private let level = Atomic<Int>(0)

  public init() {}

  /// Adds `amount`, which may be negative.
  public func add(_ amount: Int) { level.add(amount, ordering: .relaxed) }

  public func set(_ value: Int) { level.store(value, ordering: .relaxed) }

  public var value: Int { level.load(ordering: .relaxed) }
}

/// How often a measured value fell into each of 64 ranges that double in width.
///
/// Made for durations in microseconds; a quantile is exact to a factor of two.
public final class Histogram: Sendable {
  private let buckets: [Counter] = (0..<64).map { _ in Counter() }
  private let total = Counter()

  public init() {}

  /// Counts one value; negative ones count as 0.
  public func record(_ value: Int) {
    let value = max(value, 0)
    buckets[value == 0 ? 0 : Int.bitWidth - value.leadingZeroBitCount].add()
    total.add(value)
  }

  /// How many values were recorded.
  public var count: Int { buckets.reduce(0) { $0 + $1.value } }

  /// The sum of all recorded values.
  public var sum: Int { total.value }

  /// The counts of the ranges, each with the largest value that belongs to it.
  public var ranges: [(upTo: Int, count: Int)] {
    buckets.indices.map {
      (upTo: $0 == 0 ? 0 : Int(truncatingIfNeeded: (UInt(1) << UInt($0)) - 1), count: buckets[$0].value)
    }
  }

  /// An upper bound of the value below which `share` (0 to 1, for example 0.99) of all values lie.
  ///
  /// 0 when nothing was recorded.
  public func quantile(_ share: Double) -> Int {
    let ranges = ranges
    let wanted = share * Double(count)
    var seen = 0
    for range in ranges where range.count > 0 {
      seen += range.count
      if Double(seen) >= wanted { return range.upTo }
    }
    return 0
  }
}
