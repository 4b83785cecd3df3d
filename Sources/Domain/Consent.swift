/// A person's standing permission for a client.
public struct Consent: Sendable, Equatable {
  public let account: AccountID
  public let client: ClientID
  public let scope: Scope
  public let connections: [ConnectionID]
  /// Those of them that the client may also use while the person is not there.
  public let unattended: [ConnectionID]
  public let givenAt: Timestamp

  public init(
    account: AccountID, client: ClientID, scope: Scope, connections: [ConnectionID], unattended: [ConnectionID] = [],
    givenAt: Timestamp
  ) {
    self.account = account
    self.client = client
    self.scope = scope
    self.connections = connections
    self.unattended = unattended.filter(connections.contains)
    self.givenAt = givenAt
  }

  /// Whether the client may use `connection` for the person: as a service that they chose, or as it stands behind the
  /// ArcGIS portal of the connection `portal`.
  public func allows(_ connection: ConnectionID, through portal: ConnectionID?) -> Bool {
    guard let portal else { return scope.contains(Scope.vend) && connections.contains(connection) }
    return scope.arcGISConnections.contains(portal)
  }

  /// The same without a connection, as a service and as a portal.
  public func without(_ connection: ConnectionID) -> Consent {
    Consent(
      account: account, client: client, scope: scope.subtracting(.arcGIS(connection)),
      connections: connections.filter { $0 != connection }, unattended: unattended, givenAt: givenAt)
  }

  /// Whether the person agreed to everything that `request` asks, so that no page is needed.
  public func covers(_ request: AuthorizationRequest) -> Bool { request.scope.isWithin(scope) }

  /// Whether `request` asks for more than the person agreed to, and for that alone; not where the app wants them to
  /// decide again.
  public func isExtended(by request: AuthorizationRequest) -> Bool {
    !scope.words.isEmpty && !covers(request) && !(request.prompt?.asksConsent ?? false)
  }
}
