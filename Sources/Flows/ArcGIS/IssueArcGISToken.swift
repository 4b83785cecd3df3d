public import Domain
import Storage

/// Gives an app that has a token of a portal another one, such as ArcGIS clients ask for each server of the portal.
///
/// It is for the same app, person and portal, and ends with their authorization; it is no wider than the first.
public struct IssueArcGISToken: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// `lifetime` is in seconds, as it was asked for; longer than ``AccessToken/longestArcGISLifetime`` gives just that.
  ///
  /// - Throws: `Refusal` `invalid_token` when `claims` or its authorization has ended.
  public func callAsFunction(
    insteadOf claims: AccessTokenClaims, boundTo binding: TokenBinding?, lifetime: Int64?, _ visitor: Visitor
  ) async throws -> (token: Secret, expiresAt: Timestamp) {
    guard let client = try await here.liveClient(claims.client) else { throw Refusal.endedToken }
    let family = try await family(of: claims)
    let now = here.clock.now()
    let wanted = min(max(lifetime ?? AccessToken.arcGISLifetime, 60), AccessToken.longestArcGISLifetime)
    // Nothing outlasts the token that stands for it, unless the app may go on by itself anyway.
    let goesOn = family != nil && client.refusal(using: .refreshToken) == nil
    let longest = goesOn ? wanted : claims.expiresAt - now
    let minted = try here.mint(
      subject: claims.subject, client: client, scope: claims.scope, family: family, boundTo: claims.binding ?? binding,
      lifetime: min(wanted, longest), at: now)
    try await here.record(
      AuditEvent(
        .tokenIssued, at: now, origin: visitor.origin, account: claims.account, client: client.id,
        connection: claims.portal, detail: "generateToken"))
    return (minted.token, minted.claims.expiresAt)
  }

  private func family(of claims: AccessTokenClaims) async throws -> TokenFamily? {
    guard let id = claims.family else { return nil }
    guard let family = try await here.store.read({ try $0.family(id) }), !family.isRevoked else {
      throw Refusal.endedToken
    }
    return family
  }
}
