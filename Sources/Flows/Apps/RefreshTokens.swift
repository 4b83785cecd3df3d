import Crypto
public import Domain
import Storage

/// Rotates a refresh token of ours (RFC 6749 §6), so that a lost answer never loses the sign-in and a stolen token is
/// noticed.
public struct RefreshTokens: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What becomes of the token.
  public enum Manner: Sendable {
    /// The next one takes its place.
    case rotate
    /// It goes on as it is, and lives no longer for it: so do ArcGIS clients until they ask for its exchange.
    case keep
    /// The next one takes its place, and the access tokens that came before end with it.
    case exchange
  }

  public func callAsFunction(
    _ presented: Secret, scope: Scope?, _ client: Client, boundTo binding: TokenBinding? = nil,
    manner: Manner = .rotate,
    _ visitor: Visitor
  ) async throws -> IssuedTokens {
    if let refusal = client.refusal(using: .refreshToken) { throw refusal }
    guard let held = HeldRefreshToken(presented.revealedText) else { throw Self.unknown }
    let now = here.clock.now()
    let successor = held.next()
    let sealed = try SuccessorBox(presented).seal(successor.secret)
    let decision = try await decide(
      Presented(token: held, scope: scope, client: client, binding: binding, manner: manner), successor, sealed,
      visitor, at: now)
    let (family, account, token, usedAt): (TokenFamily, Account, Secret, Timestamp)
    switch decision {
    case .failure(let refusal): throw refusal
    case .success(.rotated(let rotated, let owner)):
      (family, account, token, usedAt) = (rotated, owner, successor.secret, now)
    case .success(.kept(let same, let owner, let since)):
      (family, account, token, usedAt) = (same, owner, presented, since)
    case .success(.repeated(let again, let owner, let box, let rotatedAt)):
      (family, account, token, usedAt) = (again, owner, try SuccessorBox(presented).open(box), rotatedAt)
    }
    return try await here.issue(
      family, client, account, scope: scope ?? family.scope, nonce: nil, refreshToken: token, usedAt: usedAt,
      boundTo: binding, at: now)
  }

  private enum Rotation: Sendable {
    case rotated(TokenFamily, Account)
    /// The token goes on: it is worth nothing without a secret and a key, and nothing is lost with an answer
    /// (FAPI 2.0 §5.3.2.1, which forbids rotation for such clients).
    ///
    /// With the time from which on its idle lifetime counts.
    case kept(TokenFamily, Account, since: Timestamp)
    /// With the successor, and when it was made.
    case repeated(TokenFamily, Account, [UInt8], Timestamp)
  }

  private struct Presented: Sendable {
    let token: HeldRefreshToken
    let scope: Scope?
    let client: Client
    let binding: TokenBinding?
    let manner: Manner
  }

  private static let unknown = Refusal(.invalidGrant, "The refresh token is unknown.")

  private func decide(
    _ presented: Presented, _ successor: HeldRefreshToken, _ sealed: [UInt8], _ visitor: Visitor, at now: Timestamp
  ) async throws -> Result<Rotation, Refusal> {
    let (held, client) = (presented.token, presented.client)
    return try await here.store.write { tx in
      guard let (chain, family, account) = try tx.refreshChain(held.chain), !account.isDisabled else {
        return .failure(Self.unknown)
      }
      if family.client == client.id, let scope = presented.scope, !scope.isWithin(family.scope) {
        return .failure(Refusal(.invalidScope, "The scope is wider than what was granted."))
      }
      guard try tx.countsAppPassword(of: family) else { return .failure(.takenBack) }
      func note(_ name: AuditEvent.Name, _ outcome: AuditEvent.Outcome, _ detail: String) throws {
        try tx.insert(
          AuditEvent(
            name, outcome, at: now, origin: visitor.origin, account: family.account, client: client.id, detail: detail))
      }
      let end = min(now + TokenFamily.idleLifetime, family.expiresAt)
      switch chain.outcome(of: held.hash, in: family, for: client.id, with: presented.binding, at: now) {
      case .refuse(let refusal): return .failure(refusal)
      case .reuse:
        try tx.revokeFamily(family.id, at: now)
        try note(.tokenReused, .failure, "every token of the family was revoked")
        return .failure(Refusal(.invalidGrant, "The refresh token was used before; its whole family is revoked."))
      case .replay(let former, let box):
        if former.countsReplay(at: now) { try tx.countReplay(chain.id) }
        try note(.tokenIssued, .success, "refresh_token, repeated")
        return .success(.repeated(family, account, box, former.rotatedAt))
      case .rotate where client.kind == .confidential && client.requiresBoundTokens:
        try tx.extendRefreshChain(chain.id, until: end)
        try note(.tokenIssued, .success, Client.Grant.refreshToken.rawValue)
        return .success(.kept(family, account, since: now))
      case .rotate where presented.manner == .keep:
        try note(.tokenIssued, .success, Client.Grant.refreshToken.rawValue)
        return .success(.kept(family, account, since: chain.expiresAt - TokenFamily.idleLifetime))
      case .rotate:
        let isRotated = try tx.rotate(
          chain.id, from: held.hash, to: successor.hash, until: end, sealedSuccessor: sealed, at: now)
        guard isRotated else {
          return .failure(
            Refusal(.temporarilyUnavailable, "The token is being refreshed; repeat the request.", retryAfter: 1))
        }
        try note(.tokenIssued, .success, Client.Grant.refreshToken.rawValue)
        guard presented.manner == .exchange else { return .success(.rotated(family, account)) }
        var next = family
        next.generation += 1
        try tx.beginGeneration(next.generation, of: family.id)
        return .success(.rotated(next, account))
      }
    }
  }
}

/// Encrypts a successor under a key that only the presented token gives, so that the database alone cannot replay it.
private struct SuccessorBox {
  private static let purpose = Array("gatehouse/successor/v1".utf8)
  private let box: AESGCM

  /// One step of a hash makes the key, since the token is random (NIST SP 800-56Cr2 §4.1, option 1).
  init(_ presented: Secret) { box = AESGCM(key: SHA256.hash([0, 0, 0, 1] + presented.revealed + Self.purpose)) }

  func seal(_ successor: Secret) throws -> [UInt8] { try box.seal(successor.revealed, context: []) }

  func open(_ sealed: [UInt8]) throws -> Secret { Secret(try box.open(sealed, context: [])) }
}
