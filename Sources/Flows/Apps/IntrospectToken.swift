public import Domain
import Storage

/// Says whether a token of ours still counts (RFC 7662).
public struct IntrospectToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public enum Answer: Sendable {
    /// Unknown, expired, revoked, or none of the caller's business: nothing else is said (§2.2).
    case inactive
    case accessToken(AccessTokenClaims)
    case refreshToken(TokenFamily, expiresAt: Timestamp)
  }

  /// Tells `client`, the authenticated caller, about tokens issued to it and about tokens for this server.
  ///
  /// - Throws: `Refusal` `invalid_client` for a public client, since anybody can pose as one (§2.1).
  public func callAsFunction(_ token: Secret, _ client: Client) async throws -> Answer {
    guard client.kind == .confidential else {
      throw Refusal(.invalidClient, "Introspection is for clients that prove who they are.")
    }
    let now = here.clock.now()
    let text = token.revealedText
    if let claims = here.verify(text, at: now) {
      guard claims.client == client.id || claims.audience == here.issuer else { return .inactive }
      return try await here.isLive(claims) ? .accessToken(claims) : .inactive
    }
    let hash = TokenHash(of: text)
    return try await here.store.read { tx in
      guard let (found, family) = try tx.refreshToken(hash), found.rotatedAt == nil else { return .inactive }
      guard family.client == client.id, !family.isRevoked, min(found.expiresAt, family.expiresAt) > now else {
        return .inactive
      }
      return .refreshToken(family, expiresAt: found.expiresAt)
    }
  }
}
