public import Crypto
public import Domain
public import HTTP
public import HTTPClient
import Kerberos

/// Every kind of upstream, ready to use.
public struct Upstreams: Sendable {
  /// People of ArcGIS portals, with what only portals have: tokens of federated servers.
  public let portals: OAuthUser
  /// People of OpenID providers.
  public let providers: OIDC
  /// People of plain OAuth 2 providers, whose endpoints an administrator typed.
  public let oauthProviders: OAuthProvider
  /// Finds out what a URL demands.
  public let probe: Probe
  /// Looks at what certificates servers show.
  public let trust: ServerTrust
  /// People of ArcGIS portals and stand-alone servers, by user name and password.
  public let generatedTokens: GenerateToken
  /// People of ArcGIS portals, by a token that was made elsewhere.
  public let pregeneratedTokens: PregeneratedToken
  /// People whose hosts stand behind Microsoft Entra Application Proxy.
  public let proxies: IAP

  /// People of web servers that ask for a user name and password.
  public let logins: NetworkLogin

  /// People of web servers that ask for Kerberos.
  public let kerberosLogins: KerberosLogin

  /// People of servers that ask for a client certificate.
  public let certificates: CertificateKind

  /// Applications of ArcGIS portals, which act for no person.
  public let applications: OAuthApplication
  /// ArcGIS services, by an API key.
  public let keys: APIKey
  /// The keys that client apps publish.
  public let clientKeys: ClientKeyDirectory
  /// Passes requests of apps on.
  public let forwarder: Forwarder
  /// Tells client apps what they want to know.
  public let clients: ClientNotice

  private let outbound: [OutboundClient]
  private let tickets: KerberosTickets

  /// Passes requests of apps on by `proxy`, where they must not hold up sign-ins and refreshes.
  ///
  /// `clientNetworks` are networks of the organisation in which apps may have their own addresses.
  public init(
    client: OutboundClient, proxy: OutboundClient? = nil, certificateFiles: PKCS12Reader? = nil,
    clientNetworks: [AddressRange] = []
  ) {
    forwarder = Forwarder(client: proxy ?? client)
    let reach = ClientReach(networks: clientNetworks)
    clients = ClientNotice(client: client, reach: reach)
    outbound = [client] + (proxy.map { [$0] } ?? [])
    let dialer = Dialer(client: client)
    logins = NetworkLogin(dialer: dialer)
    tickets = KerberosTickets()
    kerberosLogins = KerberosLogin(dialer: dialer, tickets: tickets)
    certificates = CertificateKind(client: client, reader: certificateFiles)
    clientKeys = ClientKeyDirectory(client: client, reach: reach)
    probe = Probe(client: client)
    trust = ServerTrust(client: client)
    portals = OAuthUser(dialer: dialer)
    applications = OAuthApplication(portals: portals)
    generatedTokens = GenerateToken(dialer: dialer)
    keys = APIKey(generated: generatedTokens)
    pregeneratedTokens = PregeneratedToken(generated: generatedTokens)
    let directory = ProviderDirectory(dialer: dialer)
    oauthProviders = OAuthProvider(dialer: dialer)
    providers = OIDC(dialer: dialer, providers: directory)
    proxies = IAP(dialer: dialer, providers: directory)
  }

  /// Checks a draft against the live upstream; a portal behind a layer shows itself to nobody unknown, so that of it only
  /// the layer is seen.
  public func inspect(
    _ draft: Connection, behind layers: LayersInFront
  ) async throws(UpstreamFailure) -> Connection {
    var (portals, generated) = (portals, generatedTokens)
    portals.layers = draft.kind.passesLayers ? layers : .impassable
    generated.layers = portals.layers
    return switch draft.kind {
    case .oauthUser: try await portals.inspect(draft)
    case .oauthApplication: try await OAuthApplication(portals: portals).inspect(draft)
    case .token: try await generated.inspect(draft)
    case .pregeneratedToken: try await PregeneratedToken(generated: generated).inspect(draft)
    case .apiKey: try await APIKey(generated: generated).inspect(draft)
    default: try await kind(of: draft).inspect(draft)
    }
  }

  /// The kind that knows how to deal with `connection`.
  public func kind(of connection: Connection) -> any CredentialKind {
    switch connection.kind {
    case .oauthUser: portals
    case .oidc where connection.provider.endpoints != nil: oauthProviders
    case .oidc: providers
    case .token: generatedTokens
    case .pregeneratedToken: pregeneratedTokens
    case .oauthApplication: applications
    case .apiKey: keys
    case .iap: proxies
    case .password: logins
    case .kerberos: kerberosLogins
    case .certificate: certificates
    }
  }

  /// The kind of a connection that people sign in to at its own page.
  public func browserKind(of connection: Connection) throws(UpstreamFailure) -> any UpstreamKind {
    guard let kind = kind(of: connection) as? any UpstreamKind else {
      throw .misconfigured("\(connection.name) has no sign-in page.")
    }
    return kind
  }

  /// The kind of a connection that people connect by a form.
  public func formKind(of connection: Connection) throws(UpstreamFailure) -> any FormKind {
    guard let kind = kind(of: connection) as? any FormKind else {
      throw .misconfigured("\(connection.name) is not connected by a form.")
    }
    return kind
  }

  /// The kind of a connection whose credential leaves in no answer; `nil` for the others.
  public func networkKind(of connection: Connection) -> (any NetworkKind)? { kind(of: connection) as? any NetworkKind }

  /// Closes the connections that were opened with a network credential, those in use when their request ends, and
  /// destroys its tickets.
  public func closeConnections(of credential: CredentialID) {
    tickets.forget(credential.text)
    for client in outbound { client.closeConnections(of: credential.text) }
  }

  /// The kind of a connection whose credential is the service's own.
  public func serviceKind(of connection: Connection) throws(UpstreamFailure) -> any ServiceKind {
    guard let kind = kind(of: connection) as? any ServiceKind else {
      throw .misconfigured("\(connection.name) has no credential of the service's own.")
    }
    return kind
  }
}
