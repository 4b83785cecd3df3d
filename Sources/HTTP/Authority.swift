/// The host and port of a URL or a Host field, without user information (RFC 9110 §4.2, RFC 3986 §3.2).
public struct Authority: Sendable, Hashable, CustomStringConvertible {
  /// In lower case: a name, a dotted IPv4 address, or an IPv6 address in brackets.
  public let host: String
  /// As written, 0…65535; `nil` when there is none.
  public let port: Int?

  /// Reads `host` or `host:port`.
  ///
  /// Refuses what different programs read differently: user information, an empty host or port, a name that ends in a
  /// dot, and numbers other than four plain decimals (`127.1`, `0x7f000001`), which some resolvers take as addresses.
  public init?(_ text: String) {
    self.init(Array(text.utf8).span)
  }

  init?(_ bytes: Span<UInt8>) {
    guard let end = Self.endOfHost(bytes) else { return nil }
    host = bytes.text(0..<end).lowercased()
    port = end == bytes.count ? nil : Self.port(bytes.extracting((end + 1)...))
  }

  /// Whether `bytes` are what ``init(_:)`` takes; makes no strings.
  static func isWellFormed(_ bytes: Span<UInt8>) -> Bool { endOfHost(bytes) != nil }

  public var description: String { port.map { "\(host):\($0)" } ?? host }

  /// Where the host ends, or `nil` when host or port is refused.
  private static func endOfHost(_ bytes: Span<UInt8>) -> Int? {
    guard (1...255).contains(bytes.count) else { return nil }
    let isBracketed = bytes[0] == UInt8(ascii: "[")
    let mark = isBracketed ? UInt8(ascii: "]") : UInt8(ascii: ":")
    var end = 0
    while end < bytes.count, bytes[end] != mark { end &+= 1 }
    if isBracketed {
      guard end < bytes.count else { return nil }
      end += 1
    }
    let host = bytes.extracting(..<end)
    guard isBracketed ? HostAddress.isIPv6(host) : isName(host) else { return nil }
    if end < bytes.count {
      guard bytes[end] == UInt8(ascii: ":"), port(bytes.extracting((end + 1)...)) != nil else { return nil }
    }
    return end
  }

  private static func port(_ digits: Span<UInt8>) -> Int? {
    guard (1...5).contains(digits.count) else { return nil }
    var port = 0
    for position in digits.indices {
      guard isDigit(digits[position]) else { return nil }
      port = port * 10 + Int(digits[position] - UInt8(ascii: "0"))
    }
    return port <= 65535 ? port : nil
  }

  /// Whether `bytes` are labels of letters, digits, `-` and `_`, 63 bytes at most each.
  ///
  /// A numeric last label makes it an IPv4 address.
  private static func isName(_ bytes: Span<UInt8>) -> Bool {
    var labelStart = 0
    for position in bytes.indices where bytes[position] == UInt8(ascii: ".") {
      guard isLabel(bytes.extracting(labelStart..<position)) else { return false }
      labelStart = position + 1
    }
    let last = bytes.extracting(labelStart...)
    guard isLabel(last) else { return false }
    return HostAddress.isNumeric(last) ? HostAddress.isIPv4(bytes) : true
  }

  private static func isLabel(_ bytes: Span<UInt8>) -> Bool {
    guard (1...63).contains(bytes.count) else { return false }
    let hyphen = UInt8(ascii: "-")
    guard bytes[0] != hyphen, bytes[bytes.count - 1] != hyphen else { return false }
    for position in bytes.indices {
      let byte = bytes[position]
      let isLetter = lowercased(byte) &- UInt8(ascii: "a") < 26
      guard isLetter || isDigit(byte) || byte == hyphen || byte == UInt8(ascii: "_") else { return false }
    }
    return true
  }
}

extension Request {
  /// The host and port the request is meant for; `nil` in HTTP/1.0 without Host.
  public var authority: Authority? { headers["host"].flatMap(Authority.init) }
}
