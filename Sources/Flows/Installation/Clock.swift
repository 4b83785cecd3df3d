public import Domain
import Synchronization

/// The one clock of an installation: the wall clock, which never runs backwards.
///
/// A clock set back, also across a restart, revives nothing that has expired: time stands still until it has caught up.
public final class Clock: Sendable {
  private let wall: @Sendable () -> Int64
  private let latest: Atomic<Int64>

  /// - Parameters:
  ///   - wall: Seconds since 1970 by the machine.
  ///   - highWater: The latest time that an earlier run of the program persisted.
  public init(wall: @escaping @Sendable () -> Int64, highWater: Timestamp? = nil) {
    self.wall = wall
    latest = Atomic(highWater?.seconds ?? 0)
  }

  /// The time now; read once per request and passed on.
  public func now() -> Timestamp {
    let seconds = wall()
    let seen = latest.load(ordering: .relaxed)
    if seconds <= seen { return Timestamp(seconds: seen) }
    return Timestamp(seconds: latest.max(seconds, ordering: .relaxed).newValue)
  }

  /// Seconds by which the machine's clock is behind the latest time seen; 0 in normal use.
  public var lag: Int64 { max(latest.load(ordering: .relaxed) - wall(), 0) }
}
