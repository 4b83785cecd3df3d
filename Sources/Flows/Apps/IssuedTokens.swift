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

extension Transaction {
  /// Whoever is signed in by `session`, if they still allow `client` that much.
  func account(who session: TokenHash, allows scope: Scope, to client: ClientID) throws -> Account? {
    guard let (_, account) = try self.session(session), !account.isDisabled,
      let consent = try consent(of: account.id, for: client), scope.isWithin(consent.scope)
    else { return nil }
    return account
  }

  /// Stores what a grant begins: the family of its tokens, the first refresh token, and who got it.
  func begin(
    _ family: TokenFamily, _ refresh: NewToken?, by grant: Client.Grant, _ visitor: Visitor, at now: Timestamp
  ) throws {
    try insert(family)
    if let refresh {
      try insert(
        RefreshToken(
          hash: refresh.hash, family: family.id, expiresAt: now + TokenFamily.idleLifetime, rotatedAt: nil,
          successor: nil, replays: 0))
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
