/// A request method (RFC 9110 §9); case matters.
public struct Method: Sendable, Hashable {
  public let name: String

  public init(_ name: String) { self.name = name }

  public static let get = Method("GET")
  public static let head = Method("HEAD")
  public static let post = Method("POST")
  public static let put = Method("PUT")
  public static let patch = Method("PATCH")
  public static let delete = Method("DELETE")
  public static let options = Method("OPTIONS")
  /// Refused by the parser: it would show a script the cookies it must not read.
  static let trace = Method("TRACE")

  /// No implemented method is longer, in bytes; a longer token is refused before it is read to its end.
  static let longest = 32

  private static let implemented = [get, post, head, options, put, patch, delete, trace]

  /// One of the methods above; anything else is not implemented (RFC 9110 §9.1).
  init?(implemented name: Span<UInt8>) {
    guard let method = Self.implemented.first(where: { name.equals($0.name) }) else { return nil }
    self = method
  }

  /// Whether a request of this method gives its content no meaning (RFC 9110 §9.3.1, §9.3.2, §9.3.5, §9.3.7).
  ///
  /// Some interfaces read that of a DELETE, which is theirs to know: where the request is handed on, it is, too.
  func ignoresBody(isStreamed: Bool) -> Bool {
    self == .get || self == .head || self == .delete && !isStreamed || self == .options
  }
}
