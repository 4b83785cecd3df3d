/// The URL of a resource that an app wants to call, parsed once by one strict parser.
///
/// Anything that two programs might read differently is refused: user info, fragments, backslashes, dot segments,
/// encoded slashes, needless escapes, control characters, unusual numeric hosts.
public struct ResourceURL: Sendable, Hashable {
  public let isHTTPS: Bool
  /// Lower case; an IPv6 address in its canonical form, with its brackets.
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
      guard let address = IPv6Address(authority[..<close].dropFirst()) else { return nil }
      return port(of: authority[authority.index(after: close)...], defaultPort).map { ("[\(address.text)]", $0) }
    }
    let name = authority.prefix { $0 != ":" }
    guard isHostName(name) else { return nil }
    return port(of: authority.dropFirst(name.count), defaultPort).map { (name.lowercased(), $0) }
  }

  private static func port(of text: Substring, _ defaultPort: Int) -> Int? {
    if text.isEmpty { return defaultPort }
    let digits = text.dropFirst()
    guard text.hasPrefix(":"), (1...5).contains(digits.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.first != "0", let port = Int(digits), port <= 65535
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

  /// Whether the host is an address, not a name.
  var isAddress: Bool {
    host.hasPrefix("[") || host.split(separator: ".").last?.utf8.first.map { (0x30...0x39).contains($0) } ?? false
  }

  /// Whether no segment of `path` could be read as another one.
  private static func isPlain(_ path: Substring) -> Bool {
    guard let escaped = escapedBytes(in: path), escaped.allSatisfy(needsEscape) else { return false }
    return !path.split(separator: "/").contains { segment in
      // Servlet containers drop what follows a semicolon before they resolve the dots.
      let name = segment.prefix { $0 != ";" && $0 != "%" }
      return name == "." || name == ".."
    }
  }

  /// What the percent escapes of `path` stand for; `nil` when one is cut short.
  private static func escapedBytes(in path: Substring) -> [UInt8]? {
    var found: [UInt8] = []
    var rest = path.utf8[...]
    while let percent = rest.firstIndex(of: 0x25) {
      let digits = rest[rest.index(after: percent)...].prefix(2)
      guard digits.count == 2, digits.allSatisfy(isHexDigit), let byte = UInt8(Substring(digits), radix: 16) else {
        return nil
      }
      found.append(byte)
      rest = rest[digits.endIndex...]
    }
    return found
  }

  /// Whether an escape of `byte` has one meaning only: not a control, not what separates or hides segments, and not a
  /// letter, digit, hyphen or underscore, which need none (RFC 3986 §2.3).
  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && !"%./\\-_".utf8.contains(byte) && !isAlphanumeric(byte)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
