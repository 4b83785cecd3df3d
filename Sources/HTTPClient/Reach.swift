public import HTTP

/// Where an outbound request may go; what is not allowed here is refused before anything is sent.
///
/// The default is any public address over https, port 443 or 8443. Everything wider is an administrator's decision
/// and must never be made of what a client sent.
public struct Reach: Sendable, Hashable {
  /// One host and port, declared by an administrator.
  public struct Endpoint: Sendable, Hashable {
    public let host: String
    public let port: Int

    /// Takes a name (compared without case) or an address, with or without brackets.
    public init(host: String, port: Int) {
      let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
      self.host = IPAddress(bare)?.description ?? bare.lowercased()
      self.port = port
    }

    /// The one that `url` asks.
    init(of url: OutboundURL) {
      host = url.host
      port = url.port
    }
  }

  /// Hosts that may be asked on a port besides the usual ones; an address named here may be dialled whatever it is.
  ///
  /// A name here opens its port only, not private addresses: who controls the name's DNS would choose the address.
  public var endpoints: Set<Endpoint>
  /// Networks that may be dialled although their addresses are not public.
  ///
  /// Loopback, link-local and metadata addresses are opened only by a network that lies within their own range;
  /// unspecified, multicast, broadcast and embedded ones by none.
  public var networks: [AddressRange]
  /// Whether plain `http` may be spoken.
  public var allowsHTTP: Bool

  public init(endpoints: Set<Endpoint> = [], networks: [AddressRange] = [], allowsHTTP: Bool = false) {
    self.endpoints = endpoints
    self.networks = networks
    self.allowsHTTP = allowsHTTP
  }

  /// Public addresses over https only.
  public static let publicHTTPS = Reach()
}
