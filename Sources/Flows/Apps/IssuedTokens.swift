public import Domain

/// What the token endpoint answers (RFC 6749 §5.1).
public struct IssuedTokens: Sendable {
  public let accessToken: Secret
  /// In seconds.
  public let expiresIn: Int64
  public let scope: Scope
  public let refreshToken: Secret?

  init(_ minted: (token: Secret, claims: AccessTokenClaims), refreshToken: Secret? = nil) {
    accessToken = minted.token
    scope = minted.claims.scope
    expiresIn = minted.claims.expiresAt - minted.claims.issuedAt
    self.refreshToken = refreshToken
  }
}
