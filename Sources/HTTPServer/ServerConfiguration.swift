public import HTTP
import CLinux
public import Logging
public import TLS

/// Everything a server is told at its start.
public struct ServerConfiguration: Sendable {
  public var address: ListenAddress
  /// The certificate and key to serve HTTPS with, or `nil` for HTTP.
  public var tls: TLSContext?
  public var limits = Limits()
  /// Whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` fields are believed.
  public var trustedProxies: [AddressRange] = []
  /// The field in which trusted proxies pass on client certificates, if they do.
  public var certificateField: FieldName?
  /// The number of loops, each with a thread of its own; as many as the process may use cores unless set.
  public var loopCount = Int(linux_usable_cores())
  /// What is answered before the handler is asked.
  public var staticAnswers: StaticAnswers?
  /// What writes the answers to requests that never get to the handler; the plain one for those it leaves alone.
  public var refusalHandler: Server.RefusalHandler?
  public var logger: Logger

  public init(address: ListenAddress, tls: TLSContext? = nil, logger: Logger) {
    self.address = address
    self.tls = tls
    self.logger = logger
  }
}
