/// When somebody is told that a credential ends which only they can renew.
public enum ExpiryWarning {
  /// In days before the end, the earliest first; the log says so at each of them.
  public static let days: [Int64] = [30, 7, 1]

  /// From how long a life on, and how many seconds before its end, a credential counts as ending, the longest first:
  /// never more than a third of its life, so that a short one is not called ending all the time.
  public static let steps = days.map { (life: $0 * day * 3, margin: $0 * day) }

  /// Seconds before its end from which a credential with such a life counts as ending.
  ///
  /// One that is renewed may be given a new end until its last day.
  public static func margin(lifetime: Int64, isRenewed: Bool) -> Int64 {
    isRenewed ? day : steps.first { $0.life <= lifetime }?.margin ?? day
  }

  /// The warning that is due when `seconds` are left and was not an hour before; `nil` when none is.
  public static func due(left seconds: Int64) -> Int64? {
    days.last { seconds <= $0 * day && seconds > $0 * day - hour }
  }

  public static let hour: Int64 = 60 * 60
  private static let day = 24 * hour
}

extension Credential {
  /// When only a person can renew it; `nil` when nobody says.
  public var endsAt: Timestamp? {
    let end = canRefresh ? refreshExpiresAt : accessExpiresAt
    return end.flatMap { $0.isNever ? nil : $0 }
  }

  /// Whether it ends so soon that its owner should know.
  public func isEnding(at now: Timestamp) -> Bool {
    endsAt.map { $0 - now < ExpiryWarning.margin(lifetime: $0 - refreshedAt, isRenewed: canRefresh) } ?? false
  }
}
