public import Domain
import Storage

/// An app that a person allowed to act for them.
public struct AllowedApp: Sendable {
  /// A connection that the app may use for the person.
  public struct Service: Sendable {
    public let connection: Connection
    /// Whether the app gets the upstream's own token, which can do everything its owner can.
    public let handsOutRawTokens: Bool
    /// Whether its jobs may use it while the person is away.
    public let isUnattended: Bool
  }

  public let client: Client
  public let consent: Consent
  /// Only those that the administrator still lets the app use.
  public let services: [Service]
  /// When it last got a token for the person, one of ours or of a service.
  public let lastUse: Timestamp?

  init(_ consent: Consent, _ client: Client, _ tx: Transaction) throws {
    self.client = client
    self.consent = consent
    let chosen = consent.scope.contains(Scope.vend) ? consent.connections : []
    let portals = consent.scope.arcGISConnections.filter { !chosen.contains($0) }
    services = try (chosen + portals).compactMap { id in
      guard let permission = client.permission(for: id), let connection = try tx.connection(id) else { return nil }
      return Service(
        connection: connection,
        handsOutRawTokens: chosen.contains(id) && permission.handsOutRawTokens(of: connection),
        isUnattended: consent.unattended.contains(id) && permission.isUnattended)
    }
    lastUse = try tx.lastUse(of: client.id, by: consent.account)
  }
}

extension Installation {
  /// The apps that an account allowed something, by name.
  public func allowedApps(of account: AccountID) async throws -> [AllowedApp] {
    let apps = try await store.read { tx in
      try tx.consents(of: account).compactMap { consent in
        try tx.client(consent.client).map { try AllowedApp(consent, $0, tx) }
      }
    }
    return apps.sorted { ($0.client.name, $0.client.id.text) < ($1.client.name, $1.client.id.text) }
  }

  /// One of them; `nil` when the account allows the client nothing.
  public func allowedApp(_ client: ClientID, of account: AccountID) async throws -> AllowedApp? {
    try await store.read { tx in
      guard let consent = try tx.consent(of: account, for: client), let found = try tx.client(client) else {
        return nil
      }
      return try AllowedApp(consent, found, tx)
    }
  }
}
