import HTTP
import Logging
import TLS

/// What all connections of a server share.
final class ServerCore: Sendable {
  let handler: Server.Handler
  let staticAnswers: StaticAnswers?
  let refusalHandler: Server.RefusalHandler?
  let limits: Limits
  let deadlines: Deadlines
  let admission: Admission
  let certificate: CertificateWatch?
  let certificateField: FieldName?
  let logger: Logger
  /// The whole answer to a connection beyond the limits.
  let busyAnswer: [UInt8]

  init(_ configuration: ServerConfiguration, handler: @escaping Server.Handler) {
    self.handler = handler
    staticAnswers = configuration.staticAnswers
    refusalHandler = configuration.refusalHandler
    limits = configuration.limits
    deadlines = Deadlines(configuration.limits)
    admission = Admission(limits: configuration.limits, trustedProxies: configuration.trustedProxies)
    certificate = configuration.tls.map { CertificateWatch($0, logger: configuration.logger) }
    certificateField = configuration.certificateField
    logger = configuration.logger
    busyAnswer = Array(
      """
      HTTP/1.1 503 Service Unavailable\r
      Content-Type: application/json\r
      Content-Length: 107\r
      Retry-After: 5\r
      Connection: close\r
      \r
      {"error":"temporarily_unavailable","error_description":"Too many connections: try again in a few seconds."}
      """.utf8)
  }
}
