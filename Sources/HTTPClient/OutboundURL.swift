public import HTTP

/// An absolute `http` or `https` URL, read so strictly that no other reader can see another host in it.
///
/// Nothing is repaired: what is not plainly a URL of RFC 3986 with a host name or a plain address is refused.
public struct OutboundURL: Sendable, Hashable, CustomStringConvertible {
  public enum Scheme: String, Sendable {
    case http
    case https
  }

  public let scheme: Scheme
  /// The name in lower case, or the address in its canonical form without brackets.
  public let host: String
  /// The address, when the host is one.
  public let address: IPAddress?
  /// The port asked for, or the scheme's own.
  public let port: Int
  /// The path and query as given, beginning with `/`.
  public let target: String

  /// Reads `text`, at most 8 KiB.
  ///
  /// - Throws: ``URLProblem``, the first thing found wrong.
  public init(_ text: String) throws(URLProblem) {
    guard text.utf8.count <= 8192 else { throw .tooLong }
    guard text.utf8.allSatisfy(Self.isAllowed) else { throw .character }
    let name = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    let rest = text.utf8[name.endIndex...]
    guard let scheme = Scheme(rawValue: Substring(name).lowercased()), rest.starts(with: "://".utf8) else {
      throw .scheme
    }
    let authority = rest.dropFirst(3).prefix { $0 != UInt8(ascii: "/") && !Self.isMark($0) }
    let target = text.utf8[authority.endIndex...]
    guard !authority.contains(UInt8(ascii: "@")) else { throw .userInfo }
    guard !target.contains(UInt8(ascii: "#")) else { throw .fragment }
    guard Self.hasWholeEscapes(target) else { throw .character }
    (host, address) = try Self.host(in: Substring(authority))
    port = try Self.port(in: Substring(authority)) ?? (scheme == .https ? 443 : 80)
    self.scheme = scheme
    self.target = target.first == UInt8(ascii: "/") ? String(Substring(target)) : "/" + Substring(target)
  }

  /// The URL written anew from its parts; the port always stands in it.
  public var description: String {
    let name = address?.family == .v6 ? "[\(host)]" : host
    return "\(scheme.rawValue)://\(name):\(port)\(target)"
  }

  /// Whether `byte` may stand anywhere in a URL (RFC 3986 §2): no space, control, backslash, quote, or non-ASCII.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"): false
    case UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"): false
    default: byte > 0x20 && byte < 0x7F
    }
  }

  /// Whether `byte` ends the authority when no path follows.
  private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

  private static func hasWholeEscapes(_ text: Substring.UTF8View) -> Bool {
    text.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
      .allSatisfy { $0.prefix(2).count == 2 && $0.prefix(2).allSatisfy(isHexDigit) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

  /// The host part, checked: an address in brackets, four plain numbers, or a name of letters, digits, `-`, `_`, `.`.
  private static func host(in authority: Substring) throws(URLProblem) -> (String, IPAddress?) {
    if authority.hasPrefix("[") {
      let inner = authority.dropFirst().prefix { $0 != "]" }
      guard inner.endIndex < authority.endIndex, let address = IPAddress(String(inner)), address.family == .v6 else {
        throw .host
      }
      return (address.description, address)
    }
    let name = authority.prefix { $0 != ":" }.lowercased()
    guard !name.hasSuffix(".") else { throw .trailingDot }
    if let address = IPAddress(name) { return (address.description, address) }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard name.utf8.count <= 253, labels.allSatisfy(isLabel) else { throw .host }
    guard !isNumber(labels[labels.count - 1]) else { throw .numericHost }
    return (name, nil)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
  }

  /// Whether a resolver may read a host that ends in `label` as an IPv4 address (WHATWG URL, "ends in a number").
  private static func isNumber(_ label: Substring) -> Bool {
    label.utf8.allSatisfy(isDigit) || label.hasPrefix("0x") && label.utf8.dropFirst(2).allSatisfy(isHexDigit)
  }

  /// The number after the host, 1…65535 without sign and leading zero; `nil` when there is none.
  private static func port(in authority: Substring) throws(URLProblem) -> Int? {
    let after =
      authority.hasPrefix("[")
      ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
    guard !after.isEmpty else { return nil }
    let digits = after.dropFirst()
    guard after.hasPrefix(":"), let port = UInt16(digits), port > 0, String(port) == digits else { throw .port }
    return Int(port)
  }
}

/// What is wrong with a URL.
public enum URLProblem: String, Error, Sendable {
  case tooLong = "The URL is longer than 8 KiB."
  case character = "The URL holds a character or an escape that no URL may hold."
  case scheme = "The URL does not begin with http:// or https://."
  case userInfo = "The URL names a user before the host."
  case fragment = "The URL has a fragment."
  case host = "The URL's host is neither a name nor an address."
  case numericHost = "The URL's host is a number but not a plain IPv4 address."
  case trailingDot = "The URL's host ends with a dot."
  case port = "The URL's port is not a number from 1 to 65535."
}
