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
  /// How often its access tokens were ended without itself: one of an earlier generation does not count.
  public var generation: Int64 = 0

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

/// The lifetime of our own access tokens.
public enum AccessToken {
  /// In seconds.
  public static let lifetime: Int64 = 10 * 60
  /// The same of one for the portal of a connection: as long as ArcGIS itself gives, for its clients count on that.
  public static let arcGISLifetime: Int64 = 30 * 60
  /// As long as one for a portal may be asked for, where nobody can refresh it.
  public static let longestArcGISLifetime: Int64 = 120 * 60
  /// The audience of a token that vends, and its only one.
  public static let vendAudience = "urn:gatehouse:vend"
  /// The only audience of a token for the portal of a connection.
  public static func arcGISAudience(_ connection: ConnectionID) -> String { "urn:gatehouse:arcgis:\(connection)" }
}
