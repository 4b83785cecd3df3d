import HTTP

extension [String] {
  /// Whether one of these networks, in CIDR form, holds `address`; none holds what is no address.
  func holdNetwork(of address: String) -> Bool {
    guard let address = IPAddress(address)?.unmapped else { return false }
    return contains { AddressRange($0)?.contains(address) ?? false }
  }
}
