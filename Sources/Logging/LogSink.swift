import Dispatch
import Glibc
import Synchronization

/// The buffer between those who log and one file descriptor.
///
/// Only the queue writes, so entries keep their order and nobody but ``flush()`` waits for a slow reader.
final class LogSink: Sendable {
  /// A reader that stalls must not eat the memory: beyond this, entries are dropped and counted.
  static let limit = 4 << 20
  private static let flushSize = 64 << 10
  private static let flushDelay = DispatchTimeInterval.milliseconds(200)

  private struct Pending {
    var bytes: [UInt8] = []
    var dropped = 0
    var isFlushing = false
  }

  private let fileDescriptor: Int32
  private let queue = DispatchQueue(label: "log")
  private let pending = Mutex(Pending())

  init(fileDescriptor: Int32) { self.fileDescriptor = fileDescriptor }

  func append(_ line: [UInt8]) {
    let (isFirst, isFull) = pending.withLock { pending in
      guard pending.bytes.count + line.count <= Self.limit else {
        pending.dropped += 1
        return (false, false)
      }
      let isFirst = pending.bytes.isEmpty
      pending.bytes.append(contentsOf: line)
      let isFull = pending.bytes.count >= Self.flushSize && !pending.isFlushing
      if isFull { pending.isFlushing = true }
      return (isFirst, isFull)
    }
    if isFull {
      queue.async { self.writePending() }
    } else if isFirst {
      queue.asyncAfter(deadline: .now() + Self.flushDelay) { self.writePending() }
    }
  }

  /// Waits until the system has taken everything appended before the call.
  func flush() { queue.sync { writePending() } }

  private func writePending() {
    let (bytes, dropped) = pending.withLock { pending in
      let taken = (pending.bytes, pending.dropped)
      pending = Pending()
      return taken
    }
    write(bytes)
    guard dropped > 0 else { return }
    write(LogEntry.line(at: .now, .warning, "log entries dropped", ["count": .int(dropped)]))
  }

  /// Gives up silently when the descriptor is broken: there is no other place to say so.
  private func write(_ bytes: [UInt8]) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes[start...].withUnsafeBytes {
        unsafe Glibc.write(fileDescriptor, $0.baseAddress, $0.count)
      }
      if count > 0 { start += count } else if errno != EINTR && !waitUntilWritable() { return }
    }
  }

  /// Standard error may have been made non-blocking by whoever shares it.
  private func waitUntilWritable() -> Bool {
    guard errno == EAGAIN else { return false }
    var request = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, 1_000) > 0
  }
}
