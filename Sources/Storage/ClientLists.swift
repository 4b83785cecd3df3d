public import Domain
import SQL

/// A client in the administrator's list.
public struct ClientEntry: Sendable {
  public let client: Client
  /// When it last got a token, its own or one of an upstream; noted once a minute.
  public let lastUse: Timestamp?
  /// `nil` unless it registered itself.
  public let registration: ClientRegistration?
}

/// One of a client's secrets, without anything of the secret.
public struct ClientSecretEntry: Sendable, Equatable {
  public let hash: TokenHash
  public let madeAt: Timestamp
  /// `nil` for the one that stays.
  public let expiresAt: Timestamp?
}

/// A client that may use a connection.
public struct PermittedClient: Sendable, Equatable {
  public let id: ClientID
  public let name: String
  public let handsOutRawTokens: Bool
}

extension Transaction {
  /// The clients after a place, by name.
  public func clients(after place: ListPosition, limit: Int64) throws -> [ClientEntry] {
    let ids = try session.rows(
      """
      SELECT id FROM client WHERE (name, id) > (\(place.name), \(place.id)) ORDER BY name, id LIMIT \(limit)
      """
    ).map { try $0.identifier("id", of: Client.self) }
    return try ids.compactMap(clientEntry)
  }

  /// Every redirect URI of the clients that are not disabled.
  public func redirectURIs() throws -> [RedirectURI] {
    try session.rows("SELECT redirect_uris FROM client WHERE disabled_at IS NULL ORDER BY id")
      .flatMap { try $0.lines("redirect_uris").compactMap(RedirectURI.init) }
  }

  public func clientEntry(_ id: ClientID) throws -> ClientEntry? {
    guard let client = try client(id) else { return nil }
    let row = try session.first("SELECT last_used_at FROM client WHERE id = \(id)")
    return ClientEntry(
      client: client, lastUse: try row?.optionalTime("last_used_at"), registration: try registration(of: id))
  }

  public func countClients() throws -> Int64 {
    try session.first("SELECT count(*) AS n FROM client")?.integer("n") ?? 0
  }

  /// The secrets of a client that still work, the oldest first.
  public func secretEntries(of id: ClientID, at now: Timestamp) throws -> [ClientSecretEntry] {
    try session.rows(
      """
      SELECT hash, created_at, expires_at FROM client_secret
      WHERE client_id = \(id) AND (expires_at IS NULL OR expires_at > \(now))
      ORDER BY CASE WHEN expires_at IS NULL THEN 1 ELSE 0 END, created_at, hash
      """
    ).map {
      ClientSecretEntry(
        hash: try $0.hash("hash"), madeAt: try $0.time("created_at"), expiresAt: try $0.optionalTime("expires_at"))
    }
  }

  /// The clients that may use a connection, by name.
  public func clients(permitted connection: ConnectionID) throws -> [PermittedClient] {
    try session.rows(
      """
      SELECT c.id, c.name, p.raw_tokens FROM client_connection p JOIN client c ON c.id = p.client_id
      WHERE p.connection_id = \(connection) ORDER BY c.name, c.id
      """
    ).map {
      PermittedClient(
        id: try $0.identifier("id"), name: try $0.text("name"), handsOutRawTokens: try $0.flag("raw_tokens"))
    }
  }
}
