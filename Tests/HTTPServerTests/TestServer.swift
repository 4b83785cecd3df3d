import Glibc
import HTTP
import HTTPServer
import Logging
import TLS

/// Starts a server on a free port of this machine.
enum TestServer {
  static func start(
    limits: Limits = Limits(), trustedProxies: [AddressRange] = [], tls: TLSContext? = nil, loops: Int = 2,
    staticAnswers: StaticAnswers? = nil, certificateField: FieldName? = nil, handler: @escaping Server.Handler = echo,
    refusalHandler: Server.RefusalHandler? = nil
  ) throws -> Server {
    var configuration = ServerConfiguration(
      address: try ListenAddress("127.0.0.1:0"), tls: tls, logger: Logger(level: .error))
    configuration.limits = limits
    configuration.trustedProxies = trustedProxies
    configuration.loopCount = loops
    configuration.certificateField = certificateField
    configuration.staticAnswers = staticAnswers
    configuration.refusalHandler = refusalHandler
    let server = Server(configuration: configuration, handler: handler)
    try server.start()
    return server
  }

  /// Says what was asked: method, target, body, address and scheme.
  static let echo: Server.Handler = { request in
    let body = String(decoding: request.body, as: UTF8.self)
    let scheme = request.isSecure ? "https" : "http"
    let text = "\(request.method.name) \(request.target) [\(body)] from \(request.remoteAddress) over \(scheme)"
    return Response(status: .ok, body: .bytes(Array(text.utf8)))
  }
}
