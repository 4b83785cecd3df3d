import Logging
import Testing

@Suite struct MetricsTests {
  @Test("Counts from many tasks at once are all there")
  func counter() async {
    let counter = Counter()
    await withDiscardingTaskGroup { group in
      for _ in 0..<100 { group.addTask { counter.add(2) } }
    }
    #expect(counter.value == 200)
  }

  @Test("A gauge goes up and down")
  func gauge() {
    let gauge = Gauge()
    gauge.add(5)
    gauge.add(-2)
    #expect(gauge.value == 3)
  }

  @Test("A quantile is an upper bound, exact to a factor of two", arguments: [(0.5, 63), (0.99, 127), (1.0, 1_023)])
  func quantile(share: Double, bound: Int) {
    let histogram = Histogram()
    for value in 1...99 { histogram.record(value) }
    histogram.record(1_000)
    #expect(histogram.quantile(share) == bound)
    #expect(histogram.count == 100)
    #expect(histogram.sum == 5_950)
  }
}
