public import Domain

/// Who a request comes from, before anybody has signed in.
public struct Visitor: Sendable {
  public let origin: AuditEvent.Origin
  /// As the browser says; cut to 256 bytes before it is stored.
  public let userAgent: String

  public init(requestID: String, address: String, userAgent: String) {
    origin = .init(requestID: requestID, address: address)
    // Counted in bytes first: walking the characters of every request's browser name costs microseconds.
    self.userAgent =
      userAgent.utf8.count <= 256 ? userAgent : String(decoding: userAgent.utf8.prefix(256), as: UTF8.self)
  }

  var network: String { Flows.network(of: origin.address) }
}
