public import Domain
import Storage

/// Revokes a token of ours at its client's wish (RFC 7009).
public struct RevokeToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Unknown, expired and malformed tokens are no error (§2.2).
  ///
  /// - Throws: `Refusal` `unauthorized_client` when the token belongs to another client; it stays valid.
  public func callAsFunction(_ token: Secret, _ client: Client, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let text = token.revealedText
    if let claims = here.verify(text, at: now) {
      guard claims.client == client.id else { throw Self.foreign }
      try await revoke(claims, visitor, at: now)
      return
    }
    guard let held = HeldRefreshToken(text) else { return }
    let refusal: Refusal? = try await here.store.write { tx in
      guard let (chain, family, _) = try tx.refreshChain(held.chain) else { return nil }
      guard family.client == client.id else { return Self.foreign }
      // Whoever has no more than the part that all tokens of a chain share ends nothing; an old copy does, unless it is
      // worth nothing without a key.
      let isKnown = chain.current == held.hash || chain.former?.hash == held.hash
      guard isKnown || chain.former != nil && family.binding == nil else { return nil }
      if try tx.revokeFamily(family.id, at: now) {
        try tx.insert(
          AuditEvent(
            .tokenRevoked, at: now, origin: visitor.origin, account: family.account, client: client.id,
            detail: "refresh token and its family"))
      }
      return nil
    }
    if let refusal { throw refusal }
  }

  /// The same at the wish of whoever has the token and names its client, without a secret: nobody wins by that.
  ///
  /// - Throws: `Refusal` `invalid_client` when there is no such client.
  public func callAsFunction(_ token: Secret, ofClient id: String?, _ visitor: Visitor) async throws {
    guard let id = id.flatMap(ClientID.init), let client = try await here.liveClient(id) else {
      throw Refusal(.invalidClient, "There is no such client.")
    }
    try await self(token, client, visitor)
  }

  private func revoke(_ claims: AccessTokenClaims, _ visitor: Visitor, at now: Timestamp) async throws {
    let revoked = here.recording(
      AuditEvent(
        .tokenRevoked, at: now, origin: visitor.origin, account: claims.account, client: claims.client,
        detail: "access token"))
    try await here.store.write { tx in
      try tx.insertRevokedToken(claims.id, expiresAt: claims.expiresAt)
      try revoked(tx)
    }
  }

  private static let foreign = Refusal(.unauthorizedClient, "The token was issued to another client.")
}
