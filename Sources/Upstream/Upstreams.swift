public import Domain
public import HTTPClient

/// Every kind of upstream, ready to use.
public struct Upstreams: Sendable {
  /// People of ArcGIS portals, with what only portals have: tokens of federated servers.
  public let portals: OAuthUser
  /// People of OpenID providers.
  public let providers: OIDC
  /// Finds out what a URL demands.
  public let probe: Probe

  public init(client: OutboundClient) {
    let dialer = Dialer(client: client)
    probe = Probe(client: client)
    portals = OAuthUser(dialer: dialer)
    providers = OIDC(dialer: dialer, providers: ProviderDirectory(dialer: dialer))
  }

  /// The kind that knows how to deal with `connection`.
  public func kind(of connection: Connection) -> any UpstreamKind {
    switch connection.kind {
    case .oauthUser: portals
    case .oidc: providers
    }
  }
}
