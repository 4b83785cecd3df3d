/// Whether and how apps may register themselves (RFC 7591).
public struct RegistrationPolicy: Sendable {
  public enum Mode: String, Sendable, CaseIterable {
    /// Only administrators register apps.
    case off
    /// With a token that an administrator made.
    case token
    /// Anybody.
    case open
  }

  public var mode = Mode.off
  /// After how many days without use an app is removed that registered itself and that nobody checked.
  public var unusedDays: Int64 = 30

  public init() {}
}

extension Quota {
  /// Bounds the clients that strangers can make us store where anybody may register: an hour of each network, and of all.
  static func ofRegistrations() -> Quota { Quota(each: 30, inAll: 300, window: 60 * 60) }
}
