import Crypto
public import Domain
import Storage

/// Redeems an authorization code for tokens (RFC 6749 §4.1.3).
public struct RedeemCode: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Takes the code and the PKCE verifier (43 to 128 characters) as presented; a client of another profile may have
  /// none.
  ///
  /// At an ArcGIS portal, `portal` is what alone it gives; a code for anything else stays good.
  ///
  /// - Throws: `Refusal` `invalid_grant` or `unauthorized_client`.
  public func callAsFunction(
    _ code: String, verifier: String?, redirectURI: String?, _ client: Client, at portal: Scope? = nil,
    boundTo binding: TokenBinding? = nil, _ visitor: Visitor
  ) async throws -> IssuedTokens {
    if let refusal = client.refusal(using: .authorizationCode) { throw refusal }
    guard verifier.map({ (43...128).contains($0.utf8.count) }) ?? true else {
      throw Refusal(.invalidGrant, "code_verifier has 43 to 128 characters.")
    }
    let now = here.clock.now()
    if let portal, let waiting = try await here.store.read({ try $0.waitingCode(TokenHash(of: code), at: now) }),
      waiting.scope != portal
    {
      throw Refusal(.invalidGrant, "The code was given for something else than this portal.")
    }
    let redemption = AuthorizationCode.Redemption(
      client: client.id, code: TokenHash(of: code), redirectURI: redirectURI,
      challenge: verifier.map { Base64URL.encode(SHA256.hash($0)) }, binding: binding)
    let refresh = client.grants.contains(.refreshToken) ? HeldRefreshToken.first() : nil
    let outcome = try await redeem(redemption, refresh, client.kind == .public ? binding : nil, visitor, at: now)
    switch outcome {
    case .failure(let refusal): throw refusal
    case .success(let (family, account)):
      await here.reportRepetition(challenge: redemption.challenge, nonce: family.openID.nonce, by: client, visitor)
      return try await here.issue(
        family, client, account, scope: family.scope, nonce: family.openID.nonce, refreshToken: refresh?.secret,
        boundTo: binding, at: now)
    }
  }

  /// Consumes the code and stores what it leads to, in one transaction; refusals keep the code burnt.
  private func redeem(
    _ redemption: AuthorizationCode.Redemption, _ refresh: HeldRefreshToken?, _ binding: TokenBinding?,
    _ visitor: Visitor, at now: Timestamp
  ) async throws -> Result<(TokenFamily, Account), Refusal> {
    try await here.store.write { tx in
      guard let code = try tx.consumeCode(redemption.code, at: now) else {
        return .failure(try replayed(redemption, tx, visitor, at: now))
      }
      if let refusal = code.refusal(of: redemption) { return .failure(refusal) }
      // It was live when it authenticated, and may have been disabled since.
      guard try tx.isLive(code.client) else {
        return .failure(Refusal(.invalidClient, "The client is disabled or deleted."))
      }
      guard let account = try tx.account(who: code.session, allows: code.scope, to: code.client) else {
        return .failure(.takenBack)
      }
      var family = TokenFamily(
        id: code.family, client: code.client, account: code.account, session: code.session, scope: code.scope,
        openID: code.openID, authenticatedAt: code.authenticatedAt,
        expiresAt: now + min(code.lasts ?? .max, TokenFamily.absoluteLifetime))
      family.binding = binding
      try tx.begin(family, refresh, by: .authorizationCode, visitor, at: now)
      return .success((family, account))
    }
  }

  /// A code that was used before: a replay that is right in everything else ends the tokens of its first use; any other
  /// one must not, or whoever finds an old code could sign people out (OAuth 2.1 §7.5.2).
  private func replayed(
    _ redemption: AuthorizationCode.Redemption, _ tx: Transaction, _ visitor: Visitor, at now: Timestamp
  ) throws -> Refusal {
    let refusal = Refusal(.invalidGrant, "The code is unknown, expired, or was used before.")
    guard let used = try tx.usedCode(redemption.code), used.refusal(of: redemption) == nil else { return refusal }
    // Only a replay that ends something is worth a row, so that repeating it fills no disk.
    if try tx.revokeFamily(used.family, at: now) {
      try tx.insert(
        AuditEvent(
          .codeReplayed, .failure, at: now, origin: visitor.origin, account: used.account, client: used.client))
    }
    return refusal
  }
}
