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
    // Everything is ASCII from here on, and bytes are walked ten times as fast as characters.
    var rest = Substring(text).utf8
    let scheme = Substring(rest.prefix { $0 != UInt8(ascii: ":") }).lowercased()
    guard scheme == "https" || scheme == "http" else { return nil }
    rest = rest.dropFirst(scheme.utf8.count)
    guard rest.starts(with: "://".utf8) else { return nil }
    rest = rest.dropFirst(3)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    rest = rest[authority.endIndex...]
    guard let (host, port) = Self.split(authority, defaultPort: scheme == "https" ? 443 : 80) else { return nil }
    let path = rest.prefix { $0 != UInt8(ascii: "?") }
    guard path.isEmpty || path.first == UInt8(ascii: "/"), Self.isPlain(path) else { return nil }
    isHTTPS = scheme == "https"
    self.host = host
    self.port = port
    self.path = path.isEmpty ? "/" : String(Substring(path))
    query = String(Substring(rest[path.endIndex...].dropFirst()))
  }

  /// `scheme://host[:port]`, without a default port.
  public var origin: String {
    let standard = isHTTPS ? 443 : 80
    return "\(isHTTPS ? "https" : "http")://\(host)\(port == standard ? "" : ":\(port)")"
  }

  /// The URL without its query, in canonical form.
  public var withoutQuery: String { origin + path }

  private static func split(_ authority: Substring.UTF8View, defaultPort: Int) -> (String, Int)? {
    guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      guard let address = IPv6Address(Substring(authority[..<close].dropFirst())) else { return nil }
      return port(of: authority[close...].dropFirst(), defaultPort).map { ("[\(address.text)]", $0) }
    }
    let name = authority.prefix { $0 != UInt8(ascii: ":") }
    guard isHostName(name) else { return nil }
    return port(of: authority[name.endIndex...], defaultPort).map { (Substring(name).lowercased(), $0) }
  }

  private static func port(of text: Substring.UTF8View, _ defaultPort: Int) -> Int? {
    guard let first = text.first else { return defaultPort }
    let digits = text.dropFirst()
    guard first == UInt8(ascii: ":"), (1...5).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != UInt8(ascii: "0"),
      let port = Int(Substring(digits)), port <= 65535
    else { return nil }
    return port
  }

  /// Letters, digits, hyphens and single dots; all-numeric names must be a dotted quad, since others are addresses in
  /// disguise (`0x7f000001`, `2130706433`, `127.1`).
  private static func isHostName(_ name: Substring.UTF8View) -> Bool {
    guard !name.isEmpty, name.count <= 253 else { return false }
    let hyphen = UInt8(ascii: "-")
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let plain = labels.allSatisfy { label in
      !label.isEmpty && label.count <= 63 && label.first != hyphen && label.last != hyphen
        && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
    }
    guard plain, let last = labels.last, let first = last.first else { return false }
    guard (0x30...0x39).contains(first) else { return true }
    return labels.count == 4
      && labels.map(Substring.init).allSatisfy { $0 == "0" || ($0.first != "0" && UInt8($0) != nil) }
  }

  /// Whether the host is an address, not a name.
  var isAddress: Bool {
    host.hasPrefix("[") || host.split(separator: ".").last?.utf8.first.map { (0x30...0x39).contains($0) } ?? false
  }

  /// Whether no segment of `path` could be read as another one.
  private static func isPlain(_ path: Substring.UTF8View) -> Bool {
    guard let escaped = escapedBytes(in: path), escaped.allSatisfy(needsEscape) else { return false }
    return !path.split(separator: UInt8(ascii: "/")).contains { segment in
      // Servlet containers drop what follows a semicolon before they resolve the dots.
      let name = segment.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "%") }
      return name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
    }
  }

  /// What the percent escapes of `path` stand for; `nil` when one is cut short.
  private static func escapedBytes(in path: Substring.UTF8View) -> [UInt8]? {
    var found: [UInt8] = []
    var rest = path
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
