import Glibc

/// A client that sends and receives bytes as they are, on a blocking socket with a time-out of ten seconds.
final class RawClient {
  enum Failure: Error { case cannotConnect }

  private let descriptor: Int32
  private var received: [UInt8] = []
  /// Whether the connection ended with a reset.
  private(set) var wasReset = false

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure.cannotConnect }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes[start...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      start += count
    }
  }

  /// Sends until nothing is taken for 200 ms; gives how much was.
  func sendWhatFits(_ bytes: [UInt8]) -> Int {
    var sent = 0
    var pauses = 0
    while sent < bytes.count && pauses < 20 {
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      pauses = count > 0 ? 0 : pauses + 1
      if count > 0 { sent += count } else { usleep(10_000) }
    }
    return sent
  }

  func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Everything up to and with `mark`, or up to the end.
  func receive(through mark: String) -> String {
    let mark = Array(mark.utf8)
    while true {
      if let end = position(after: mark) { return take(end) }
      guard receiveMore() else { return take(received.count) }
    }
  }

  /// Everything until the server closes.
  func receiveAll() -> String {
    while receiveMore() {}
    return take(received.count)
  }

  /// One answer with a `Content-Length`: its head, and its body.
  func receiveAnswer(hasBody: Bool = true) -> (head: String, body: String) {
    let head = receive(through: "\r\n\r\n")
    let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) }
    guard hasBody, let length else { return (head, "") }
    while received.count < length, receiveMore() {}
    return (head, take(min(length, received.count)))
  }

  private func receiveMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { received.append(contentsOf: buffer[..<count]) }
    wasReset = wasReset || count < 0 && errno == ECONNRESET
    return count > 0
  }

  private func position(after mark: [UInt8]) -> Int? {
    guard received.count >= mark.count else { return nil }
    return (0...received.count - mark.count).first { received[$0..<$0 + mark.count].elementsEqual(mark) }
      .map { $0 + mark.count }
  }

  private func take(_ count: Int) -> String {
    defer { received.removeFirst(count) }
    return String(decoding: received[..<count], as: UTF8.self)
  }
}
