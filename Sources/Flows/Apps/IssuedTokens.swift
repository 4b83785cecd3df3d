public import Domain

/// What the token endpoint answers (RFC 6749 §5.1).
public struct IssuedTokens: Sendable {
  public let accessToken: Secret
  /// `Bearer`, or `DPoP` for one that is bound to a key (RFC 9449 §5).
  public let tokenType: String
  /// In seconds.
  public let expiresIn: Int64
  public let scope: Scope
  public let refreshToken: Secret?
  public let idToken: Secret?

  init(
    _ minted: (token: Secret, claims: AccessTokenClaims), refreshToken: Secret? = nil, idToken: Secret? = nil
  ) {
    accessToken = minted.token
    tokenType = minted.claims.tokenType
    scope = minted.claims.scope
    expiresIn = minted.claims.expiresAt - minted.claims.issuedAt
    self.refreshToken = refreshToken
    self.idToken = idToken
  }
}

extension Installation {
  /// The tokens that an authorization gives `client` now: an ID token, too, where the scope has `openid`.
  func issue(
    _ family: TokenFamily, _ client: Client, _ account: Account, scope: Scope, nonce: String?, refreshToken: Secret?,
    boundTo binding: TokenBinding?, at now: Timestamp
  ) async throws -> IssuedTokens {
    let minted = try mint(
      subject: family.account.text, client: client, scope: scope, family: family, boundTo: binding, at: now)
    guard scope.contains(Scope.openID) else { return IssuedTokens(minted, refreshToken: refreshToken) }
    let idToken = try await mintIDToken(
      family, client, account: account, nonce: nonce, accessToken: minted.token, at: now)
    return IssuedTokens(minted, refreshToken: refreshToken, idToken: idToken)
  }
}
