public typealias TokenFamilyID = Identifier<TokenFamily>

/// Everything that came from one authorization: its refresh tokens in turn, and their access tokens.
public struct TokenFamily: Sendable, Equatable, Identified {
  public static let idPrefix = "fam"
  /// Seconds after which a family ends however often it was refreshed: 30 days.
  public static let absoluteLifetime: Int64 = 30 * 24 * 60 * 60
  /// Seconds without a refresh after which it ends: 14 days.
  public static let idleLifetime: Int64 = 14 * 24 * 60 * 60

  public let id: TokenFamilyID
  public let client: ClientID
  public let account: AccountID
  public let session: TokenHash
  public let scope: Scope
  public let openID: OpenIDRequest
  public let authenticatedAt: Timestamp
  public let expiresAt: Timestamp
  public let isRevoked: Bool
  /// The key that its refresh tokens are bound to; only a public client's are, since another proves who it is
  /// (RFC 9449 §5).
  public var binding: TokenBinding?

  public init(
    id: TokenFamilyID, client: ClientID, account: AccountID, session: TokenHash, scope: Scope,
    openID: OpenIDRequest = OpenIDRequest(), authenticatedAt: Timestamp, expiresAt: Timestamp, isRevoked: Bool = false
  ) {
    self.id = id
    self.client = client
    self.account = account
    self.session = session
    self.scope = scope
    self.openID = openID
    self.authenticatedAt = authenticatedAt
    self.expiresAt = expiresAt
    self.isRevoked = isRevoked
  }
}

/// A refresh token as the store holds it.
public struct RefreshToken: Sendable, Equatable {
  /// Seconds in which a used token still yields the successor it was exchanged for, so that a lost answer loses
  /// nobody's sign-in.
  public static let replayWindow: Int64 = 30
  /// Seconds in which repetitions are not counted: an app that refreshes on many connections at once does no harm.
  public static let parallelWindow: Int64 = 5
  /// How often the same successor is handed out again between ``parallelWindow`` and ``replayWindow``.
  public static let maximumReplays: Int64 = 3

  public let hash: TokenHash
  public let family: TokenFamilyID
  public let expiresAt: Timestamp
  public let rotatedAt: Timestamp?
  /// The successor, encrypted under a key derived from the presented token; only whoever holds that can read it.
  public let successor: [UInt8]?
  public let replays: Int64

  public init(
    hash: TokenHash, family: TokenFamilyID, expiresAt: Timestamp, rotatedAt: Timestamp?, successor: [UInt8]?,
    replays: Int64
  ) {
    self.hash = hash
    self.family = family
    self.expiresAt = expiresAt
    self.rotatedAt = rotatedAt
    self.successor = successor
    self.replays = replays
  }

  /// What presenting the token leads to.
  public enum Outcome: Sendable, Equatable {
    case rotate
    /// Hand out the successor once more.
    case replay([UInt8])
    /// A used token outside its window: somebody else holds a copy, so the family ends (RFC 9700 §4.14.2).
    case reuse
    case refuse(Refusal)
  }

  /// Decides for a token of `family` presented by `client`, which proves to hold the key of `binding`; pure.
  public func outcome(
    of family: TokenFamily, for client: ClientID, with binding: TokenBinding? = nil, at now: Timestamp
  ) -> Outcome {
    if family.client != client {
      return .refuse(Refusal(.invalidGrant, "The refresh token was issued to another client."))
    }
    // Before anything that a thief without the key could end.
    if let bound = family.binding, bound != binding {
      return .refuse(Refusal(.invalidGrant, "The refresh token is bound to another key."))
    }
    if family.isRevoked { return .refuse(Refusal(.invalidGrant, "The refresh token was revoked.")) }
    guard now < family.expiresAt else { return .refuse(Refusal(.invalidGrant, "The authorization has expired.")) }
    guard let rotatedAt else {
      return now < expiresAt ? .rotate : .refuse(Refusal(.invalidGrant, "The refresh token has expired."))
    }
    let mayRepeat = now - rotatedAt < Self.replayWindow && replays < Self.maximumReplays
    if let successor, mayRepeat { return .replay(successor) }
    return .reuse
  }

  /// Whether a repetition at `now` counts toward ``maximumReplays``.
  public func countsReplay(at now: Timestamp) -> Bool { rotatedAt.map { now - $0 >= Self.parallelWindow } ?? false }
}

/// The lifetime of our own access tokens.
public enum AccessToken {
  /// In seconds.
  public static let lifetime: Int64 = 10 * 60
  /// The audience of a token that vends, and its only one.
  public static let vendAudience = "urn:gatehouse:vend"
}
