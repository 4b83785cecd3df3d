import HTTP

/// The SSRF guard: which URL may be asked and which address dialled for it (OWASP ASVS 13.2.4; pure).
struct AddressPolicy {
  let reach: Reach
  let url: OutboundURL
  /// Whether an administrator named the URL's host and port.
  private let isDeclared: Bool

  init(reach: Reach, url: OutboundURL) {
    self.reach = reach
    self.url = url
    isDeclared = reach.endpoints.contains(Reach.Endpoint(of: url))
  }

  /// Why the URL must not be asked, decided before its name is looked up; `nil` when it may be.
  func refusalOfURL() -> PolicyRefusal? {
    if url.scheme == .http && !reach.allowsHTTP { return .plainHTTP }
    let usual = url.scheme == .https ? [443, 8443] : [80]
    if !usual.contains(url.port) && !isDeclared { return .port(url.port) }
    return url.address.flatMap { refusal(of: $0, port: url.port) }
  }

  /// Why `address` must not be dialled for the URL, or `nil` when it may be.
  ///
  /// Asked about the very address that is about to be connected, so that what DNS said earlier does not matter.
  func refusal(of address: IPAddress, port: Int) -> PolicyRefusal? {
    guard port == url.port else { return .port(port) }
    let plain = address.unmapped
    let kind = AddressClass(of: plain)
    if kind == .public { return nil }
    let isNamed = isDeclared && url.address?.unmapped == plain
    if !kind.isClosed && (isNamed || isOpened(plain, kind)) { return nil }
    return .address(address, kind)
  }

  private func isOpened(_ address: IPAddress, _ kind: AddressClass) -> Bool {
    reach.networks.contains { network in
      network.contains(address) && (!kind.isGuarded || kind.ranges.contains { $0.contains(network) })
    }
  }
}
