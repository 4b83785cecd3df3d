import HTTP
import HTTPServer
import Logging
import Synchronization

/// The server of a client app behind a real socket, which remembers what it was asked.
final class AppServer: Sendable {
  struct Received: Sendable {
    let method: HTTP.Method
    let target: String
    let body: [UInt8]
  }

  private let server: Server
  private let log: RequestLog

  init(_ answer: @escaping @Sendable (Received) -> Response) throws {
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    let log = RequestLog()
    self.log = log
    server = Server(configuration: configuration) { request in
      let received = Received(method: request.method, target: request.target, body: request.body)
      log.add(received)
      return answer(received)
    }
    try server.start()
  }

  var origin: String { "http://127.0.0.1:\(server.port)" }

  var requests: [Received] { log.all }
}

private final class RequestLog: Sendable {
  private let received = Mutex<[AppServer.Received]>([])

  func add(_ one: AppServer.Received) { received.withLock { $0.append(one) } }

  var all: [AppServer.Received] { received.withLock { $0 } }
}
