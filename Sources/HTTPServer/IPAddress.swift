import Glibc

/// An IPv4 or IPv6 address; an IPv4-mapped IPv6 address equals the IPv4 one (RFC 4291 §2.5.5.2).
public struct IPAddress: Sendable, Hashable {
  /// The first and the last 8 bytes in network order; IPv4 stands as `::ffff:a.b.c.d`.
  let high: UInt64
  let low: UInt64

  private static let mappedPrefix: UInt64 = 0xFFFF

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(version4 bits: UInt32) { self.init(high: 0, low: Self.mappedPrefix << 32 | UInt64(bits)) }

  /// Parses `192.0.2.1` or `2001:db8::1`, without brackets, port or zone; `nil` for anything else.
  public init?(_ text: String) {
    var version4 = in_addr()
    if unsafe inet_pton(AF_INET, text, &version4) == 1 {
      self.init(version4: UInt32(bigEndian: version4.s_addr))
      return
    }
    var version6 = in6_addr()
    guard unsafe inet_pton(AF_INET6, text, &version6) == 1 else { return nil }
    self.init(version6)
  }

  init(_ address: in6_addr) {
    let (high, low) = unsafe withUnsafeBytes(of: address) {
      unsafe ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }

  public var isVersion4: Bool { high == 0 && low >> 32 == Self.mappedPrefix }

  /// Whether the address is of this machine alone: `127.0.0.0/8` or `::1`.
  public var isLoopback: Bool { isVersion4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

  /// The address in its usual spelling, for example `192.0.2.1` (RFC 5952).
  public var text: String {
    if isVersion4 { return [24, 16, 8, 0].map { String(low >> $0 & 0xFF) }.joined(separator: ".") }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var address = bytes
    guard unsafe inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private var bytes: in6_addr {
    var address = in6_addr()
    unsafe withUnsafeMutableBytes(of: &address) {
      unsafe $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }

  /// Calls `body` with the address and `port` as the socket functions want them.
  func withSocketAddress<T>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
    var storage = sockaddr_storage()
    let length = isVersion4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    return unsafe withUnsafeMutableBytes(of: &storage) { raw in
      if isVersion4 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(truncatingIfNeeded: low).bigEndian
        unsafe raw.storeBytes(of: address, as: sockaddr_in.self)
      } else {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = bytes
        unsafe raw.storeBytes(of: address, as: sockaddr_in6.self)
      }
      return unsafe raw.withMemoryRebound(to: sockaddr.self) { rebound in
        guard let start = rebound.baseAddress else { preconditionFailure("storage has no address") }
        return unsafe body(start, socklen_t(length))
      }
    }
  }

  /// Reads what the socket functions give, with its port; `nil` for another family.
  static func parse(_ storage: sockaddr_storage) -> (address: IPAddress, port: UInt16)? {
    unsafe withUnsafeBytes(of: storage) { raw in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = unsafe raw.load(as: sockaddr_in.self)
        return (IPAddress(version4: UInt32(bigEndian: address.sin_addr.s_addr)), UInt16(bigEndian: address.sin_port))
      case AF_INET6:
        let address = unsafe raw.load(as: sockaddr_in6.self)
        return (IPAddress(address.sin6_addr), UInt16(bigEndian: address.sin6_port))
      default: return nil
      }
    }
  }
}
