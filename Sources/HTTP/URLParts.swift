/// An absolute http or https URL in the one spelling that all programs read alike (RFC 9110 §4.2, RFC 3986).
public struct URLParts: Sendable, Hashable {
  public let scheme: Scheme
  /// Host and port as written, the host in lower case.
  public let authority: Authority
  /// The path as written, still percent-encoded; `/` when there is none.
  public let path: String
  /// The part after `?` as written, still percent-encoded; `nil` when there is no `?`.
  public let query: String?

  /// The two schemes that HTTP has.
  public enum Scheme: String, Sendable {
    case http
    case https

    /// The port that stands for a missing one.
    public var defaultPort: Int { self == .http ? 80 : 443 }
  }

  /// Reads `text`.
  ///
  /// Refused are user information, a fragment, a backslash, blanks, controls, raw non-ASCII, bad escapes, more than
  /// 8,192 bytes, and the hosts that ``Authority/init(_:)`` refuses. `.` and `..` segments are refused as well, encoded
  /// or not, since a prefix check would be fooled by them.
  public init?(_ text: String) {
    let text = Array(text.utf8)
    let bytes = text.span
    guard bytes.count <= 8192, let (scheme, start) = Self.scheme(bytes) else { return nil }
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
    guard let authority = Authority(bytes.extracting(start..<end)) else { return nil }
    var mark = end
    while mark < bytes.count, bytes[mark] != UInt8(ascii: "?") { mark += 1 }
    guard Self.isURLText(bytes.extracting(end...)), RequestPath.decode(bytes, end..<mark) != nil else { return nil }
    self.scheme = scheme
    self.authority = authority
    path = mark == end ? "/" : bytes.text(end..<mark)
    query = mark == bytes.count ? nil : bytes.text(mark + 1..<bytes.count)
  }

  /// In lower case; an IPv6 address stands in brackets.
  public var host: String { authority.host }

  /// The port to connect to.
  public var port: Int { authority.port ?? scheme.defaultPort }

  /// `scheme://host`, and `:port` unless it is the scheme's own (RFC 6454 §6.2).
  public var origin: String {
    port == scheme.defaultPort ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
  }

  /// The whole URL with the origin normalized and the rest as written.
  public var text: String { origin + path + (query.map { "?" + $0 } ?? "") }

  private static func scheme(_ bytes: Span<UInt8>) -> (Scheme, Int)? {
    for (scheme, prefix) in [(Scheme.https, "https://"), (.http, "http://")] {
      let length = prefix.utf8.count
      if bytes.count > length, bytes.matches(0..<length, prefix) { return (scheme, length) }
    }
    return nil
  }

  /// Whether every byte may stand in a path or query and every escape is whole (RFC 3986 §3.3, §3.4).
  private static func isURLText(_ bytes: Span<UInt8>) -> Bool {
    for position in bytes.indices {
      switch bytes[position] {
      case UInt8(ascii: "%"):
        guard position + 2 < bytes.count, hexValue(bytes[position + 1]) != nil, hexValue(bytes[position + 2]) != nil
        else { return false }
      case 0...0x20, 0x7F...0xFF, UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\""): return false
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"): return false
      case UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"): return false
      default: break
      }
    }
    return true
  }
}
