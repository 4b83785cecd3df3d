public import Domain
import Storage

extension Installation {
  /// Writes down that a client which proved who it is was refused a token; of many such refusals the first, and how many
  /// followed.
  ///
  /// Not for a public client, which anybody can claim to be, nor when the fault is ours.
  public func recordRefusal(of client: Client, _ refusal: Refusal, _ visitor: Visitor) async throws {
    // That a proof needs a fresh nonce and that a device has to wait is the ordinary course of things.
    let ordinary: Set<Refusal.Code> = [.temporarilyUnavailable, .useDPoPNonce, .authorizationPending, .slowDown]
    guard client.kind == .confidential, !ordinary.contains(refusal.code) else { return }
    try await recordRefusal(.tokenRefused, client: client.id, detail: refusal.code.rawValue, visitor)
  }

  /// Writes down that a token which we signed for a client, and which has not expired, was presented and refused.
  public func recordRefusal(of claims: AccessTokenClaims, _ refusal: Refusal, _ visitor: Visitor) async throws {
    try await recordRefusal(
      .tokenRefused, account: claims.account, client: claims.client, detail: "presented: \(refusal.code.rawValue)",
      visitor)
  }
}
