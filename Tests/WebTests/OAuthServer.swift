import Domain
import HTTP
import HTTPServer
import JSON
import Logging
import Storage
import Testing

/// A plain OAuth 2 provider behind a real socket: everybody is Ana, and tokens work without end.
final class OAuthServer: Sendable {
  private let server: Server

  init() throws {
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    server = Server(configuration: configuration) { request in
      switch request.path {
      case "/token": Self.json(["access_token": "gho_endless", "token_type": "bearer"])
      case "/user": Self.json(["id": 583_231, "login": "ana"])
      default: Response(status: .notFound)
      }
    }
    try server.start()
  }

  private static func json(_ value: JSONValue) -> Response {
    Response(status: .ok, headers: ["content-type": "application/json"], body: .bytes(value.encoded()))
  }

  var origin: String { "http://127.0.0.1:\(server.port)" }

  func connection() throws -> Connection {
    let id = try #require(ConnectionID("hub"))
    var connection = Connection(
      id: id, name: "Hub", kind: .oidc, origin: origin, clientID: "abc", createdAt: Timestamp(seconds: 0))
    connection.provider.endpoints = OAuthEndpoints(
      authorization: "\(origin)/authorize", token: "\(origin)/token", user: "\(origin)/user", subjectMember: "id",
      nameMember: "login")
    connection.provider.quirks.tokensNeverExpire = true
    connection.resources = [ResourcePattern(origin)].compactMap { $0 }
    connection.reach.hosts = ["127.0.0.1:\(server.port)"]
    return connection
  }

  func stop() async { await server.stop(within: .seconds(1)) }
}
