/// What an OpenID provider says with a logout token: that somebody has signed out there (OpenID Connect Back-Channel
/// Logout §2.4).
public struct UpstreamLogout: Sendable, Equatable {
  /// Bytes of the longest `sid` that is kept and compared.
  public static let longestSessionID = 512

  public let connection: ConnectionID
  public let issuer: String
  /// Who; absent when the session alone is named.
  public let subject: String?
  /// The `sid` of the session that has ended; absent when all of the subject's have.
  public let sessionID: String?
  /// The `jti`, which counts once.
  public let tokenID: String
  /// Until when the same token could come again and be believed.
  public let believedUntil: Timestamp

  public init(
    connection: ConnectionID, issuer: String, subject: String?, sessionID: String?, tokenID: String,
    believedUntil: Timestamp
  ) {
    self.connection = connection
    self.issuer = issuer
    self.subject = subject
    self.sessionID = sessionID
    self.tokenID = tokenID
    self.believedUntil = believedUntil
  }

  /// Whether it is about `subject`, as far as it says: by bytes, as the store compares.
  public func isAbout(subject other: String) -> Bool { subject.map { $0.utf8.elementsEqual(other.utf8) } ?? true }
}

extension Connection {
  /// Whether its upstream may tell us by logout tokens that somebody has signed out there: it has ID tokens to find
  /// their sign-ins by, and a published set of keys.
  public var takesLogoutTokens: Bool { kind == .oidc && provider.endpoints == nil }
}

extension Credential {
  /// Whether it stays when the person signs out at the provider: it was granted for when they are away (OpenID Connect
  /// Back-Channel Logout §2.7), and there is something to go on with.
  public var outlivesUpstreamSession: Bool { isOffline && canRefresh }
}
