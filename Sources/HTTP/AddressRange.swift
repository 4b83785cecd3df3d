/// A range of addresses with a common prefix, such as `10.0.0.0/8` or `fd00::/8` (RFC 4632, RFC 4291 §2.3).
public struct AddressRange: Sendable, Hashable, LosslessStringConvertible {
  public let base: IPAddress
  /// The number of leading bits that all addresses share: 0…32 or 0…128.
  public let length: Int

  /// Reads `address/length`; `nil` when a part is missing or malformed, or bits after the prefix are set.
  ///
  /// `10.1.2.3/8` is refused rather than read as `10.0.0.0/8`: it is more often a slip than an intention.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let base = IPAddress(String(parts[0])) else { return nil }
    let digits = parts[1].utf8
    guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let length = Int(parts[1]), String(length) == parts[1]
    else { return nil }
    self.init(base, length)
  }

  /// `nil` for a length that the family has not, or when bits after the prefix are set.
  public init?(_ base: IPAddress, _ length: Int) {
    self.base = base
    self.length = length
    guard (0...width).contains(length), base.network(of: length) == base else { return nil }
  }

  public var description: String { "\(base)/\(length)" }

  /// Whether `address` lies in the range; never across families, so `0.0.0.0/0` holds no IPv6 address.
  public func contains(_ address: IPAddress) -> Bool {
    address.family == base.family && address.network(of: length) == base
  }

  /// Whether every address of `other` lies in this range.
  public func contains(_ other: AddressRange) -> Bool { other.length >= length && contains(other.base) }

  private var width: Int { base.family == .v4 ? 32 : 128 }
}
