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
    /// Sent as it is produced; a throw cuts the connection, and so does another length than the one promised.
    ///
    /// Without a length it is sent chunked (to HTTP/1.0 clients: until close).
    case stream(length: Int? = nil, @Sendable (any BodyWriter) async throws -> Void)

    /// Whether the body is produced while it is sent.
    public var isStream: Bool {
      if case .stream = self { true } else { false }
    }

    /// Whether nobody knows beforehand where the body ends.
    var isUnmeasured: Bool {
      if case .stream(nil, _) = self { true } else { false }
    }
  }
}

/// Where a streamed body goes.
public protocol BodyWriter: Sendable {
  /// Sends `bytes`; returns when they are on their way, so that a slow reader slows the producer.
  func write(_ bytes: [UInt8]) async throws
}
