/// Names and values to be written as a query or a form body.
public struct QueryItems: Sendable, ExpressibleByDictionaryLiteral {
  private var bytes: [UInt8] = []

  /// No items yet.
  public init() {}

  public init(dictionaryLiteral elements: (String, String?)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// Adds an item; a value of `nil` adds nothing.
  public mutating func append(_ name: String, _ value: String?) {
    guard let value else { return }
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
    PercentCoding.append(name, to: &bytes)
    bytes.append(UInt8(ascii: "="))
    PercentCoding.append(value, to: &bytes)
  }

  /// `name=value&…`, percent-encoded; a space is `%20`, which queries and forms both understand.
  public var encoded: String { String(decoding: bytes, as: UTF8.self) }

  /// The same as a body of type `application/x-www-form-urlencoded`.
  public var body: [UInt8] { bytes }

  /// `url` with the items behind the query it has already (RFC 6749 §4.1.2); `url` must have no fragment.
  public func appended(to url: String) -> String {
    if bytes.isEmpty { return url }
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url + "?" + encoded }
    let endsOpen = url.utf8.index(after: mark) == url.utf8.endIndex || url.utf8.last == UInt8(ascii: "&")
    return url + (endsOpen ? "" : "&") + encoded
  }
}
