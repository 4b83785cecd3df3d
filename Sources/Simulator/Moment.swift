import Glibc

/// A point in the simulator's own time, which a test can move.
struct Moment: Sendable, Equatable, Comparable {
  /// Milliseconds since 1970 in UTC, the unit of `expires` in ArcGIS answers.
  let milliseconds: Int64

  static func < (one: Moment, other: Moment) -> Bool { one.milliseconds < other.milliseconds }

  func adding(seconds: Int) -> Moment { Moment(milliseconds: milliseconds + Int64(seconds) * 1_000) }

  /// Whole seconds from `earlier` until this moment, not negative.
  func seconds(since earlier: Moment) -> Int { max(0, Int((milliseconds - earlier.milliseconds) / 1_000)) }

  /// The system's wall clock.
  static func systemTime() -> Moment {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Moment(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
