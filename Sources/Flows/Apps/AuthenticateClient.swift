import Crypto
public import Domain
import Storage

/// Finds out which client a request comes from (RFC 6749 §2.3).
public struct AuthenticateClient: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the request presented.
  public struct Presented: Sendable {
    let id: String
    /// `nil` from a public client.
    let secret: Secret?

    public init(id: String, secret: Secret?) {
      self.id = id
      self.secret = secret
    }
  }

  /// - Throws: `Refusal` `invalid_client`, the same for an unknown client, a wrong secret and a missing one;
  ///   `slow_down` when too many tries failed.
  public func callAsFunction(_ presented: Presented, _ visitor: Visitor) async throws -> Client {
    let now = here.clock.now()
    var known: KnownClients.Entry?
    if let id = ClientID(presented.id) { known = try await here.knownClients.client(id, in: here.store) }
    // Only who shows a secret can guess one; a public client's people share networks and must not wait for each other.
    if presented.secret != nil, let seconds = here.clientThrottle.delay(for: known?.client.id, visitor, at: now) {
      throw Refusal(
        .slowDown, "Too many authentications of this client failed. Wait before the next.", retryAfter: seconds)
    }
    guard let client = Self.proven(presented, known, at: now) else {
      here.clientThrottle.fail(known?.client.id, visitor, at: now)
      throw Refusal(.invalidClient, "The client is unknown, or its authentication failed.")
    }
    here.clientThrottle.succeed(client.id, visitor)
    return client
  }

  /// Compares also for an unknown client, so that its answer takes as long.
  private static func proven(_ presented: Presented, _ known: KnownClients.Entry?, at now: Timestamp) -> Client? {
    let hash = SHA256.hash(presented.secret?.revealed ?? [])
    var isRight = false
    for secret in known?.secrets ?? [] where constantTimeEqual(secret.hash.bytes, hash) && secret.isLive(at: now) {
      isRight = true
    }
    guard let client = known?.client, !client.isDisabled else { return nil }
    switch client.kind {
    case .confidential: return isRight && presented.secret != nil ? client : nil
    case .public: return presented.secret == nil ? client : nil
    }
  }
}
