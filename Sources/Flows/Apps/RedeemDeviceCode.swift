public import Domain
import Storage

/// Redeems a device code once the person has allowed it (RFC 8628 §3.4).
public struct RedeemDeviceCode: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// - Throws: `Refusal` `authorization_pending`, `slow_down`, `access_denied`, `expired_token` or `invalid_grant`.
  public func callAsFunction(
    _ code: Secret, _ client: Client, boundTo binding: TokenBinding? = nil, _ visitor: Visitor
  ) async throws -> IssuedTokens {
    if let refusal = client.refusal(using: .deviceCode) { throw refusal }
    let (hash, now) = (TokenHash(of: code.revealedText), here.clock.now())
    let refresh = client.grants.contains(.refreshToken) ? HeldRefreshToken.first() : nil
    let outcome: Result<(TokenFamily, Account), Refusal> = try await here.store.write { tx in
      guard let device = try tx.deviceAuthorization(hash) else { return .failure(Self.unknown) }
      switch device.answer(to: client.id, at: now) {
      case .refused(let refusal): return .failure(refusal)
      case .ask(let refusal, let interval):
        try tx.noteQuestion(of: hash, interval: interval, at: now)
        return .failure(refusal)
      case .allowed(let decider):
        guard try tx.deleteDeviceAuthorization(hash) else { return .failure(Self.unknown) }
        guard try tx.isLive(client.id) else {
          return .failure(Refusal(.invalidClient, "The client is disabled or deleted."))
        }
        guard client.refusal(asking: device.scope) == nil,
          let account = try tx.account(who: decider.session, allows: device.scope, to: client.id)
        else {
          return .failure(.takenBack)
        }
        var family = TokenFamily(
          id: .random(), client: client.id, account: account.id, session: decider.session, scope: device.scope,
          authenticatedAt: decider.authenticatedAt, expiresAt: now + TokenFamily.absoluteLifetime)
        family.binding = client.kind == .public ? binding : nil
        try tx.begin(family, refresh, by: .deviceCode, visitor, at: now)
        return .success((family, account))
      }
    }
    let (family, account) = try outcome.get()
    return try await here.issue(
      family, client, account, scope: family.scope, nonce: nil, refreshToken: refresh?.secret, boundTo: binding,
      at: now)
  }

  private static let unknown = Refusal(.invalidGrant, "The device code is unknown, or was used before.")
}
