public import Domain

/// Who a request comes from, before anybody has signed in.
public struct Visitor: Sendable {
  public let origin: AuditEvent.Origin
  /// As the browser says; cut to 256 bytes before it is stored.
  public let userAgent: String

  public init(requestID: String, address: String, userAgent: String) {
    origin = .init(requestID: requestID, address: address)
    self.userAgent = String(userAgent.prefix(256))
  }

  var network: String { Flows.network(of: origin.address) }
}
