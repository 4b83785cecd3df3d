/// The pools of kept connections by whom they serve; used on the outbound thread only.
final class ConnectionPools {
  /// Requests share connections only when they agree on all of this.
  struct Key: Hashable {
    let name: String?
    let authorities: String?
    let pin: ServerPin?
    let owner: NetworkCredential.Owner?

    init(_ request: OutboundRequest) {
      name = request.pool
      authorities = request.authorities
      pin = request.pin
      owner = request.network?.owner
    }
  }

  private struct Pool {
    let share: CurlShare
    var users = 0
    var lastUsed: ContinuousClock.Instant
    /// Whether its owner is gone, so that it closes when nobody uses it any more.
    var isEnding = false
  }

  /// How many unused pools are kept.
  private let capacity: Int
  /// How long an unused pool is kept.
  private let idle: Duration
  private var pools: [Key: Pool] = [:]

  init(capacity: Int, idle: Duration) {
    self.capacity = capacity
    self.idle = idle
  }

  /// The pool for one more exchange, which must give it back; `nil` when libcurl is out of memory.
  func take(_ key: Key, at now: ContinuousClock.Instant) -> CurlShare? {
    guard var pool = pools[key] ?? CurlShare().map({ Pool(share: $0, lastUsed: now) }) else { return nil }
    pool.users += 1
    pools[key] = pool
    return pool.share
  }

  func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
    pools[key]?.users -= 1
    pools[key]?.lastUsed = now
    if let pool = pools[key], pool.isEnding, pool.users == 0 { pools[key] = nil }
  }

  /// Closes the connections of every generation of `credential`; those in use as soon as they are given back.
  func close(of credential: String) {
    for (key, pool) in pools where key.owner?.credential == credential {
      if pool.users == 0 { pools[key] = nil } else { pools[key]?.isEnding = true }
    }
  }

  /// Closes the pools that nobody used lately, and the longest unused ones beyond the capacity.
  func sweep(at now: ContinuousClock.Instant) {
    let unused = pools.filter { $0.value.users == 0 }.sorted { $0.value.lastUsed > $1.value.lastUsed }
    for (place, entry) in unused.enumerated() where place >= capacity || entry.value.lastUsed + idle <= now {
      pools[entry.key] = nil
    }
  }

  var isEmpty: Bool { pools.isEmpty }
  var isOverfull: Bool { pools.count > capacity }
}
