import Crypto
public import Domain
import Storage

/// Lets an app that registered itself read, change and remove its registration (RFC 7592).
public struct ManageRegistration: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  /// Which client is meant, and what was presented to prove that it is asking.
  public struct Presented: Sendable {
    let client: String
    let token: Secret

    public init(client: String, token: Secret) {
      self.client = client
      self.token = token
    }
  }

  /// - Throws: `Refusal` `invalid_token` for a wrong token and for a client that is not there, alike (RFC 7592 §2.1).
  public func read(_ presented: Presented) async throws -> RegisteredClient {
    let (client, registration) = try await here.store.read { try own(presented, $0) }
    return RegisteredClient(
      client: client, description: registration.description, accessToken: presented.token, secret: nil)
  }

  /// Replaces all of the metadata; what is missing is taken away or gets its default.
  ///
  /// - Throws: `Refusal` as ``read(_:)``, and as registering does.
  public func replace(
    _ presented: Presented, by metadata: ClientMetadata, _ visitor: Visitor
  ) async throws -> RegisteredClient {
    let now = here.clock.now()
    if let seconds = here.registrationChanges.take(presented.client, at: now) {
      throw Refusal(.slowDown, "Registrations change too often. Try again later.", retryAfter: seconds)
    }
    let takesCertificates = here.clientCertificates.areTaken
    let result: Result<RegisteredClient, Refusal> = try await here.store.write { tx in
      let (before, registration): (Client, ClientRegistration)
      let client: Client
      do {
        (before, registration) = try own(presented, tx)
        client = try metadata.client(before.id, replacing: before, takesCertificates: takesCertificates, at: now)
      } catch let refusal as Refusal { return .failure(refusal) }
      if let refusal = here.refusal(ofRegistering: client) { return .failure(refusal) }
      if !DisplayName.areAlike(client.name, before.name),
        try tx.trustedClientNames().contains(where: { DisplayName.areAlike($0, client.name) })
      {
        return .failure(RegisterClient.nameTaken)
      }
      let secret = try tx.save(client, insteadOf: before, at: now)
      // People allowed what they were shown: this name, at this place.
      if client.name != before.name || client.redirectURIs != before.redirectURIs {
        try tx.endConsents(to: client.id, at: now)
      }
      try tx.describe(
        client.id, metadata.description, isChecked: client.isTrusted && metadata.description == registration.description
      )
      try here.recording(
        AuditEvent(.clientChanged, at: now, origin: visitor.origin, client: client.id, detail: "changed itself"))(tx)
      return .success(
        RegisteredClient(
          client: client, description: metadata.description, accessToken: presented.token, secret: secret))
    }
    return try result.get()
  }

  /// - Throws: `Refusal` as ``read(_:)``.
  public func delete(_ presented: Presented, _ visitor: Visitor) async throws {
    let now = here.clock.now()
    let client: Client? = try await here.store.write { tx in
      guard let (client, _) = try found(presented, tx) else { return nil }
      try tx.deleteClient(client.id)
      try here.recording(
        AuditEvent(.clientDeleted, at: now, origin: visitor.origin, client: client.id, detail: "removed itself"))(tx)
      return client
    }
    guard let client else { throw Self.wrongToken }
    here.proxyPlaces.end(.client(client.id))
  }

  private func own(_ presented: Presented, _ tx: Transaction) throws -> (client: Client, ClientRegistration) {
    guard let found = try found(presented, tx) else { throw Self.wrongToken }
    return found
  }

  /// Not a disabled client, whose registration an administrator wants to keep as it is.
  private func found(_ presented: Presented, _ tx: Transaction) throws -> (client: Client, ClientRegistration)? {
    guard let id = ClientID(presented.client), let client = try tx.client(id), !client.isDisabled,
      let registration = try tx.registration(of: id),
      constantTimeEqual(registration.accessToken.bytes, TokenHash(of: presented.token.revealedText).bytes)
    else { return nil }
    return (client, registration)
  }

  private static let wrongToken = Refusal(
    .invalidToken, "The registration access token is not that of this client, or the client is not there any more.")
}

extension Transaction {
  /// Writes down a changed client; tokens that it would not get any more end, and a secret is there if it needs one.
  ///
  /// - Returns: The secret, if one was made.
  func save(_ client: Client, insteadOf before: Client, at now: Timestamp) throws -> Secret? {
    try update(client)
    if !before.scope.isWithin(client.scope) || !before.grants.allSatisfy(client.grants.contains) {
      try endTokens(of: client.id, at: now)
    }
    guard client.authentication.usesSecret else {
      try deleteSecrets(of: client.id)
      return nil
    }
    guard try secretEntries(of: client.id, at: now).isEmpty else { return nil }
    let secret = NewToken()
    try setSecret(secret.hash, of: client.id, at: now)
    return secret.secret
  }
}
