import Glibc

/// A stream socket in the file system, as far as one question and one answer need it.
///
/// The file has mode 0600: whoever may open it may read the data directory anyway.
enum UnixSocket {
  private static let patience = 2

  /// Refuses a path that is too long for a socket.
  static func checkPath(_ path: String) throws(Files.Failure) { _ = try unsafe withAddress(path) { _, _ in 0 } }

  /// Listens at `path`, in place of a socket that a killed process left there.
  static func listen(at path: String) throws(Files.Failure) -> Int32 {
    unsafe unlink(path)
    let descriptor = try make()
    let earlier = umask(0o177)
    defer { umask(earlier) }
    guard try unsafe withAddress(path, { unsafe Glibc.bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 8) == 0
    else {
      close(descriptor)
      throw Files.Failure("listen at", path)
    }
    return descriptor
  }

  /// Connects to `path`; `nil` when nobody listens there.
  static func connect(to path: String) throws(Files.Failure) -> Int32? {
    let descriptor = try make()
    if try unsafe withAddress(path, { unsafe Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  static func remove(_ path: String) { unsafe unlink(path) }

  /// Waits for the next caller; `nil` when the listener was closed.
  ///
  /// A caller that says or takes nothing for ``patience`` seconds is given up, so that it holds up nobody else.
  static func accept(_ listener: Int32) -> Int32? {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        return descriptor
      }
      if errno != EINTR && errno != ECONNABORTED { return nil }
    }
  }

  /// Reads until the other side has said everything; `nil` when that is more than `limit` bytes.
  static func readAll(_ descriptor: Int32, limit: Int = 1 << 20) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while bytes.count <= limit {
      let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
    }
    return nil
  }

  /// Sends everything and says that it was all.
  static func send(_ bytes: [UInt8], to descriptor: Int32) {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { break }
      sent += count
    }
    shutdown(descriptor, Int32(SHUT_WR))
  }

  private static func make() throws(Files.Failure) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Files.Failure("make a socket for", "the command line") }
    return descriptor
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(Files.Failure) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard bytes.count <= room else {
      throw Files.Failure(
        "The path \(path) is too long for a socket (\(room) bytes at most). Choose a shorter data directory.")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
