/// One received request, with its body or with the way it comes.
public struct Request: Sendable {
  public var method: Method
  /// The request target as sent, `/path?query`, still percent-encoded.
  public var target: String
  /// The path, percent-decoded once; it begins with `/` and holds no `..` segment, NUL or backslash.
  public var path: String
  public var headers: Headers
  public var body: [UInt8]
  /// Where the body comes bit by bit, when it was not read before (``ParserLimits/streamedPath``).
  public var stream: Stream?
  /// The address of the person or app: the socket's, or the one a trusted proxy names.
  public var remoteAddress: String
  /// Whether the request came over TLS: here, or by a trusted proxy that does not say otherwise.
  public var isSecure: Bool
  /// The certificate that the client showed, in DER: in its handshake here, or as a trusted proxy tells.
  ///
  /// Only that the client holds its key is proven, not who issued it.
  public var clientCertificate: [UInt8]?

  /// A body that is still coming.
  public struct Stream: Sendable {
    public let pipe: BytePipe
    /// In bytes, when the client said it before.
    public let length: Int?

    public init(_ pipe: BytePipe, length: Int?) {
      self.pipe = pipe
      self.length = length
    }
  }

  public init(
    method: Method, target: String, path: String, headers: Headers = [], body: [UInt8] = [],
    remoteAddress: String = "127.0.0.1", isSecure: Bool = false
  ) {
    self.method = method
    self.target = target
    self.path = path
    self.headers = headers
    self.body = body
    self.remoteAddress = remoteAddress
    self.isSecure = isSecure
  }

  /// The part of the target after `?`, still percent-encoded; empty when there is none.
  public var query: Substring {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return "" }
    return target[target.utf8.index(after: mark)...]
  }
}
