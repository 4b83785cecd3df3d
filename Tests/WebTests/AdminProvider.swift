import HTTP
import HTTPServer
import JSON
import Logging

/// An OpenID provider behind a real socket that only describes itself.
final class AdminProvider: Sendable {
  private let server: Server

  init() throws {
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    server = Server(configuration: configuration) { request in
      guard request.path == "/.well-known/openid-configuration", let host = request.headers["host"] else {
        return Response(status: .notFound)
      }
      let issuer = "http://\(host)"
      let document: JSONValue = [
        "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
        "token_endpoint": .string("\(issuer)/token"), "jwks_uri": .string("\(issuer)/keys"),
        "id_token_signing_alg_values_supported": ["ES256"],
      ]
      return Response(status: .ok, headers: ["content-type": "application/json"], body: .bytes(document.encoded()))
    }
    try server.start()
  }

  var issuer: String { "http://127.0.0.1:\(server.port)" }

  func stop() async { await server.stop(within: .seconds(1)) }
}
