/// The network that an address belongs to, as far as guessing and fairness care: the IPv4 address itself, or the /48 of
/// an IPv6 address.
func network(of address: String) -> String {
  guard address.contains(":") else { return address }
  let groups = address.split(separator: ":", omittingEmptySubsequences: false)
  return groups.prefix(3).joined(separator: ":") + "::/48"
}
