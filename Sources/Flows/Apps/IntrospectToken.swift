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

    fileprivate init(_ holder: TokenHolder, _ scope: Scope) {
      authenticatedAt = holder.authenticatedAt
      username = scope.contains(Scope.profile) ? holder.account.username : nil
    }
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
      switch try await here.knownTokenHolders.standing(of: claims, in: here.store) {
      case .ended: return .inactive
      case .live(let holder): return .accessToken(claims, holder.map { Person($0, claims.scope) })
      }
    }
    guard let held = HeldRefreshToken(text) else { return .inactive }
    return try await here.store.read { tx in
      guard let (chain, family, _) = try tx.refreshChain(held.chain), chain.current == held.hash else {
        return .inactive
      }
      guard family.client == client.id, !family.isRevoked, min(chain.expiresAt, family.expiresAt) > now else {
        return .inactive
      }
      let end = IssuedTokens.RefreshEnd(of: family, tokenEnd: chain.expiresAt, at: now)
      return .refreshToken(family, end, expiresAt: chain.expiresAt)
    }
  }
}
