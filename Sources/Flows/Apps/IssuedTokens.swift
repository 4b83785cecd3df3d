public import Domain

/// What the token endpoint answers (RFC 6749 §5.1).
public struct IssuedTokens: Sendable {
  public let accessToken: Secret
  /// In seconds.
  public let expiresIn: Int64
  public let scope: Scope
  public let refreshToken: Secret?

  init(accessToken: Secret, scope: Scope, refreshToken: Secret? = nil) {
    self.accessToken = accessToken
    self.scope = scope
    self.refreshToken = refreshToken
    expiresIn = AccessToken.lifetime
  }
}
