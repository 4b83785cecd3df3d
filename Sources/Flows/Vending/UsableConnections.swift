public import Domain
import Storage

/// Lists the connections that a client may use, for a person or for itself, and what still stands in the way.
public struct UsableConnections: Sendable {
  private let here: Installation

  public init(_ here: Installation) { self.here = here }

  public struct Item: Sendable {
    public let connection: Connection
    /// `nil` when a vend would work now.
    public let missing: Refusal.Interaction?
    public let handsOutRawTokens: Bool
  }

  /// By connection id; only the service's own for a client that acts for itself (`account` is `nil`), and of them those
  /// that `key` reaches, if it shows one.
  public func callAsFunction(
    _ id: ClientID, for account: AccountID?, by key: ClientAPIKey? = nil
  ) async throws -> [Item] {
    guard let client = try await here.liveClient(id) else { return [] }
    let connections = try await here.knownConnections.all(in: here.store)
    let (consent, credentials) = try await here.store.read { tx in
      (try account.flatMap { try tx.consent(of: $0, for: id) }, try account.map { try tx.credentials(of: $0) } ?? [])
    }
    return client.permissions.compactMap { permission in
      guard let connection = connections.first(where: { $0.id == permission.connection }), !connection.isDisabled else {
        return nil
      }
      if let key, !key.scope.connections.contains(connection.id) { return nil }
      if connection.kind.isServiceOwned {
        let isHandedOut = permission.handsOutRawTokens(of: connection) && key?.mayHoldRawTokens ?? true
        return Item(connection: connection, missing: nil, handsOutRawTokens: isHandedOut)
      }
      guard account != nil else { return nil }
      let credential = credentials.first { $0.connection == connection.id }
      let reason = Self.reason(consent, credential, connection.id)
      return Item(
        connection: connection, missing: reason.map { .init(reason: $0, connection: connection.id) },
        handsOutRawTokens: permission.handsOutRawTokens(of: connection))
    }
  }

  private static func reason(
    _ consent: Consent?, _ credential: Credential?, _ connection: ConnectionID
  ) -> Refusal.InteractionReason? {
    guard let consent, consent.scope.contains(Scope.vend), consent.connections.contains(connection) else {
      return .notConnected
    }
    guard let credential else { return .notConnected }
    return credential.state == .active ? nil : .reauthRequired
  }
}
