public import Domain
import Logging
import Storage
import Upstream

/// What a person sees about their own account: what is connected, what could be, and which apps used it.
public struct AccountOverview: Sendable {
  public struct Service: Sendable {
    public let credential: Credential
    public let connection: Connection
    /// The app that used it last, as far as the latest uses tell.
    public let lastClient: String?
    /// What the certificate says, where it is one.
    public internal(set) var certificate: CertificateDescription?
    /// Whether its server showed another key than the one that an administrator approved.
    public internal(set) var isDistrusted = false
  }

  /// One time an app was handed something.
  public struct Use: Sendable {
    public let client: String
    public let clientID: ClientID?
    public let service: String
    /// Whether Gatehouse made a request for the app, which got no token.
    public let isProxied: Bool
    /// Whether a job of the app asked while the person was away.
    public let isUnattended: Bool
    /// How long the token was good for; `nil` when the audit row does not say.
    public let seconds: Int64?
    public let at: Timestamp
  }

  public fileprivate(set) var services: [Service]
  /// The certificates among them, to be looked into.
  private let certificates: [(Credential, Sealed)]
  /// The connections that could be connected, by name.
  public let available: [Connection]
  /// The latest uses, newest first.
  public let uses: [Use]

  static let shownUses = 50

  init(of account: AccountID, _ tx: Transaction) throws {
    let connections = try tx.connections()
    let clients = try tx.clients()
    let records = try tx.uses(of: account, limit: Self.shownUses).map(\.event)
    let credentials = try tx.credentials(of: account)
    func client(_ event: AuditEvent) -> String {
      clients.first { $0.id == event.client }?.name ?? event.client?.text ?? "An app"
    }
    services = connections.compactMap { connection in
      guard let credential = credentials.first(where: { $0.connection == connection.id }) else { return nil }
      let last = records.first { $0.connection == connection.id }
      return Service(credential: credential, connection: connection, lastClient: last.map(client))
    }
    certificates = try services.filter { $0.connection.kind == .certificate }.compactMap {
      try tx.sealedCredential($0.credential.id)
    }
    available = connections.filter { connection in
      !connection.isDisabled && !connection.kind.isServiceOwned
        && !credentials.contains { $0.connection == connection.id }
    }
    uses = records.map { event in
      // Another connection may have the id by now.
      let known = connections.first { $0.id == event.connection && $0.createdAt <= event.at }
      let service = known?.name ?? event.connection?.text ?? "A service"
      let detail = VendDetail(of: event)
      return Use(
        client: client(event), clientID: event.client, service: service, isProxied: detail.method != nil,
        isUnattended: detail.job != nil, seconds: detail.seconds, at: event.at)
    }
  }

  /// Reads what the certificates say of themselves; one that does not open says nothing.
  fileprivate mutating func lookIntoCertificates(_ here: Installation) throws {
    for (credential, sealed) in certificates {
      guard let place = services.firstIndex(where: { $0.credential.id == credential.id }) else { continue }
      do {
        let tokens = try here.unseal(sealed, of: credential, services[place].connection)
        services[place].certificate = CertificateKind.chain(in: tokens.accessToken).first
      } catch KeyFailure.notAuthentic {
        here.log.error("a sealed credential does not open", ["credential": .string(credential.id.text)])
      }
    }
  }
}

extension Installation {
  public func overview(of account: AccountID) async throws -> AccountOverview {
    var overview = try await store.read { try AccountOverview(of: account, $0) }
    try overview.lookIntoCertificates(self)
    for place in overview.services.indices {
      overview.services[place].isDistrusted = distrustedServers.contains(overview.services[place].connection)
    }
    return overview
  }
}
