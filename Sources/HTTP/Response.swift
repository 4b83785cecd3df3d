/// One answer.
public struct Response: Sendable {
  public var status: Status
  public var headers: Headers
  public var body: Body

  public init(status: Status, headers: Headers = [], body: Body = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// What follows the head.
  public enum Body: Sendable {
    case empty
    /// Sent with a `Content-Length`.
    case bytes([UInt8])
    /// Sent chunked as it is produced (to HTTP/1.0 clients: until close); a throw cuts the connection.
    case stream(@Sendable (any BodyWriter) async throws -> Void)

    /// Whether the body is produced while it is sent.
    public var isStream: Bool {
      if case .stream = self { true } else { false }
    }
  }
}

/// Where a streamed body goes.
public protocol BodyWriter: Sendable {
  /// Sends `bytes`; returns when they are on their way, so that a slow reader slows the producer.
  func write(_ bytes: [UInt8]) async throws
}
