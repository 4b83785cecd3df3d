import Crypto
public import Domain
import Storage

/// Finds out which client a request comes from (RFC 6749 §2.3).
public struct AuthenticateClient: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// What the request presented.
  public struct Presented: Sendable {
    /// How it means to prove that.
    public enum Proof: Sendable {
      /// Not at all.
      case none
      case secret(Secret, isInHeader: Bool)
      /// What the client signed (RFC 7523 §2.2).
      case assertion(String)
    }

    /// `nil` when only an assertion says which client it is.
    public let id: String?
    let proof: Proof
    /// The certificate that its connection showed, in DER.
    let certificate: [UInt8]?

    public init(id: String?, _ proof: Proof, certificate: [UInt8]? = nil) {
      self.id = id
      self.proof = proof
      self.certificate = certificate
    }
  }

  /// - Throws: `Refusal` `invalid_client`, the same for an unknown client, a wrong secret and a missing one, and with the
  ///   reason for an assertion that the client did sign;
  ///   `slow_down` when too many tries failed and this one does, too; `temporarily_unavailable` when its keys cannot be
  ///   fetched.
  public func callAsFunction(_ presented: Presented, _ visitor: Visitor) async throws -> Client {
    let (now, claim) = (here.clock.now(), Claim(presented))
    var known: KnownClients.Entry?
    if let id = claim.id.flatMap(ClientID.init) { known = try await here.knownClients.client(id, in: here.store) }
    // Only who shows a proof can guess one; a public client's people share networks and must not wait for each other.
    let delay = claim.isGuess ? here.clientThrottle.delay(for: known?.client.id, visitor, at: now) : nil
    // A secret costs less to look at than the wait to be told of; strangers beside the app must not lock it out.
    if let delay, !claim.isSecret { throw Self.mustWait(delay) }
    guard let client = try await proven(claim, known, visitor, at: now) else {
      if let delay { throw Self.mustWait(delay) }
      here.clientThrottle.fail(known?.client.id, visitor, at: now)
      throw Self.refusal(claim, known, at: now)
    }
    here.clientThrottle.succeed(client.id, visitor)
    return client
  }

  /// ``Presented``, once an assertion was read.
  private struct Claim {
    let id: String?
    let proof: Presented.Proof
    let certificate: [UInt8]?
    let assertion: ClientAssertion?
    /// SHA-256 of the secret; computed also without one, so that every answer takes as long.
    let hash: [UInt8]

    init(_ presented: Presented) {
      proof = presented.proof
      certificate = presented.certificate
      var read: ClientAssertion?
      if case .assertion(let text) = presented.proof { read = ClientAssertion(text) }
      assertion = read
      // Who names two clients is none of them (RFC 7521 §4.2).
      let namesTwo = presented.id != nil && read != nil && presented.id != read?.client
      id = namesTwo ? nil : presented.id ?? read?.client
      if case .secret(let secret, _) = proof { hash = SHA256.hash(secret.revealed) } else { hash = SHA256.hash([]) }
    }

    var isGuess: Bool { if case .none = proof { false } else { true } }
    var isSecret: Bool { if case .secret = proof { true } else { false } }
  }

  private static func mustWait(_ seconds: Int64) -> Refusal {
    Refusal(.slowDown, "Too many authentications of this client failed. Wait before the next.", retryAfter: seconds)
  }

  /// The client, if it proves who it is in the way that it was registered for (reference: CA-05).
  ///
  /// Compares also for an unknown client, so that its answer takes as long.
  private func proven(
    _ claim: Claim, _ known: KnownClients.Entry?, _ visitor: Visitor, at now: Timestamp
  ) async throws -> Client? {
    var isRight = false
    for secret in known?.secrets ?? [] where constantTimeEqual(secret.hash.bytes, claim.hash) {
      if secret.isLive(at: now) { isRight = true }
    }
    guard let known, !known.client.isDisabled else { return nil }
    let isProven: Bool
    switch (known.client.authentication, claim.proof) {
    case (.none, .none): isProven = true
    case (.secret, .secret), (.secretBasic, .secret(_, isInHeader: true)), (.secretPost, .secret(_, isInHeader: false)):
      isProven = isRight
    case (.privateKeyJWT, .assertion):
      switch try await claim.assertion?.verdict(on: known, here, at: now) {
      case .proof: isProven = true
      case .foreign, nil: isProven = false
      case .refused(let reason):
        here.clientThrottle.fail(known.client.id, visitor, at: now)
        throw Refusal(.invalidClient, "client_assertion: \(reason).")
      }
    case (.tlsAuthority, .none), (.tlsSelfSigned, .none):
      guard let certificate = claim.certificate else { return nil }
      isProven = try await here.clientCertificates.prove(certificate, known, here, at: now)
    default: isProven = false
    }
    return isProven ? known.client : nil
  }

  /// Only whoever holds a former secret is told that it is one.
  private static func refusal(_ claim: Claim, _ known: KnownClients.Entry?, at now: Timestamp) -> Refusal {
    let isExpired = known?.secrets.contains { constantTimeEqual($0.hash.bytes, claim.hash) && !$0.isLive(at: now) }
    return isExpired == true
      ? Refusal(.invalidClient, "This secret expired: the client has a newer one.")
      : Refusal(.invalidClient, "The client is unknown, or its authentication failed.")
  }
}
