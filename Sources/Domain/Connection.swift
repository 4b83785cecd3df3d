/// The short name of a connection, as it stands in paths: `maps` in `/signin/maps`.
public struct ConnectionID: Sendable, Hashable, CustomStringConvertible {
  public let text: String

  /// Takes 1 to 40 of `a-z 0-9 -`, beginning with a letter, so that it can be a path segment everywhere.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, (0x61...0x7A).contains(first), bytes.count <= 40 else { return nil }
    guard bytes.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }) else {
      return nil
    }
    self.text = text
  }

  public var description: String { text }
}

/// A configured upstream: its kind, our registration there, and the resources it covers.
///
/// The client secret is not here: it stays sealed in the store until a flow needs it.
public struct Connection: Sendable, Equatable {
  /// The credential kinds, by the names of the product.
  public enum Kind: String, Sendable, CaseIterable {
    case oauthUser
    case oidc
    /// ArcGIS `generateToken` with the person's own user name and password.
    case token
    /// An ArcGIS token that the person had made elsewhere.
    case pregeneratedToken
    /// ArcGIS app authentication: a token of the service's own, got with the client id and secret.
    case oauthApplication
    /// An ArcGIS API key, which an administrator typed in.
    case apiKey
    /// Microsoft Entra Application Proxy, in front of other services.
    case iap
    /// A web server that asks for the person's user name and password: Basic, Digest or NTLM.
    case password
    /// A web server that asks for Kerberos, with a ticket that the person's password or keytab gets.
    case kerberos
    /// A client certificate, which is shown in the TLS handshake.
    case certificate

    /// Whether a refresh may use up the refresh token, so that a lost answer may have taken the new one with it.
    ///
    /// An ArcGIS portal's `refresh_token` grant leaves the token as it is.
    public var rotatesRefreshTokens: Bool { self == .oidc }

    /// Whether people connect it by filling in a form here instead of signing in at the upstream's own page.
    ///
    /// Nobody signs in to Gatehouse with such a connection: what is typed proves nothing about the browser it came from.
    public var connectsByForm: Bool { self == .token || self == .pregeneratedToken || isNetwork }

    /// Why its credential leaves in no answer, if it lets requests through the network in front of a server.
    public var networkReason: ProxyReason? {
      switch self {
      case .password: .password
      case .kerberos: .kerberos
      case .certificate: .certificate
      default: nil
      }
    }

    public var isNetwork: Bool { networkReason != nil }

    /// Whether the credential is the service's own: one for all, which no person has to connect.
    public var isServiceOwned: Bool { self == .oauthApplication || self == .apiKey }

    /// Whether it is made elsewhere for months, so that getting the next one takes its time.
    public var isLongLived: Bool { self == .apiKey || self == .certificate }

    /// Whether people connect it, and sign in with it, at the upstream's own page.
    public var connectsInBrowser: Bool { !connectsByForm && !isServiceOwned }

    /// Whether the upstream knows us by a client id.
    public var hasRegistration: Bool { !connectsByForm && self != .apiKey }

    /// Whether the upstream can be told to cancel a token; if not, tokens work until they expire.
    public var canRevoke: Bool { connectsInBrowser && self != .iap }

    /// Whether its tokens are an ArcGIS portal's, which gives others for its federated servers.
    public var isPortal: Bool { ![.oidc, .iap, .apiKey].contains(self) && !isNetwork }

    /// Whether Gatehouse's own calls to its portal pass what stands in front of that with what the person holds for it.
    public var passesLayers: Bool { isPortal && !isServiceOwned }
  }

  public let id: ConnectionID
  public var name: String
  public let kind: Kind
  /// The portal's root (`https://host/portal`) for `oauthUser`, that or a stand-alone server's root for `token`, the
  /// issuer for `oidc` (of a provider without discovery, the origin of its authorization endpoint unless it has one) and
  /// for `iap`, an address that asks for the credential for kinds that open a network; as normalised when saved.
  public var origin: String
  /// Our client id at the upstream; empty for kinds that connect by a form.
  public var clientID: String
  public var hasClientSecret: Bool
  public var resources: [ResourcePattern]
  public var reach: Reach
  public var admission: Admission
  /// Who ``Admission/listed`` admits: a portal's user names; a provider's subjects or verified e-mail addresses.
  public var admitted: [String]
  public var isDisabled: Bool
  /// In days; how long a person's credential is kept at most, whatever they wish; `nil` for no such limit.
  public var longestKeptDays: Int64?
  public var portal: PortalOptions
  public var provider = ProviderOptions()
  public var scopes: [String]
  /// Of the kind `iap`, and there always.
  public var iap: IAPOptions?
  /// Of the kinds that open a network.
  public var network: NetworkOptions?
  /// Servers that are trusted by their keys alone.
  public var trustedKeys: [TrustedKey] = []
  /// Rises with every change of ``origin`` or ``clientID``; credentials are sealed for one revision, so whoever changes
  /// the endpoints orphans the credentials instead of receiving them.
  public var revision: Int64
  public let createdAt: Timestamp

  public init(id: ConnectionID, name: String, kind: Kind, origin: String, clientID: String, createdAt: Timestamp) {
    self.id = id
    self.name = name
    self.kind = kind
    self.origin = origin
    self.clientID = clientID
    self.createdAt = createdAt
    hasClientSecret = false
    resources = []
    reach = Reach()
    admission = .invited
    admitted = []
    isDisabled = false
    portal = PortalOptions()
    scopes = []
    revision = 1
  }
}

extension Connection {
  /// The upstream's host, as people see it.
  public var host: String { ResourceURL(origin)?.host ?? origin }
}

/// What an administrator lets the service dial for a connection beyond public https addresses.
public struct Reach: Sendable, Equatable {
  /// Exact `host:port` pairs that may be dialled whatever their address and scheme.
  public var hosts: [String]
  /// Networks in CIDR form whose addresses may be dialled.
  public var networks: [String]
  public var allowsHTTP: Bool

  public init(hosts: [String] = [], networks: [String] = [], allowsHTTP: Bool = false) {
    self.hosts = hosts
    self.networks = networks
    self.allowsHTTP = allowsHTTP
  }
}

/// How people sign in to an ArcGIS portal.
public struct PortalOptions: Sendable, Equatable {
  /// Asked lifetime of refresh tokens in minutes; `nil` is the portal's default, -1 its maximum.
  public var refreshTokenMinutes: Int64?
  /// The refresh token is exchanged for a new one when it has fewer seconds left than this.
  public var exchangeBelowSeconds: Int64
  /// Asked lifetime of a federated server's token, in minutes.
  public var federatedTokenMinutes: Int64
  public var locale: String?
  /// `light`, `dark` or `nil`.
  public var style: String?
  /// Whether the portal asks for the password although its own cookie would do.
  public var forcesLogin: Bool
  /// Asked lifetime of a token that is made with a password, or for an application, in minutes.
  public var tokenMinutes: Int64 = TypedLogin.defaultTokenMinutes
  /// Where a stand-alone ArcGIS Server makes tokens, as it said itself; `nil` for a portal, whose place is known.
  public var tokenURL: String?
  /// The client of apps that name none of ours; see ``Connection/appPasswordClient``.
  public var appPasswordClient: ClientID?

  public init(
    refreshTokenMinutes: Int64? = nil, exchangeBelowSeconds: Int64 = 24 * 60 * 60, federatedTokenMinutes: Int64 = 60,
    locale: String? = nil, style: String? = nil, forcesLogin: Bool = false
  ) {
    self.refreshTokenMinutes = refreshTokenMinutes
    self.exchangeBelowSeconds = exchangeBelowSeconds
    self.federatedTokenMinutes = federatedTokenMinutes
    self.locale = locale
    self.style = style
    self.forcesLogin = forcesLogin
  }
}
