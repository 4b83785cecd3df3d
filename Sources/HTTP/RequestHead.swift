/// A parsed and checked request head: everything before the body.
public struct RequestHead: Sendable {
  /// How many bytes of the input the head took; the body or the next request begins there.
  public var byteCount: Int
  public var method: Method
  /// In origin form, `/path?query`, still percent-encoded; `*` for `OPTIONS *`.
  ///
  /// An absolute-form target is cut to this.
  public var target: String
  /// The path, percent-decoded once; `*` for `OPTIONS *`.
  public var path: String
  /// The host (and port) the request is meant for: the absolute-form target's, else the Host field's.
  ///
  /// `nil` only in HTTP/1.0. The parser sees to it that the Host field always equals it (RFC 9112 §3.2.2).
  public var authority: String? { headers["host"] }
  public var version: Version
  public var headers: Headers
  public var bodyFraming: BodyFraming
  /// The largest body that may follow, in bytes; ``ChunkedDecoder/init(for:)`` keeps to it.
  public var bodyLimit: Int
  /// Whether the handler is called before the body has come (``ParserLimits/streamedPath``).
  public var isStreamed: Bool
  /// Whether the client lets the connection stay open after the answer.
  public var keepAlive: Bool
  /// Whether the client waits for `100 Continue` before it sends the body (never in HTTP/1.0).
  public var expectsContinue: Bool

  /// The protocol version; a higher 1.x counts as 1.1 (RFC 9110 §2.5).
  public enum Version: Sendable, Equatable {
    case http10
    case http11
  }

  /// How the end of the body is found (RFC 9112 §6.3).
  public enum BodyFraming: Sendable, Equatable {
    case none
    /// Exactly this many bytes, at least one.
    case length(Int)
    case chunked
  }

  /// Whether the method gives a body no meaning, so that it is read and dropped (RFC 9110 §9.3).
  public var discardsBody: Bool { method.ignoresBody(isStreamed: isStreamed) }
}

extension Request {
  /// The request that `head` begins; `body` is dropped where the method gives it no meaning.
  public init(_ head: RequestHead, body: [UInt8], remoteAddress: String, isSecure: Bool) {
    self.init(
      method: head.method, target: head.target, path: head.path, headers: head.headers,
      body: head.discardsBody ? [] : body, remoteAddress: remoteAddress, isSecure: isSecure)
  }
}
