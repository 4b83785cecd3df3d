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

  /// `scheme://host[:port]`, without a default port.
  public let origin: String

  /// Parses `text`; `nil` when it is not a plain http or https URL.
  public init?(_ text: String) {
    let bytes = text.utf8Span.span
    guard bytes.count <= 4096, Self.isHarmless(bytes), let scheme = Self.scheme(of: bytes) else { return nil }
    // Everything is ASCII from here on: an offset among the bytes is one among the characters.
    let pathStart = bytes.first(from: scheme.end) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    let queryStart = bytes.first(from: pathStart) { $0 == UInt8(ascii: "?") }
    let standard = scheme.isHTTPS ? 443 : 80
    guard let (host, port) = Self.split(text, scheme.end..<pathStart, defaultPort: standard),
      Self.isPlain(bytes.extracting(pathStart..<queryStart)),
      Self.hasWholeEscapes(bytes.extracting(queryStart..<bytes.count))
    else { return nil }
    isHTTPS = scheme.isHTTPS
    self.host = host
    self.port = port
    path = pathStart == queryStart ? "/" : text.part(pathStart..<queryStart)
    query = queryStart < bytes.count ? text.part(queryStart + 1..<bytes.count) : ""
    let hostAndPort = port == standard ? host : "\(host):\(port)"
    origin = (isHTTPS ? "https://" : "http://") + hostAndPort
  }

  /// The whole URL in canonical form.
  public var text: String { query.isEmpty ? withoutQuery : "\(withoutQuery)?\(query)" }

  /// The URL without its query, in canonical form.
  public var withoutQuery: String { origin + path }

  /// The same host and path by http in place of https, or the other way round; a port that is not the scheme's own stays.
  public var byOtherScheme: ResourceURL? {
    ResourceURL("\(isHTTPS ? "http" : "https")\(text.dropFirst(isHTTPS ? 5 : 4))")
  }

  /// Whether the path is `path` or lies below it, by whole segments.
  public func isWithin(_ path: String) -> Bool {
    guard self.path.hasPrefix(path) else { return false }
    let rest = self.path.utf8.dropFirst(path.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }

  /// What may stand in a URL without its fragment (RFC 3986 §2): no blanks, backslashes, quotes, brackets of other kinds.
  private static func isHarmless(_ bytes: Span<UInt8>) -> Bool {
    // One bit per character, since this runs for every byte of every URL: all but controls, blank and "#<>\^`{|}.
    let set: (UInt64, UInt64) = (0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_AFFF_FFFF)
    for position in bytes.indices {
      let byte = bytes[position]
      guard byte < 128, (byte < 64 ? set.0 : set.1) &>> UInt64(byte & 63) & 1 == 1 else { return false }
    }
    return true
  }

  private static func hasWholeEscapes(_ query: Span<UInt8>) -> Bool {
    var position = query.first(from: 0) { $0 == UInt8(ascii: "%") }
    while position < query.count {
      guard position + 2 < query.count, hexValue(query[position + 1]) != nil, hexValue(query[position + 2]) != nil
      else { return false }
      position = query.first(from: position + 3) { $0 == UInt8(ascii: "%") }
    }
    return true
  }

  /// Whether the scheme is https, and where what follows it begins; `nil` for any but http and https.
  private static func scheme(of bytes: Span<UInt8>) -> (isHTTPS: Bool, end: Int)? {
    let isHTTPS = bytes.count > 4 && bytes[4] | 0x20 == UInt8(ascii: "s")
    let expected = isHTTPS ? "https://" : "http://"
    let count = expected.utf8.count
    guard bytes.count > count else { return nil }
    var position = 0
    for letter in expected.utf8 {
      let byte = bytes[position]
      guard byte == letter || isAlphanumeric(byte) && byte | 0x20 == letter else { return nil }
      position += 1
    }
    return (isHTTPS, count)
  }

  private static func split(_ text: String, _ range: Range<Int>, defaultPort: Int) -> (String, Int)? {
    let bytes = text.utf8Span.span
    guard let start = range.first else { return nil }
    if bytes[start] == UInt8(ascii: "[") {
      let close = bytes.first(from: start) { $0 == UInt8(ascii: "]") }
      guard close < range.upperBound, let address = IPv6Address(Substring(text.part(start + 1..<close))) else {
        return nil
      }
      return port(of: bytes.extracting(close + 1..<range.upperBound), defaultPort).map { ("[\(address.text)]", $0) }
    }
    let colon = min(bytes.first(from: start) { $0 == UInt8(ascii: ":") }, range.upperBound)
    guard isHostName(bytes.extracting(start..<colon)),
      let port = port(of: bytes.extracting(colon..<range.upperBound), defaultPort)
    else { return nil }
    return (text.part(start..<colon).lowercased(), port)
  }

  /// The number behind the colon: one to five digits, the first not 0.
  private static func port(of bytes: Span<UInt8>, _ defaultPort: Int) -> Int? {
    if bytes.isEmpty { return defaultPort }
    guard bytes[0] == UInt8(ascii: ":"), (2...6).contains(bytes.count), bytes[1] != UInt8(ascii: "0") else {
      return nil
    }
    var port = 0
    for position in 1..<bytes.count {
      guard isDigit(bytes[position]) else { return nil }
      port = port * 10 + Int(bytes[position] - UInt8(ascii: "0"))
    }
    return port <= 65535 ? port : nil
  }

  /// Letters, digits, hyphens and single dots; all-numeric names must be a dotted quad, since others are addresses in
  /// disguise (`0x7f000001`, `2130706433`, `127.1`).
  private static func isHostName(_ name: Span<UInt8>) -> Bool {
    guard name.count <= 253 else { return false }
    var start = 0
    var labels = 0
    var areOctets = true
    while true {
      let end = name.first(from: start) { $0 == UInt8(ascii: ".") }
      let label = name.extracting(start..<end)
      guard isLabel(label) else { return false }
      areOctets = areOctets && isOctet(label)
      labels += 1
      if end == name.count { return !isDigit(label[0]) || labels == 4 && areOctets }
      start = end + 1
    }
  }

  /// Letters, digits and hyphens, these not at the ends (RFC 1123 §2.1).
  private static func isLabel(_ label: Span<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    guard (1...63).contains(label.count), label[0] != hyphen, label[label.count - 1] != hyphen else { return false }
    for position in label.indices {
      guard isAlphanumeric(label[position]) || label[position] == hyphen else { return false }
    }
    return true
  }

  /// A number from 0 to 255 without leading zeros.
  private static func isOctet(_ label: Span<UInt8>) -> Bool {
    guard label.count <= 3, label[0] != UInt8(ascii: "0") || label.count == 1 else { return false }
    var number = 0
    for position in label.indices {
      guard isDigit(label[position]) else { return false }
      number = number * 10 + Int(label[position] - UInt8(ascii: "0"))
    }
    return number <= 255
  }

  /// Whether the host is an address, not a name.
  var isAddress: Bool {
    host.hasPrefix("[") || host.split(separator: ".").last?.utf8.first.map { (0x30...0x39).contains($0) } ?? false
  }

  /// Whether no segment of `path` could be read as another one.
  private static func isPlain(_ path: Span<UInt8>) -> Bool {
    var start = 0
    while start < path.count {
      let end = path.first(from: start) { $0 == UInt8(ascii: "/") }
      guard isPlainSegment(path.extracting(start..<end)) else { return false }
      start = end + 1
    }
    return true
  }

  private static func isPlainSegment(_ segment: Span<UInt8>) -> Bool {
    var position = segment.first(from: 0) { $0 == UInt8(ascii: "%") }
    while position < segment.count {
      guard position + 2 < segment.count, let high = hexValue(segment[position + 1]),
        let low = hexValue(segment[position + 2]), needsEscape(high << 4 | low)
      else { return false }
      position = segment.first(from: position + 3) { $0 == UInt8(ascii: "%") }
    }
    // Servlet containers drop what follows a semicolon before they resolve the dots.
    let end = segment.first(from: 0) { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") }
    guard (1...2).contains(end) else { return true }
    return segment[0] != UInt8(ascii: ".") || segment[end - 1] != UInt8(ascii: ".")
  }

  /// Whether an escape of `byte` has one meaning only: not a control, not what separates or hides segments, and not a
  /// letter, digit, hyphen or underscore, which need none (RFC 3986 §2.3).
  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && !"%./\\-_".utf8.contains(byte) && !isAlphanumeric(byte)
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

extension Span where Element == UInt8 {
  /// The offset of the first byte from `start` on that is one of those wanted; else the end.
  fileprivate func first(from start: Int, where isWanted: (UInt8) -> Bool) -> Int {
    var position = start
    while position < count, !isWanted(self[position]) { position += 1 }
    return position
  }
}

extension String {
  /// The characters at these offsets; every character before and among them is ASCII.
  fileprivate func part(_ range: Range<Int>) -> String {
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    return String(self[start..<utf8.index(start, offsetBy: range.count)])
  }
}
