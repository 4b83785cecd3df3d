internal import HTTP
internal import HTTPClient

/// An address that was registered for a client app, and that Gatehouse itself calls.
public struct ClientAddress: Sendable, Hashable {
  public let url: String
  /// Whether an administrator answers for it, and not the app alone.
  public let isTrusted: Bool

  public init(_ url: String, isTrusted: Bool) {
    self.url = url
    self.isTrusted = isTrusted
  }
}

/// Where the addresses of client apps may lead, beyond public hosts.
struct ClientReach: Sendable {
  private static let ownMachine = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }

  /// The organisation's own networks, which an administrator opened.
  let networks: [AddressRange]

  /// How far a call may go for the sake of `address`.
  ///
  /// Where an administrator named it, its port is open, so are the organisation's networks, and this machine is reached by
  /// the names that only mean itself. An app that registered itself names public hosts, or what it named is refused.
  func reach(of url: OutboundURL, for address: ClientAddress) -> Reach {
    guard address.isTrusted else { return .publicHTTPS }
    let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost") || url.address?.isLoopback == true
    // Declaring an address would open it whatever it is.
    let isOpen = url.address.map { address in isLocal || networks.contains { $0.contains(address) } } ?? true
    guard isOpen else { return .publicHTTPS }
    return Reach(
      endpoints: [Reach.Endpoint(host: url.host, port: url.port)],
      networks: isLocal ? Self.ownMachine : networks, allowsHTTP: isLocal)
  }
}
