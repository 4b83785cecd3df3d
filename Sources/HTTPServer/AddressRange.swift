/// All addresses that begin with the same bits (RFC 4632 §3.1), for example the network of a proxy.
public struct AddressRange: Sendable, Hashable {
  private let base: IPAddress
  /// How many of the 128 bits are fixed; for IPv4 the 96 bits of the mapping are counted too.
  private let prefix: Int

  /// Parses `10.0.0.0/8`, `fd00::/8`, or a single address.
  ///
  /// - Throws: ``ServerFailure/configuration(_:)`` for anything else, also for bits beyond the prefix (`10.1.0.0/8`).
  public init(_ text: String) throws(ServerFailure) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let base = IPAddress(String(first)) else {
      throw .configuration("\"\(text)\" is no address range; write one like 10.0.0.0/8 or fd00::/8")
    }
    let width = base.isVersion4 ? 32 : 128
    let length = parts.count == 1 ? width : Int(parts[1])
    guard let length, (0...width).contains(length) else {
      throw .configuration("\"\(text)\": what follows the slash must be a number from 0 to \(width)")
    }
    self.base = base
    prefix = length + 128 - width
    guard Self.cut(base, to: prefix) == base else {
      throw .configuration("\"\(text)\" has bits beyond its prefix; write \(Self.cut(base, to: prefix).text)/\(length)")
    }
  }

  /// Whether `address` belongs to the range.
  public func contains(_ address: IPAddress) -> Bool { Self.cut(address, to: prefix) == base }

  private static func cut(_ address: IPAddress, to prefix: Int) -> IPAddress {
    IPAddress(
      high: address.high & ~UInt64.max.shifted(by: min(prefix, 64)),
      low: address.low & ~UInt64.max.shifted(by: max(prefix - 64, 0)))
  }
}

extension UInt64 {
  /// Shifts to the right; by 64 it leaves nothing.
  fileprivate func shifted(by count: Int) -> UInt64 { self >> UInt64(count) }
}
