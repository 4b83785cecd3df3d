/// When somebody is told that a credential ends which only they can renew.
public enum ExpiryWarning {
  /// In days before the end, the earliest first; the log says so at each of them.
  public static let days: [Int64] = [30, 7, 1]

  /// Seconds before its end from which a credential counts as ending: a month for what is made elsewhere and lasts for
  /// months, the last day for what is renewed, which may be given a new end until then, and else the last third of its
  /// life, a month at most.
  public static func margin(of kind: Connection.Kind, lifetime: Int64, isRenewed: Bool) -> Int64 {
    if kind.isLongLived { return month }
    return isRenewed ? day : min(lifetime / 3, month)
  }

  /// The warning that is due when `seconds` are left and was not an hour before; `nil` when none is.
  public static func due(left seconds: Int64) -> Int64? {
    days.last { seconds <= $0 * day && seconds > $0 * day - hour }
  }

  public static let hour: Int64 = 60 * 60
  public static let day = 24 * hour
  public static let month = days[0] * day
}

extension Credential {
  /// When only a person can renew it; `nil` when nobody says.
  public var endsAt: Timestamp? {
    let end = canRefresh ? refreshExpiresAt : accessExpiresAt
    return end.flatMap { $0.isNever ? nil : $0 }
  }

  /// Whether it ends so soon that its owner should know.
  public func isEnding(at now: Timestamp, of kind: Connection.Kind) -> Bool {
    guard let endsAt else { return false }
    return endsAt - now < ExpiryWarning.margin(of: kind, lifetime: endsAt - refreshedAt, isRenewed: canRefresh)
  }
}
