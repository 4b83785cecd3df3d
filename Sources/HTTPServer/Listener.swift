import HTTP
import CLinux
import Glibc
import Logging

/// One loop's listening socket, which decides who comes in.
final class Listener {
  /// A connection that is to be served.
  enum Caller: Sendable {
    /// It was admitted just now; whoever gets it closes the descriptor.
    case arrival(Int32, IPAddress)
    /// It was parked.
    case returning(Parked)
  }

  /// A connection on its way from the loop to the task that serves it next.
  ///
  /// Sendable: that task runs on the same loop, and proves it by ``EventLoop/checkThread()`` before it looks inside.
  struct Parked: @unchecked Sendable {
    let connection: Connection
  }

  private let channel: Channel
  private let core: ServerCore
  /// Given up for a moment when the process has no descriptor left, to turn a caller away instead of ignoring it.
  private var spare: Int32

  init(_ channel: Channel, core: ServerCore) {
    self.channel = channel
    self.core = core
    spare = Self.openSpare()
  }

  deinit { close(spare) }

  /// The next connection, or `nil` when the server stops; the socket is closed then.
  nonisolated(nonsending) func next() async -> Caller? {
    while true {
      if let caller = nextWaiting() { return caller }
      guard await channel.untilReadable(by: .max, isIdle: true) == .draining else { continue }
      channel.canRead = true
      // Whoever is in the system's queue has been told that the connection stands.
      if let caller = nextWaiting() { return caller }
      channel.close()
      return nil
    }
  }

  private func nextWaiting() -> Caller? {
    if let connection = channel.loop.takeReturning() { return .returning(Parked(connection: connection)) }
    return acceptOne()
  }

  private func acceptOne() -> Caller? {
    while channel.canRead {
      var storage = sockaddr_storage()
      let descriptor = Self.accept(channel.descriptor, &storage)
      guard descriptor >= 0 else {
        handleFailure()
        continue
      }
      let address = IPAddress.parse(storage)?.address ?? IPAddress(v4: 0)
      if core.admission.admits(address) {
        channel.loop.counters.accepted.add()
        return .arrival(descriptor, address)
      }
      turnAway(descriptor)
    }
    return nil
  }

  private func handleFailure() {
    switch errno {
    case EINTR, ECONNABORTED, EPROTO, EPERM: return
    case EMFILE, ENFILE:
      close(spare)
      var storage = sockaddr_storage()
      let descriptor = Self.accept(channel.descriptor, &storage)
      if descriptor >= 0 { turnAway(descriptor) } else { channel.canRead = false }
      spare = Self.openSpare()
    default: channel.canRead = false
    }
  }

  /// Answers 503 where the answer can be read, and closes.
  private func turnAway(_ descriptor: Int32) {
    channel.loop.counters.shed.add()
    if core.certificate == nil {
      let answer = core.busyAnswer
      _ = unsafe answer.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
      // Closing with unread input would reset the connection, and the answer with it.
      var request: [UInt8] = Array(repeating: 0, count: 4_096)
      _ = unsafe recv(descriptor, &request, request.count, Int32(MSG_DONTWAIT))
    }
    close(descriptor)
  }

  private static func accept(_ listening: Int32, _ storage: inout sockaddr_storage) -> Int32 {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe accept4(listening, $0, &length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      }
    }
  }

  private static func openSpare() -> Int32 { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
