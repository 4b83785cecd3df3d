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

  /// - Throws: `Refusal` `invalid_client`, the same for an unknown client, a wrong secret and a missing one.
  public func callAsFunction(_ presented: Presented) async throws -> Client {
    let refusal = Refusal(.invalidClient, "The client is unknown, or its authentication failed.")
    guard let id = ClientID(presented.id) else { throw refusal }
    let now = here.clock.now()
    let (client, hashes) = try await here.store.read { (try $0.client(id), try $0.secretHashes(of: id, at: now)) }
    // Compared even for an unknown client, so that its answer takes as long.
    let isRight = Self.matches(presented.secret, hashes)
    guard let client, !client.isDisabled else { throw refusal }
    switch client.kind {
    case .confidential: if isRight { return client }
    case .public: if presented.secret == nil { return client }
    }
    throw refusal
  }

  private static func matches(_ secret: Secret?, _ hashes: [TokenHash]) -> Bool {
    let presented = SHA256.hash(secret?.revealed ?? [])
    return hashes.reduce(false) { constantTimeEqual($1.bytes, presented) || $0 } && secret != nil
  }
}
