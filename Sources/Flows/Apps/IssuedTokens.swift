public import Domain
import Storage

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
  /// When it ends unused, and when everything ends that was authorized; both in seconds.
  public let refreshEnd: RefreshEnd?

  /// How long a refresh token counts (OAuth 2.0 Refresh Token Expiration §6.1).
  public struct RefreshEnd: Sendable {
    public let ofToken: Int64
    public let ofAuthorization: Int64

    /// For a token of `family` that ends by itself at `tokenEnd`.
    public init(of family: TokenFamily, tokenEnd: Timestamp, at now: Timestamp) {
      ofAuthorization = max(family.expiresAt - now, 0)
      ofToken = min(ofAuthorization, max(tokenEnd - now, 0))
    }
  }

  init(
    _ minted: (token: Secret, claims: AccessTokenClaims), refreshToken: Secret? = nil, refreshEnd: RefreshEnd? = nil,
    idToken: Secret? = nil
  ) {
    accessToken = minted.token
    tokenType = minted.claims.tokenType
    scope = minted.claims.scope
    expiresIn = minted.claims.expiresAt - minted.claims.issuedAt
    self.refreshToken = refreshToken
    self.refreshEnd = refreshEnd
    self.idToken = idToken
  }
}

extension Installation {
  /// The tokens that an authorization gives `client` now: an ID token, too, where the scope has `openid`.
  ///
  /// `usedAt` is when the refresh token was made or last used, if not now.
  func issue(
    _ family: TokenFamily, _ client: Client, _ account: Account, scope: Scope, nonce: String?, refreshToken: Secret?,
    usedAt: Timestamp? = nil, boundTo binding: TokenBinding?, at now: Timestamp
  ) async throws -> IssuedTokens {
    // Those of a portal, whose clients exchange a refresh token so that what came before it ends.
    let minted = try mint(
      subject: family.account.text, client: client, scope: scope, family: family, boundTo: binding,
      endsByExchange: !scope.arcGISConnections.isEmpty, at: now)
    let end = refreshToken.map { _ in
      IssuedTokens.RefreshEnd(of: family, tokenEnd: (usedAt ?? now) + TokenFamily.idleLifetime, at: now)
    }
    guard scope.contains(Scope.openID) else {
      return IssuedTokens(minted, refreshToken: refreshToken, refreshEnd: end)
    }
    let idToken = try await mintIDToken(
      family, client, account: account, nonce: nonce, accessToken: minted.token, at: now)
    return IssuedTokens(minted, refreshToken: refreshToken, refreshEnd: end, idToken: idToken)
  }
}

extension Transaction {
  /// Whoever is signed in by `session`, or by the app password that stands for one, if they still allow `client` that
  /// much.
  func account(who session: TokenHash, allows scope: Scope, to client: ClientID) throws -> Account? {
    guard let account = try self.session(session)?.account ?? holder(ofAppPassword: session), !account.isDisabled,
      let consent = try consent(of: account.id, for: client), scope.isWithin(consent.scope)
    else { return nil }
    return account
  }

  private func holder(ofAppPassword session: TokenHash) throws -> Account? {
    guard let password = try appPassword(ofSession: session), try counts(password) else { return nil }
    return try account(password.account)
  }

  /// Stores what a grant begins: the family of its tokens, the first refresh token, and who got it.
  func begin(
    _ family: TokenFamily, _ refresh: HeldRefreshToken?, by grant: Client.Grant, _ visitor: Visitor, at now: Timestamp
  ) throws {
    try insert(family)
    if let refresh {
      try insert(
        RefreshChain(
          id: refresh.chain, family: family.id, current: refresh.hash, expiresAt: now + TokenFamily.idleLifetime))
    }
    try insert(
      AuditEvent(
        .tokenIssued, at: now, origin: visitor.origin, account: family.account, client: family.client,
        detail: grant.shortName))
  }
}

extension Refusal {
  /// What was allowed before it was redeemed, and is not any more.
  static let takenBack = Refusal(.invalidGrant, "The person has signed out or taken the consent back meanwhile.")
}
