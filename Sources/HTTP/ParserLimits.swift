/// How much of a request is read before it is refused; all figures are bytes unless named otherwise.
public struct ParserLimits: Sendable, Equatable {
  /// The request target; beyond it the answer is 414 (RFC 9112 §3 asks for at least 8,000).
  public var target = 8 * 1024
  /// One header line; beyond it the answer is 431.
  public var field = 16 * 1024
  /// All header lines together; beyond it the answer is 431.
  public var fields = 32 * 1024
  /// The number of header lines; beyond it the answer is 431.
  public var fieldCount = 100
  /// The decoded body; beyond it the answer is 413.
  public var body = 1024 * 1024
  /// The body of a method that has no use for one (GET, HEAD, DELETE, OPTIONS); beyond it the answer is 400.
  public var unusedBody = 64 * 1024

  /// Requests below this path, which ends in `/`, are answered while their bodies come, so that these may be large.
  public var streamedPath: String?
  /// The decoded body of such a request; beyond it the answer is 413.
  public var streamedBody = 1024 * 1024 * 1024

  /// The defaults, which the server's documentation publishes.
  public init() {}

  func isStreamed(_ path: String) -> Bool { streamedPath.map(path.hasPrefix) ?? false }
}
