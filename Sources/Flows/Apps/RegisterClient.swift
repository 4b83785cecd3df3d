public import Domain
import Storage

/// Lets an app register itself (RFC 7591, OpenID Connect Registration).
public struct RegisterClient: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Whether apps may register themselves, and whether they need a token for it.
  public enum Admission: Sendable {
    case closed
    case byToken
    case open
  }

  public var admission: Admission {
    switch here.registration.mode {
    case .off: .closed
    case .token: .byToken
    case .open: .open
    }
  }

  /// `token` is the initial access token that the app presented.
  ///
  /// - Throws: `Refusal` with a code of RFC 7591 §3.2.2; `invalid_token` without a token that counts, where one is needed
  ///   or presented; `slow_down` when too many registered.
  public func callAsFunction(
    _ metadata: ClientMetadata, token: Secret?, _ visitor: Visitor
  ) async throws -> RegisteredClient {
    let (now, hash) = (here.clock.now(), token.map { TokenHash(of: $0.revealedText) })
    try await admit(hash, visitor, at: now)
    let client = try metadata.client(
      .random(), takesCertificates: here.clientCertificates.areTaken, at: now)
    if let refusal = here.refusal(ofRegistering: client) { throw refusal }
    let (access, secret) = (NewToken(), client.authentication.usesSecret ? NewToken() : nil)
    let refusal: Refusal? = try await here.store.write { tx in
      if try tx.trustedClientNames().contains(where: { DisplayName.areAlike($0, client.name) }) {
        return Self.nameTaken
      }
      var initial: RegistrationTokenID?
      if let hash {
        guard let used = try tx.useRegistrationToken(hash, at: now) else { return Self.wrongToken }
        initial = used
      } else if try tx.countUncheckedClients() >= SelfRegistration.mostUnchecked {
        return Refusal(.temporarilyUnavailable, "Too many apps wait to be checked. Ask an administrator.")
      }
      try tx.insert(client)
      try tx.insert(
        ClientRegistration(accessToken: access.hash, initialToken: initial, description: metadata.description),
        of: client.id)
      if let secret { try tx.setSecret(secret.hash, of: client.id, at: now) }
      let detail = initial.map { "registered itself with \($0)" } ?? "registered itself"
      try here.recording(
        AuditEvent(.clientCreated, at: now, origin: visitor.origin, client: client.id, detail: detail))(tx)
      return nil
    }
    if let refusal { throw refusal }
    return RegisteredClient(
      client: client, description: metadata.description, accessToken: access.secret, secret: secret?.secret)
  }

  private func admit(_ hash: TokenHash?, _ visitor: Visitor, at now: Timestamp) async throws {
    try here.countBeginning(by: visitor)
    switch (admission, hash) {
    case (.closed, _): throw Self.closed
    case (.byToken, nil): throw Self.wrongToken
    case (_, let hash?):
      // Whoever may not register is told that first, and a mistake in the metadata uses up no token.
      guard try await here.store.read({ try $0.liveRegistrationToken(hash, at: now) }) != nil else {
        throw Self.wrongToken
      }
    case (.open, nil):
      if let seconds = here.registrations.take(visitor.network, at: now) {
        throw Refusal(
          .slowDown, "Too many apps registered from your network. Try again later.", retryAfter: seconds)
      }
    }
  }

  private static let closed = Refusal(.notFound, "Apps cannot register themselves here: ask an administrator.")
  private static let wrongToken = Refusal(
    .invalidToken, "Registering needs an initial access token that has not expired or been used up.")
  /// People could not tell it from an app that an administrator answers for.
  static let nameTaken = Refusal(
    .invalidClientMetadata,
    "client_name is what another app is called here. Choose a name that people can tell from it.")
}

/// A client that registered itself, as it is told about itself.
public struct RegisteredClient: Sendable {
  public let client: Client
  public let description: ClientDescription
  /// With which it reads, changes and removes its registration (RFC 7592 §1.2).
  public let accessToken: Secret
  /// A secret that was just made; only its hash is kept.
  public let secret: Secret?
}

extension Installation {
  /// Why an app must not be registered like this, beyond what its metadata says alone.
  func refusal(ofRegistering client: Client) -> Refusal? {
    if let objection = CreateClient.objections(toKeysOf: client).first {
      return Refusal(.invalidClientMetadata, objection.text)
    }
    let own = ResourceURL(issuer)?.origin
    // People would take the way back to it for one of ours.
    guard !client.redirectURIs.contains(where: { $0.origin != nil && $0.origin == own }) else {
      return Refusal(.invalidRedirectURI, "redirect_uris names this server itself.")
    }
    return nil
  }
}
