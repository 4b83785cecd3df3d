import CLinux
import Glibc
import HTTP

extension IPAddress {
  /// Calls `body` with the address and `port` as the socket functions want them.
  func withSocketAddress<T>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
    var storage = sockaddr_storage()
    let length = family == .v4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    return unsafe withUnsafeMutableBytes(of: &storage) { raw in
      if family == .v4 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(truncatingIfNeeded: bits).bigEndian
        unsafe raw.storeBytes(of: address, as: sockaddr_in.self)
      } else {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) {
          unsafe $0.storeBytes(of: bits.bigEndian, as: UInt128.self)
        }
        unsafe raw.storeBytes(of: address, as: sockaddr_in6.self)
      }
      return unsafe raw.withMemoryRebound(to: sockaddr.self) { rebound in
        guard let start = rebound.baseAddress else { preconditionFailure("storage has no address") }
        return unsafe body(start, socklen_t(length))
      }
    }
  }

  /// Reads what the socket functions give, with its port; `nil` for another family.
  ///
  /// Listening sockets that take both families show IPv4 addresses inside IPv6; they are IPv4 addresses here.
  static func parse(_ storage: sockaddr_storage) -> (address: IPAddress, port: UInt16)? {
    unsafe withUnsafeBytes(of: storage) { raw in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let address = unsafe raw.load(as: sockaddr_in.self)
        return (IPAddress(v4: UInt32(bigEndian: address.sin_addr.s_addr)), UInt16(bigEndian: address.sin_port))
      case AF_INET6:
        let address = unsafe raw.load(as: sockaddr_in6.self)
        let bits = unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe $0.loadUnaligned(as: UInt128.self) }
        return (IPAddress(v6: UInt128(bigEndian: bits)).unmapped, UInt16(bigEndian: address.sin6_port))
      default: return nil
      }
    }
  }
}
