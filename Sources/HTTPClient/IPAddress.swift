import Glibc

/// An IPv4 or IPv6 address, without zone and port.
public struct IPAddress: Sendable, Hashable, LosslessStringConvertible {
  /// Which of the two kinds.
  public enum Family: Sendable, Hashable {
    case v4
    case v6
  }

  public let family: Family
  /// The number that the address is: 32 bits for IPv4, 128 for IPv6.
  let bits: UInt128

  init(v4 bits: UInt32) {
    family = .v4
    self.bits = UInt128(bits)
  }

  init(v6 bits: UInt128) {
    family = .v6
    self.bits = bits
  }

  /// The address in `bytes`, in network order: 4 for IPv4, 16 for IPv6, else `nil`.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    family = bytes.count == 4 ? .v4 : .v6
    bits = bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Reads the one plain form of each family: four decimal numbers, or RFC 4291 §2.2 without brackets and zone.
  ///
  /// Short, octal, hexadecimal and single-number IPv4 forms (`127.1`, `0x7f.1`, `2130706433`) are no addresses here.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let isV6 = text.utf8.contains(UInt8(ascii: ":"))
    var bytes = [UInt8](repeating: 0, count: isV6 ? 16 : 4)
    guard unsafe inet_pton(isV6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
    self.init(bytes: bytes)
  }

  public var description: String {
    let count = family == .v4 ? 4 : 16
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * (count - 1 - $0))) }
    var text = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let written = unsafe text.withUnsafeMutableBytes { out in
      unsafe inet_ntop(
        family == .v4 ? AF_INET : AF_INET6, bytes, out.bindMemory(to: CChar.self).baseAddress, UInt32(out.count)) != nil
    }
    return written ? String(decoding: text.prefix { $0 != 0 }, as: UTF8.self) : ""
  }

  /// The same address, an IPv4 one written inside IPv6 (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) made IPv4 again.
  public var unmapped: IPAddress {
    family == .v6 && bits >> 32 == 0xFFFF ? IPAddress(v4: UInt32(truncatingIfNeeded: bits)) : self
  }
}
