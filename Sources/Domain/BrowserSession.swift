/// One signed-in browser of an account.
public struct BrowserSession: Sendable, Equatable {
  /// Two kinds that never stand in for each other: an administrator signs in again for `/admin`.
  public enum Kind: String, Sendable {
    case person
    case administrator

    /// Seconds without a request after which the session ends.
    public var idleLimit: Int64 { self == .person ? 60 * 60 : 15 * 60 }

    /// Seconds after sign-in at which it ends whatever happens.
    public var absoluteLimit: Int64 { self == .person ? 24 * 60 * 60 : 12 * 60 * 60 }
  }

  public let hash: TokenHash
  public let account: AccountID
  public let kind: Kind
  /// When the person last proved who they are.
  public let authenticatedAt: Timestamp
  public let lastSeenAt: Timestamp
  public let userAgent: String

  public init(
    hash: TokenHash, account: AccountID, kind: Kind, authenticatedAt: Timestamp, lastSeenAt: Timestamp,
    userAgent: String
  ) {
    self.hash = hash
    self.account = account
    self.kind = kind
    self.authenticatedAt = authenticatedAt
    self.lastSeenAt = lastSeenAt
    self.userAgent = userAgent
  }

  /// Whether the session still counts at `now`.
  public func isLive(at now: Timestamp) -> Bool {
    now - lastSeenAt < kind.idleLimit && now - authenticatedAt < kind.absoluteLimit
  }

  /// Whether `lastSeenAt` is old enough to be worth a write: once a minute.
  public func needsTouch(at now: Timestamp) -> Bool { now - lastSeenAt >= 60 }
}
