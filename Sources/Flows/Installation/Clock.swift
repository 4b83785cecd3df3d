public import Domain
internal import Synchronization

/// The wall clock of this installation, in whole seconds.
///
/// It never goes back: a machine clock that is set back, even across a restart, revives nothing that has expired. Until
/// that has caught up, time goes on at nine tenths of its pace, counted by a clock that cannot be set, so that nothing
/// lives much longer either.
///
/// What an earlier run knew of the time is the latest that it wrote down: every 10 seconds, at its end, and with
/// everything that it audited. If it died without an end *and* the machine's clock was set back, what expired within
/// the last 10 seconds before its death may be valid again, for at most that long; longer only while nothing could be
/// written at all.
public final class Clock: Sendable {
  /// Where time stood when the machine's clock was first seen behind.
  private struct Lag {
    let from: Int64
    let since: Duration
    /// The latest time that was told meanwhile.
    var reached: Int64
  }

  private let wall: @Sendable () -> Int64
  private let steady: @Sendable () -> Duration
  private let latest: Atomic<Int64>
  private let behind = Mutex<Lag?>(nil)

  /// - Parameters:
  ///   - wall: Seconds since 1970 by the machine.
  ///   - steady: The time passed since some moment, by a clock that cannot be set.
  ///   - highWater: The latest time that an earlier run of the program wrote down.
  public init(
    wall: @escaping @Sendable () -> Int64, steady: @escaping @Sendable () -> Duration = Clock.elapsed,
    highWater: Timestamp? = nil
  ) {
    self.wall = wall
    self.steady = steady
    latest = Atomic(highWater?.seconds ?? 0)
  }

  private static let start = ContinuousClock.now

  /// The time passed since the first call, also while the machine was suspended.
  @Sendable public static func elapsed() -> Duration { start.duration(to: .now) }

  /// The time now; read once per request and passed on.
  public func now() -> Timestamp {
    let seconds = wall()
    let seen = latest.load(ordering: .relaxed)
    if seconds == seen { return Timestamp(seconds: seen) }
    let reached = seconds > seen ? seconds : slowed(from: seen)
    return Timestamp(seconds: latest.max(reached, ordering: .relaxed).newValue)
  }

  /// Seconds by which the machine's clock is behind the latest time seen; 0 in normal use.
  public var lag: Int64 { max(latest.load(ordering: .relaxed) - wall(), 0) }

  /// The time while the machine's clock is behind `seen`.
  private func slowed(from seen: Int64) -> Int64 {
    let moment = steady()
    return behind.withLock { behind in
      // A later time than was told here came from the machine's clock, which was ahead again in between.
      var lag = behind.flatMap { seen > $0.reached ? nil : $0 } ?? Lag(from: seen, since: moment, reached: seen)
      lag.reached = max(lag.reached, lag.from + (moment - lag.since).components.seconds * 9 / 10)
      behind = lag
      return lag.reached
    }
  }
}
