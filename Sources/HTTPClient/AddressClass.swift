public import HTTP

/// What a special-purpose address is for (IANA special-purpose registries, RFC 6890).
public enum AddressClass: String, Sendable, CaseIterable {
  /// Globally routed unicast: the only class that may be dialled without being asked for.
  case `public`
  /// `0.0.0.0/8` and `::`: "this host"; Linux connects it to itself.
  case unspecified
  /// `127.0.0.0/8` and `::1`.
  case loopback
  /// RFC 1918, unique local `fc00::/7` (RFC 4193) and the former site-local `fec0::/10`.
  case `private`
  /// `100.64.0.0/10`, carrier-grade NAT (RFC 6598).
  case shared
  /// `169.254.0.0/16` and `fe80::/10`, where most clouds also answer with machine credentials.
  case linkLocal
  /// A cloud's metadata or platform address outside the link-local ranges.
  case metadata
  case multicast
  /// `255.255.255.255`.
  case broadcast
  /// Documentation, benchmarking, protocol assignments, future use, and IPv6 outside `2000::/3`.
  case reserved
  /// An IPv6 form that carries an IPv4 address over a transition mechanism: 6to4, Teredo, IPv4-compatible, or NAT64
  /// of anything but a public address.
  case embedded

  /// The class of an address; IPv4-mapped IPv6 counts as the IPv4 address that it is.
  public init(of address: IPAddress) {
    let address = address.unmapped
    if Self.nat64.contains(address) {
      let inner = Self(of: IPAddress(v4: UInt32(truncatingIfNeeded: address.bits)))
      self = inner == .public ? .public : .embedded
      return
    }
    self = Self.table.first { $0.range.contains(address) }?.class ?? (address.family == .v4 ? .public : .reserved)
  }

  /// Whether an allowed network must lie wholly inside the class's own range to open it.
  ///
  /// Loopback and metadata hand out what belongs to the machine itself, so a generous `0.0.0.0/0` must not reach them.
  var isGuarded: Bool { self == .loopback || self == .linkLocal || self == .metadata }

  /// Whether nothing opens the class: such an address is never one server, or hides which one it is.
  var isClosed: Bool { self == .unspecified || self == .multicast || self == .broadcast || self == .embedded }

  /// The ranges of the class in the table.
  var ranges: [AddressRange] { Self.table.filter { $0.class == self }.map(\.range) }

  /// The well-known prefix under which DNS64 shows IPv4-only hosts to IPv6-only networks (RFC 6052 §2.1).
  private static let nat64 = range("64:ff9b::/96")

  /// The first range that holds the address decides.
  private static let table = plan.map { (range: range($0.text), class: $0.class) }

  private static let plan: [(text: String, class: AddressClass)] = [
    ("168.63.129.16/32", .metadata), ("100.100.100.200/32", .metadata), ("192.0.0.192/32", .metadata),
    ("0.0.0.0/8", .unspecified), ("10.0.0.0/8", .private), ("100.64.0.0/10", .shared), ("127.0.0.0/8", .loopback),
    ("169.254.0.0/16", .linkLocal), ("172.16.0.0/12", .private), ("192.0.0.0/24", .reserved),
    ("192.0.2.0/24", .reserved), ("192.88.99.0/24", .reserved), ("192.168.0.0/16", .private),
    ("198.18.0.0/15", .reserved), ("198.51.100.0/24", .reserved), ("203.0.113.0/24", .reserved),
    ("224.0.0.0/4", .multicast), ("255.255.255.255/32", .broadcast), ("240.0.0.0/4", .reserved),
    ("::/128", .unspecified), ("::1/128", .loopback), ("::/96", .embedded), ("fd00:ec2::254/128", .metadata),
    ("fd20:ce::254/128", .metadata), ("fc00::/7", .private), ("fec0::/10", .private), ("fe80::/10", .linkLocal),
    ("ff00::/8", .multicast), ("2001::/32", .embedded), ("2001::/23", .reserved), ("2001:db8::/32", .reserved),
    ("2002::/16", .embedded), ("3fff::/20", .reserved), ("2000::/3", .public),
  ]

  /// A range of the table: one that does not parse is a fault of the program and must not silently open a hole.
  private static func range(_ text: String) -> AddressRange {
    guard let range = AddressRange(text) else { preconditionFailure("malformed range in the address table") }
    return range
  }
}
