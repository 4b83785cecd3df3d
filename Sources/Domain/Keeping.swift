/// How long a person lets Gatehouse keep what it was given.
public enum Keeping: Sendable, Equatable {
  case untilSignOut
  /// As long as the browser session lasts in which it was connected.
  case thisBrowser
  case until(Timestamp)

  /// In days; what an administrator may set as the longest for a connection.
  public static let longestDays: ClosedRange<Int64> = 1...3650

  /// A few characters that ``init(text:)`` reads again.
  public var text: String {
    switch self {
    case .untilSignOut: "s"
    case .thisBrowser: "b"
    case .until(let end): "u\(end.seconds)"
    }
  }

  /// `nil` for anything but a ``text``.
  public init?(text: String) {
    switch text {
    case "s": self = .untilSignOut
    case "b": self = .thisBrowser
    default:
      guard text.hasPrefix("u"), let seconds = Int64(text.dropFirst()) else { return nil }
      self = .until(Timestamp(seconds: seconds))
    }
  }
}

extension Credential {
  /// This credential, kept as the person wishes and no longer than `longestDays`; `session` is that of the browser.
  public func kept(_ keeping: Keeping, session: TokenHash?, longestDays: Int64?, at now: Timestamp) -> Credential {
    var kept = self
    let limit = longestDays.map { now + $0 * 24 * 60 * 60 }
    kept.keptUntil = limit
    switch keeping {
    case .untilSignOut: break
    case .thisBrowser: kept.session = session
    case .until(let end): kept.keptUntil = min(end, limit ?? end)
    }
    return kept
  }

  /// Whether the day has come until which it was to be kept.
  public func isKeptTooLong(at now: Timestamp) -> Bool { keptUntil.map { $0 <= now } ?? false }
}
