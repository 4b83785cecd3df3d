/// What an ArcGIS Server says of itself at `/rest/info`, as far as it decides which tokens it gets.
///
/// It is kept in the store, so that neither a restart nor a server that is down loses what is known.
public struct FederatedServer: Sendable, Equatable {
  /// Seconds that an answer is believed without asking again.
  public static let lifetime: Int64 = 10 * 60
  /// Seconds that an answer is still believed while the server cannot be asked.
  public static let longestLifetime: Int64 = 24 * 60 * 60
  /// Seconds until a server that could not be asked is asked again, so that no caller waits for it in vain each time.
  public static let pause: Int64 = 30
  /// How many servers of a connection are remembered; an app may ask for any below a declared host.
  public static let mostPerConnection: Int64 = 1000

  /// Everything before `/rest` in its URLs.
  public let root: String
  /// The portal it belongs to; absent for a server that stands alone.
  public let owningSystemURL: String?
  public let takesTokens: Bool
  public let answeredAt: Timestamp
  /// Until then it is not asked again.
  public let askAgainAt: Timestamp

  public init(
    root: String, owningSystemURL: String?, takesTokens: Bool, answeredAt: Timestamp, askAgainAt: Timestamp? = nil
  ) {
    self.root = root
    self.owningSystemURL = owningSystemURL
    self.takesTokens = takesTokens
    self.answeredAt = answeredAt
    self.askAgainAt = askAgainAt ?? answeredAt + Self.lifetime
  }

  /// The same answer after asking again at `now` brought none; `nil` when it is too old to be believed.
  public func unanswered(at now: Timestamp) -> FederatedServer? {
    guard now - answeredAt < Self.longestLifetime else { return nil }
    return FederatedServer(
      root: root, owningSystemURL: owningSystemURL, takesTokens: takesTokens, answeredAt: answeredAt,
      askAgainAt: now + Self.pause)
  }
}
