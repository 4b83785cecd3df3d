import Crypto
public import Domain
public import Storage

/// A client with those of its secrets that still work, the oldest first.
public struct ClientSecrets: Sendable {
  public let client: Client
  public let secrets: [ClientSecretEntry]

  /// The secret that stays until another is made; a public client has none.
  public var present: ClientSecretEntry? { secrets.last }

  /// Until when the secret before the present one works.
  public var previousEndsAt: Timestamp? { secrets.first { $0.expiresAt != nil }?.expiresAt }
}

extension ClientSecretEntry {
  /// Names the secret on a page without giving its hash away.
  ///
  /// Not by when it was made: two can be made within a second.
  public var reference: String { Hex.encode(Array(hash.bytes.prefix(8))) }
}

extension Installation {
  /// A client with its secrets.
  ///
  /// - Throws: `Refusal` `not_found`.
  public func clientSecrets(_ id: ClientID) async throws -> ClientSecrets {
    let now = clock.now()
    let found = try await store.read { tx in
      try tx.client(id).map { ClientSecrets(client: $0, secrets: try tx.secretEntries(of: id, at: now)) }
    }
    guard let found else { throw Refusal(.notFound, "There is no client called \(id).") }
    return found
  }
}
