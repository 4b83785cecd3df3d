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
  /// The address from which the person signed in.
  public let address: String
  /// How the person proved here who they are; none when that was at an upstream.
  public let methods: AuthenticationMethods

  public init(
    hash: TokenHash, account: AccountID, kind: Kind, authenticatedAt: Timestamp, lastSeenAt: Timestamp,
    userAgent: String, address: String = "", methods: AuthenticationMethods = .upstream
  ) {
    self.address = address
    self.methods = methods
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

  /// Seconds after a sign-in in which the person may change what protects their account.
  public static let freshness: Int64 = 5 * 60

  /// Whether the person proved who they are so lately that they may change what protects the account.
  ///
  /// Where the account has a password of its own, that takes a proof of ours: whoever only has somebody's account at an
  /// upstream does not get to keep this one.
  public func isFresh(at now: Timestamp, hasLocalPassword: Bool) -> Bool {
    now - authenticatedAt < Self.freshness && (!hasLocalPassword || methods != .upstream)
  }

  /// Whether `lastSeenAt` is old enough to be worth a write: once a minute.
  public func needsTouch(at now: Timestamp) -> Bool { now - lastSeenAt >= 60 }
}
