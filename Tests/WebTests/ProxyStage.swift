import Domain
import HTTP
import HTTPClient
import HTTPServer
import Logging
import Simulator
import Synchronization
import Testing

@testable import Web

/// Gatehouse behind a real socket, a person connected to a portal, and an app that may call it through the proxy alone.
final class ProxyStage: Sendable {
  let gatehouse: TestInstallation
  let portal: TestPortal
  let connection: Connection
  let client: TestClient
  let person: TestPerson
  let access: String
  private let server: Server
  private let caller: OutboundClient

  /// `files` answers what is asked below `/home/files/` of the portal's host.
  init(rawTokens: Bool = false, connects: Bool = true, files: Server.Handler? = nil) async throws {
    let app = AppBox()
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    configuration.limits.sizes.streamedPath = "/v1/proxy/"
    configuration.limits.linger = .milliseconds(100)
    server = Server(configuration: configuration) { await app.respond(to: $0) }
    try server.start()
    gatehouse = try await TestInstallation(external: "http://127.0.0.1:\(server.port)")
    app.set(gatehouse.app)
    let us = SimulatedClient(
      id: "gatehouse-demo", redirectURIs: ["http://127.0.0.1:\(server.port)/callback/demo"])
    portal = try TestPortal(SimulatorConfiguration(clients: [us]), files: files)
    connection = try await gatehouse.connection(to: portal)
    client = try await gatehouse.client(connections: [connection.id], rawTokens: rawTokens)
    person = try await gatehouse.person()
    if connects { try await gatehouse.connect(person, to: connection, at: portal) }
    access = try await gatehouse.tokens(for: client, person).access
    var settings = OutboundSettings()
    settings.perOrigin = 64
    caller = try OutboundClient(settings)
  }

  /// The proxy's URL of `path`.
  func url(_ path: String, of connection: String = "demo") -> String {
    "http://127.0.0.1:\(server.port)/v1/proxy/\(connection)\(path)"
  }

  /// Asks Gatehouse over its socket.
  func open(
    _ url: String, _ method: HTTP.Method = .get, headers: Headers = [], stream: Request.Stream? = nil,
    token: String? = nil
  ) async throws -> OutboundAnswer {
    var request = OutboundRequest(method, url, headers: headers)
    request.headers.set("authorization", try #require(FieldValue("Bearer \(token ?? access)")))
    request.reach.allowsHTTP = true
    request.reach.endpoints = [.init(host: "127.0.0.1", port: Int(server.port))]
    request.limits.total = .seconds(30)
    request.limits.body = 1 << 30
    request.stream = stream
    return try await caller.open(request)
  }
}

/// The application, which is there only after the server whose port it has to know.
private final class AppBox: Sendable {
  private let app = Mutex<App?>(nil)

  func set(_ app: App) { self.app.withLock { $0 = app } }

  func respond(to request: consuming Request) async -> Response {
    guard let app = app.withLock({ $0 }) else { return Response(status: 503) }
    return await app.respond(to: request)
  }
}

extension OutboundAnswer {
  /// The whole body.
  var bytes: [UInt8] {
    get async throws {
      var all: [UInt8] = []
      while let piece = try await body.read() { all += piece }
      return all
    }
  }

  var text: String { get async throws { String(decoding: try await bytes, as: UTF8.self) } }
}
