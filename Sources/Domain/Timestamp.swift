/// A moment, in whole seconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  public let seconds: Int64

  public init(seconds: Int64) { self.seconds = seconds }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.seconds < b.seconds }

  /// The moment `seconds` later.
  public static func + (moment: Timestamp, seconds: Int64) -> Timestamp {
    Timestamp(seconds: moment.seconds + seconds)
  }

  /// The moment `seconds` earlier.
  public static func - (moment: Timestamp, seconds: Int64) -> Timestamp {
    Timestamp(seconds: moment.seconds - seconds)
  }

  /// How many seconds lie between two moments; negative when `earlier` is the later one.
  public static func - (later: Timestamp, earlier: Timestamp) -> Int64 { later.seconds - earlier.seconds }
}
