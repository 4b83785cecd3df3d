import Domain
import Synchronization

/// Remembers which tokens were made because the upstream refused those before them, so that a refusal of these makes no
/// further ones.
///
/// An app that asked for another token for each 498 would have the portal make them by the million.
final class RenewedForRefusal: Sendable {
  private static let capacity = 10_000
  private let generations = Mutex<[CredentialID: Int64]>([:])

  /// Whether the tokens of `credential` may be replaced since they were refused; once for each life of a token.
  func mayRenew(_ credential: Credential) -> Bool {
    generations.withLock { generations in
      if generations[credential.id] == credential.generation { return false }
      if generations.count >= Self.capacity { generations = [:] }
      // What the renewal brings will have the next one.
      generations[credential.id] = credential.generation + 1
      return true
    }
  }
}

extension VendToken {
  /// Gets another token once for one that the portal itself refused.
  ///
  /// - Throws: `Refusal` when there is none, or it would not help.
  func renew(_ held: Held, isSecondTry: Bool, at now: Timestamp) async throws {
    let credential = held.credential
    guard credential.canRefresh else { throw held.target.reauthRequired }
    guard !isSecondTry, credential.tooYoungFor(at: now) == nil, here.renewedForRefusal.mayRenew(credential) else {
      throw Self.freshTokenRefused
    }
    let outcome = await here.refreshes.refresh(credential.id, insteadOf: credential.generation, at: now)
    if case .failed(let failure) = outcome { throw failure.refusal }
  }

  private static let freshTokenRefused = Refusal(
    .upstreamError,
    "The portal refuses the token that it has just made, so another one would not help: the token may be bound to another "
      + "address or referer, the portal's clock may be wrong, or the server may not be federated with it.")

  /// What whoever wants another token is told while the one at hand has only just been made.
  static func justRenewed(in seconds: Int64) -> Refusal {
    Refusal(
      .slowDown,
      "The token has just been made, and is replaced once in \(Credential.leastAge) s at most: ask without min_ttl. If the "
        + "server refuses that one, too, another would not help: it may be bound to another address or referer, clocks may "
        + "differ, or the server may not belong to the portal.",
      retryAfter: seconds)
  }
}

extension VendToken.Target {
  /// For how long the layer's token should be good; no wish ends a layer's token or an API key before its time.
  func wish(_ request: VendRequest, isProxy: Bool) -> Int64 {
    let isRenewable = !isProxy && connection.kind != .apiKey && !connection.kind.isNetwork
    return isRenewable ? request.minimumLifetime : min(request.minimumLifetime, VendRequest.longestOrdinaryWish)
  }
}
