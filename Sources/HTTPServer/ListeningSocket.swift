import HTTP
import CLinux
import Glibc

/// Opens the sockets on which the server listens.
enum ListeningSocket {
  private static let backlog: Int32 = 4_096

  /// Opens one socket per loop, all on the same port, among which the system spreads the connections.
  ///
  /// - Throws: ``ServerFailure/listen(_:)`` when another program has the port, or the address is not of this machine.
  static func descriptors(count: Int, on wanted: ListenAddress) throws(ServerFailure) -> (opened: [Int32], port: UInt16)
  {
    // With SO_REUSEPORT a second program could join in unnoticed, and take half of the connections.
    try checkFree(wanted)
    var opened: [Int32] = []
    var address = wanted
    do throws(ServerFailure) {
      for _ in 0..<count {
        let descriptor = try bind(address, sharesPort: true)
        opened.append(descriptor)
        guard listen(descriptor, backlog) == 0 else { throw failure(address) }
        address = ListenAddress(address: wanted.address, port: port(of: descriptor))
      }
    } catch {
      opened.forEach { close($0) }
      throw error
    }
    return (opened, address.port)
  }

  /// - Throws: ``ServerFailure/listen(_:)`` when another program has the port, or the address is not of this machine.
  static func checkFree(_ wanted: ListenAddress) throws(ServerFailure) {
    if wanted.port != 0 { close(try bind(wanted, sharesPort: false)) }
  }

  private static func bind(_ address: ListenAddress, sharesPort: Bool) throws(ServerFailure) -> Int32 {
    let family = address.address.family == .v4 ? AF_INET : AF_INET6
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw .listen("no socket for \(address): \(SystemError.text)") }
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if sharesPort { set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    if family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
    // Accepted sockets inherit it; an answer leaves in one piece, so waiting for more would only delay it.
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    let result = unsafe address.address.withSocketAddress(port: address.port) { unsafe Glibc.bind(descriptor, $0, $1) }
    guard result == 0 else {
      defer { close(descriptor) }
      throw failure(address)
    }
    return descriptor
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func port(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? IPAddress.parse(storage)?.port ?? 0 : 0
  }

  private static func failure(_ listen: ListenAddress) -> ServerFailure {
    let place = "port \(listen.port) on \(listen.address)"
    switch errno {
    case EADDRINUSE:
      return .listen("\(place) is in use by another program")
    case EADDRNOTAVAIL:
      return .listen("\(listen.address) is no address of this machine")
    case EACCES:
      return .listen("\(place) is reserved for privileged programs")
    default: return .listen("\(place) cannot be had: \(SystemError.text)")
    }
  }
}
