import Glibc
import HTTP
import Synchronization

@testable import HTTPClient

/// A server on 127.0.0.1 whose every byte the test chooses.
final class WireServer: Sendable {
  let port: Int
  private let listener: Int32
  private let counts = Mutex(Counts())

  struct Counts: Sendable {
    var connections = 0
    var requests: [String] = []
    /// Connections that the server has closed.
    var closed = 0
  }

  struct Failure: Error {
    let call: String
  }

  /// Listens on a free port and calls `talk` on a thread of its own for each connection, then closes that.
  init(backlog: Int32 = 512, _ talk: (@Sendable (Wire) -> Void)?) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    port = try Self.listen(on: listener, backlog)
    guard let talk else { return }
    let listener = listener
    let error = OutboundThread.start { [weak self] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0, fcntl(socket, F_SETFD, FD_CLOEXEC) == 0, let self else { break }
        let number = self.counts.withLock { state in
          state.connections += 1
          return state.connections
        }
        self.serve(Wire(socket: socket, number: number, server: self), talk)
      }
      close(listener)
    }
    if error != 0 { throw Failure(call: "pthread_create") }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  var seen: Counts { counts.withLock { $0 } }

  func note(_ request: String) { counts.withLock { $0.requests.append(request) } }

  /// The URL of `path` here.
  func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

  /// What an administrator would have to allow for this server to be asked.
  var reach: Reach { Reach(endpoints: [.init(host: "127.0.0.1", port: port)], allowsHTTP: true) }

  func request(_ path: String = "/", post body: String? = nil) -> OutboundRequest {
    OutboundRequest(body == nil ? .get : .post, url(path), body: Array((body ?? "").utf8), reach: reach)
  }

  private func serve(_ wire: Wire, _ talk: @escaping @Sendable (Wire) -> Void) {
    let error = OutboundThread.start {
      talk(wire)
      close(wire.socket)
      self.counts.withLock { $0.closed += 1 }
    }
    if error != 0 { close(wire.socket) }
  }

  private static func listen(on socket: Int32, _ backlog: Int32) throws -> Int {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      guard let raw = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return unsafe bind(socket, raw, size) == 0 && Glibc.listen(socket, backlog) == 0
        && getsockname(socket, raw, &size) == 0
    }
    guard isListening else { throw Failure(call: "listen") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// One accepted connection.
struct Wire: Sendable {
  let socket: Int32
  /// Counted from 1.
  let number: Int
  let server: WireServer

  /// Reads one request, head and body; `nil` when the client has gone.
  func request() -> String? {
    var bytes: [UInt8] = []
    var wanted: Int?
    while bytes.count < wanted ?? .max {
      var piece = [UInt8](repeating: 0, count: 65536)
      let count = unsafe recv(socket, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      bytes += piece.prefix(count)
      if wanted == nil { wanted = Self.size(of: bytes) }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    server.note(text)
    return text
  }

  /// Reads up to `mark`, or more; `nil` when the client has gone.
  func receive(through mark: String) -> String? {
    var text = ""
    while !text.contains(mark) {
      var piece = [UInt8](repeating: 0, count: 65536)
      let count = unsafe recv(socket, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      text += String(decoding: piece.prefix(count), as: UTF8.self)
    }
    return text
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let rest = Array(bytes[start...])
      let count = unsafe Glibc.send(socket, rest, rest.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      start += count
    }
  }

  /// Answers 200 with a body and keeps the connection.
  func answer(_ body: String, _ fields: String = "", status: String = "200 OK") {
    send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nX-Connection: \(number)\r\n\(fields)\r\n\(body)")
  }

  /// Waits until the client has closed.
  func linger() { while request() != nil {} }

  /// The size of a whole request, once its head is there.
  private static func size(of bytes: [UInt8]) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
    let head = text[..<end.lowerBound].lowercased()
    let field = head.firstRange(of: "content-length: ").map { head[$0.upperBound...].prefix { $0.isNumber } }
    return text.utf8.distance(from: text.startIndex, to: end.upperBound) + (field.flatMap { Int($0) } ?? 0)
  }
}

/// Waits until something that another thread does has happened.
func eventually(_ condition: () -> Bool) async throws {
  while !condition() { try await Task.sleep(for: .milliseconds(2)) }
}

/// Sends and returns the failure, or the status when there is none.
func outcome(_ client: OutboundClient, _ request: OutboundRequest) async -> Outcome {
  do throws(OutboundFailure) {
    return .answer(try await client.send(request).status.code)
  } catch {
    switch error {
    case .refusedByPolicy(let refusal): return .refused(refusal)
    case .notSent(let cause): return .notSent(cause.kind)
    case .incomplete(let cause): return .incomplete(cause.kind)
    case .tooLarge: return .tooLarge
    }
  }
}

enum Outcome: Equatable, Sendable {
  case answer(Int)
  case refused(PolicyRefusal)
  case notSent(OutboundFailure.Kind)
  case incomplete(OutboundFailure.Kind)
  case tooLarge
}
