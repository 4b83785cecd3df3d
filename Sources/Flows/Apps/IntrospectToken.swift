public import Domain
import Storage

/// Says whether a token of ours still counts (RFC 7662).
public struct IntrospectToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Answer: Sendable {
    /// Unknown, expired, revoked, or none of the caller's business: nothing else is said (§2.2).
    case inactive
    case accessToken(AccessTokenClaims, Person?)
    case refreshToken(TokenFamily, IssuedTokens.RefreshEnd, expiresAt: Timestamp)
  }

  /// Who an access token acts for; nobody for one that a client got for itself.
  public struct Person: Sendable {
    public let authenticatedAt: Timestamp
    /// Where the token's scope tells it.
    public let username: String?
  }

  /// Tells `client`, the authenticated caller, about tokens issued to it.
  ///
  /// - Throws: `Refusal` `invalid_client` for a public client, since anybody can pose as one (§2.1).
  public func callAsFunction(_ token: Secret, _ client: Client) async throws -> Answer {
    guard client.kind == .confidential else {
      throw Refusal(.invalidClient, "Introspection is for clients that prove who they are.")
    }
    let now = here.clock.now()
    let text = token.revealedText
    if let claims = here.verify(text, at: now) {
      // The client is not disabled, or it could not have authenticated.
      guard claims.client == client.id else { return .inactive }
      return try await here.store.read { tx in
        try tx.hasEnded(claims) ? .inactive : .accessToken(claims, try person(of: claims, tx))
      }
    }
    let hash = TokenHash(of: text)
    return try await here.store.read { tx in
      guard let (found, family) = try tx.refreshToken(hash), found.rotatedAt == nil else { return .inactive }
      guard family.client == client.id, !family.isRevoked, min(found.expiresAt, family.expiresAt) > now else {
        return .inactive
      }
      let end = IssuedTokens.RefreshEnd(of: family, tokenEnd: found.expiresAt, at: now)
      return .refreshToken(family, end, expiresAt: found.expiresAt)
    }
  }

  private func person(of claims: AccessTokenClaims, _ tx: Transaction) throws -> Person? {
    guard let family = try claims.family.flatMap(tx.family),
      let account = try claims.account.flatMap({ try tx.account($0) })
    else { return nil }
    return Person(
      authenticatedAt: family.authenticatedAt,
      username: claims.scope.contains(Scope.profile) ? account.username : nil)
  }
}
