import HTTP
import HTTPServer
import Logging
import Synchronization

/// A real server on a free port of this machine that remembers what it was asked.
final class Loopback: Sendable {
  private let server: Server
  private let seen: Seen

  private final class Seen: Sendable {
    let requests = Mutex<[Request]>([])
  }

  init(_ answer: @escaping @Sendable (Request) async -> Response) throws {
    let seen = Seen()
    var configuration = ServerConfiguration(
      address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    server = Server(configuration: configuration) { request in
      seen.requests.withLock { $0.append(request) }
      return await answer(request)
    }
    self.seen = seen
    try server.start()
  }

  var hostAndPort: String { "127.0.0.1:\(server.port)" }

  var origin: String { "http://\(hostAndPort)" }

  /// What arrived so far, in order.
  var requests: [Request] { seen.requests.withLock(\.self) }

  /// What arrived at `path`.
  func requests(at path: String) -> [Request] { requests.filter { $0.path == path } }

  func stop() async { await server.stop(within: .seconds(1)) }
}

extension Request {
  /// The fields of the body.
  var form: Form? {
    do { return try Form(body) } catch { return nil }
  }
}
