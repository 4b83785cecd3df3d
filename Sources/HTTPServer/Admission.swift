import HTTP
import Synchronization

/// Counts the open connections of all loops, and says who may open another one.
final class Admission: Sendable {
  private struct Counts {
    var total = 0
    var perNetwork: [IPAddress: Int] = [:]
  }

  private let limits: Limits
  private let trustedProxies: [AddressRange]
  private let counts = Mutex(Counts())

  init(limits: Limits, trustedProxies: [AddressRange]) {
    self.limits = limits
    self.trustedProxies = trustedProxies
  }

  /// How many connections are open.
  var total: Int { counts.withLock(\.total) }

  /// Whether what `address` forwards about its clients is believed.
  func trusts(_ address: IPAddress) -> Bool { trustedProxies.contains { $0.contains(address) } }

  /// Counts a connection in, unless a limit is reached; whoever is admitted must ``leave(_:)``.
  func admits(_ address: IPAddress) -> Bool {
    let network = countedNetwork(of: address)
    return counts.withLock { counts in
      guard counts.total < limits.connections else { return false }
      if let network {
        guard counts.perNetwork[network, default: 0] < limits.connectionsPerAddress else { return false }
        counts.perNetwork[network, default: 0] += 1
      }
      counts.total += 1
      return true
    }
  }

  func leave(_ address: IPAddress) {
    let network = countedNetwork(of: address)
    counts.withLock { counts in
      counts.total -= 1
      guard let network, let count = counts.perNetwork[network] else { return }
      counts.perNetwork[network] = count > 1 ? count - 1 : nil
    }
  }

  /// One household or machine has a whole IPv6 /64, so that is counted as one address; `nil` for the exempt.
  private func countedNetwork(of address: IPAddress) -> IPAddress? {
    if address.isLoopback || trusts(address) { return nil }
    return address.family == .v4 ? address : address.network(of: 64)
  }
}
