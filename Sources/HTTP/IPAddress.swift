/// An IPv4 or IPv6 address, without zone and port.
public struct IPAddress: Sendable, Hashable, LosslessStringConvertible {
  /// Which of the two kinds.
  public enum Family: Sendable, Hashable {
    case v4
    case v6
  }

  public let family: Family
  /// The number that the address is: 32 bits for IPv4, 128 for IPv6.
  public let bits: UInt128

  public init(v4 bits: UInt32) {
    family = .v4
    self.bits = UInt128(bits)
  }

  public init(v6 bits: UInt128) {
    family = .v6
    self.bits = bits
  }

  /// The address in `bytes`, in network order: 4 for IPv4, 16 for IPv6, else `nil`.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    family = bytes.count == 4 ? .v4 : .v6
    bits = bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Reads the one plain form of each family: four decimal numbers, or RFC 4291 §2.2 without brackets and zone.
  ///
  /// Short, octal, hexadecimal and single-number IPv4 forms (`127.1`, `0x7f.1`, `2130706433`) are no addresses here.
  public init?(_ text: String) {
    if text.utf8.contains(UInt8(ascii: ":")) {
      guard let groups = Self.groups(of: text[...]) else { return nil }
      self.init(v6: groups.reduce(0) { $0 << 16 | UInt128($1) })
    } else {
      guard let number = Self.version4(text[...]) else { return nil }
      self.init(v4: number)
    }
  }

  /// The same address, an IPv4 one written inside IPv6 (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) made IPv4 again.
  public var unmapped: IPAddress {
    family == .v6 && bits >> 32 == 0xFFFF ? IPAddress(v4: UInt32(truncatingIfNeeded: bits)) : self
  }

  /// The first address of those that share the first `length` bits with this one.
  public func network(of length: Int) -> IPAddress {
    let rest = (family == .v4 ? 32 : 128) - length
    let kept = rest >= 128 ? 0 : (bits >> rest) << rest
    return family == .v4 ? IPAddress(v4: UInt32(truncatingIfNeeded: kept)) : IPAddress(v6: kept)
  }

  /// Whether the address is of this machine alone: `127.0.0.0/8` or `::1`.
  public var isLoopback: Bool { family == .v4 ? bits >> 24 == 127 : bits == 1 }
}

// MARK: - Text

extension IPAddress {
  /// The usual spelling (RFC 5952): lower case, no leading zeros, the longest run of zeros as `::`.
  public var description: String {
    if family == .v4 { return Self.dotted(bits) }
    if bits >> 32 == 0xFFFF { return "::ffff:" + Self.dotted(bits) }
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)) }
    let zeros = Self.longestZeros(in: groups)
    guard zeros.count > 1 else { return Self.joined(groups[...]) }
    return "\(Self.joined(groups[..<zeros.lowerBound]))::\(Self.joined(groups[zeros.upperBound...]))"
  }

  private static func dotted(_ bits: UInt128) -> String {
    [24, 16, 8, 0].map { String(bits >> $0 & 0xFF) }.joined(separator: ".")
  }

  private static func joined(_ groups: ArraySlice<UInt16>) -> String {
    groups.map { String($0, radix: 16) }.joined(separator: ":")
  }

  private static func longestZeros(in groups: [UInt16]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index + 1 } else if index + 1 - start > longest.count { longest = start..<index + 1 }
    }
    return longest
  }

  /// Four decimal numbers 0…255 without leading zeros.
  private static func version4(_ text: Substring) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(isDigit), part.utf8.count == 1 || part.first != "0",
        let number = UInt8(part)
      else { return nil }
      bits = bits << 8 | UInt32(number)
    }
    return bits
  }

  /// The eight groups of an IPv6 address.
  private static func groups(of text: Substring) -> [UInt16]? {
    guard let gap = text.firstRange(of: "::") else {
      guard let all = run(text, isLast: true), all.count == 8 else { return nil }
      return all
    }
    guard let head = run(text[..<gap.lowerBound], isLast: false), let tail = run(text[gap.upperBound...], isLast: true),
      head.count + tail.count < 8
    else { return nil }
    return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  /// Groups between colons; the last ones may be written as an IPv4 address.
  private static func run(_ text: Substring, isLast: Bool) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if isLast, index == parts.count - 1, let number = version4(part) {
        groups += [UInt16(truncatingIfNeeded: number >> 16), UInt16(truncatingIfNeeded: number)]
        continue
      }
      guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ hexValue($0) != nil }),
        let group = UInt16(part, radix: 16)
      else { return nil }
      groups.append(group)
    }
    return groups
  }
}
