/// The URL of a resource that an app wants to call, parsed once by one strict parser.
///
/// Anything that two programs might read differently is refused: user info, fragments, backslashes, dot segments,
/// encoded slashes, control characters, unusual numeric hosts.
public struct ResourceURL: Sendable, Hashable {
  public let isHTTPS: Bool
  /// Lower case; an IPv6 address keeps its brackets.
  public let host: String
  public let port: Int
  /// Begins with `/`; still percent-encoded.
  public let path: String
  /// Without the `?`; empty when there is none.
  public let query: String

  /// Parses `text`; `nil` when it is not a plain http or https URL.
  public init?(_ text: String) {
    guard text.utf8.count <= 4096, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C && $0 != 0x23 }) else {
      return nil
    }
    var rest = Substring(text)
    let scheme = rest.prefix { $0 != ":" }.lowercased()
    guard scheme == "https" || scheme == "http" else { return nil }
    rest = rest.dropFirst(scheme.count)
    guard rest.hasPrefix("://") else { return nil }
    rest = rest.dropFirst(3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    rest = rest.dropFirst(authority.count)
    guard let (host, port) = Self.split(authority, defaultPort: scheme == "https" ? 443 : 80) else { return nil }
    let path = rest.prefix { $0 != "?" }
    guard path.isEmpty || path.hasPrefix("/"), Self.isPlain(path) else { return nil }
    isHTTPS = scheme == "https"
    self.host = host
    self.port = port
    self.path = path.isEmpty ? "/" : String(path)
    query = String(rest.dropFirst(path.count).dropFirst())
  }

  /// `scheme://host[:port]`, without a default port.
  public var origin: String {
    let standard = isHTTPS ? 443 : 80
    return "\(isHTTPS ? "https" : "http")://\(host)\(port == standard ? "" : ":\(port)")"
  }

  /// The URL without its query, in canonical form.
  public var withoutQuery: String { origin + path }

  private static func split(_ authority: Substring, defaultPort: Int) -> (String, Int)? {
    guard !authority.isEmpty, !authority.contains("@") else { return nil }
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      let inside = authority[authority.index(after: authority.startIndex)..<close]
      guard !inside.isEmpty, inside.utf8.allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E }) else { return nil }
      return port(of: authority[authority.index(after: close)...], defaultPort).map { ("[\(inside.lowercased())]", $0) }
    }
    let name = authority.prefix { $0 != ":" }
    guard isHostName(name) else { return nil }
    return port(of: authority.dropFirst(name.count), defaultPort).map { (name.lowercased(), $0) }
  }

  private static func port(of text: Substring, _ defaultPort: Int) -> Int? {
    if text.isEmpty { return defaultPort }
    let digits = text.dropFirst()
    guard text.hasPrefix(":"), (1...5).contains(digits.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(digits), (1...65535).contains(port)
    else { return nil }
    return port
  }

  /// Letters, digits, hyphens and single dots; all-numeric names must be a dotted quad, since others are addresses in
  /// disguise (`0x7f000001`, `2130706433`, `127.1`).
  private static func isHostName(_ name: Substring) -> Bool {
    guard !name.isEmpty, name.utf8.count <= 253 else { return false }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let plain = labels.allSatisfy { label in
      !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D }
    }
    guard plain, let last = labels.last, let first = last.utf8.first else { return false }
    guard (0x30...0x39).contains(first) else { return true }
    return labels.count == 4 && labels.allSatisfy { $0 == "0" || ($0.first != "0" && UInt8($0) != nil) }
  }

  /// Whether no segment of `path` could be read as another one.
  private static func isPlain(_ path: Substring) -> Bool {
    let lowered = path.lowercased()
    for hidden in ["%2f", "%5c", "%2e", "%00", "%25"] where lowered.contains(hidden) { return false }
    guard hasWholeEscapes(path) else { return false }
    return !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  private static func hasWholeEscapes(_ path: Substring) -> Bool {
    var bytes = path.utf8.makeIterator()
    while let byte = bytes.next() {
      guard byte == 0x25 else { continue }
      guard let high = bytes.next(), let low = bytes.next(), isHexDigit(high), isHexDigit(low) else { return false }
    }
    return true
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
