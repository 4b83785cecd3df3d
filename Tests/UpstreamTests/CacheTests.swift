import Testing

@testable import Upstream

@Suite("What is remembered of upstreams")
struct CacheTests {
  @Test("serves until its age is reached and not after")
  func ages() {
    let cache = BoundedCache<String, Int>(capacity: 2)
    let start = ContinuousClock.now
    cache.store(7, for: "a", at: start)
    #expect(cache.value(for: "a", youngerThan: .seconds(10), at: start + .seconds(9)) == 7)
    #expect(cache.value(for: "a", youngerThan: .seconds(10), at: start + .seconds(10)) == nil)
  }

  @Test("never outgrows its capacity; the oldest goes first")
  func evicts() {
    let cache = BoundedCache<Int, Int>(capacity: 3)
    let start = ContinuousClock.now
    for key in 0..<10 { cache.store(key, for: key, at: start + .seconds(key)) }
    let left = (0..<10).filter { cache.value(for: $0, youngerThan: .seconds(1000), at: start + .seconds(10)) != nil }
    #expect(left == [7, 8, 9])
  }

  @Test(
    "Key sets are kept as long as the provider says, between five minutes and a day",
    arguments: [
      (nil, 300), ("max-age=1", 300), ("public, Max-Age=3600, must-revalidate", 3600), ("max-age=999999999", 86_400),
      ("no-store", 300), ("no-cache, max-age=3600", 300), ("max-age=soon", 300),
    ] as [(String?, Int)])
  func lifetimes(field: String?, seconds: Int) {
    #expect(CacheLifetime.of(field) == .seconds(seconds))
  }
}
