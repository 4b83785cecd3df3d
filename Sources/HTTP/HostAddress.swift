/// Checks of literal addresses in their one plain spelling (RFC 3986 §3.2.2).
enum HostAddress {
  /// Whether a label would be read as a number by the WHATWG URL rules: digits, or `0x` and hexadecimal digits.
  static func isNumeric(_ label: Span<UInt8>) -> Bool {
    var start = 0
    if label.count >= 2, label[0] == UInt8(ascii: "0"), lowercased(label[1]) == UInt8(ascii: "x") { start = 2 }
    for position in start..<label.count {
      guard start == 2 ? hexValue(label[position]) != nil : isDigit(label[position]) else { return false }
    }
    return true
  }

  /// Whether `bytes` are four decimal numbers 0…255 without leading zeros, divided by dots.
  static func isIPv4(_ bytes: Span<UInt8>) -> Bool {
    var numbers = 0
    var digits = 0
    var value = 0
    for position in 0...bytes.count {
      if position == bytes.count || bytes[position] == UInt8(ascii: ".") {
        guard digits > 0, value <= 255 else { return false }
        numbers += 1
        (digits, value) = (0, 0)
        continue
      }
      guard isDigit(bytes[position]), digits < 3, digits == 0 || value > 0 else { return false }
      value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
      digits += 1
    }
    return numbers == 4
  }

  /// Whether `bytes` are an IPv6 address in brackets, without a zone.
  static func isIPv6(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count > 3, bytes[bytes.count - 1] == UInt8(ascii: "]") else { return false }
    let address = bytes.extracting(1..<bytes.count - 1)
    var groups = 0
    var isCompressed = false
    var position = 0
    while position < address.count {
      if address[position] == UInt8(ascii: ":") {
        // Only `::` may stand where a group is expected, once.
        let isPair = position + 1 < address.count && address[position + 1] == UInt8(ascii: ":")
        guard isPair, !isCompressed else { return false }
        isCompressed = true
        position += 2
        continue
      }
      let rest = address.extracting(position...)
      if isIPv4(rest) {
        groups += 2
        break
      }
      guard let length = groupLength(rest) else { return false }
      groups += 1
      position += length
      if position == address.count { break }
      guard address[position] == UInt8(ascii: ":"), position + 1 < address.count else { return false }
      // The colon after a group; a second one is left for the next turn to see as `::`.
      position += address[position + 1] == UInt8(ascii: ":") ? 0 : 1
    }
    return isCompressed ? groups < 8 : groups == 8
  }

  /// The number of hexadecimal digits at the start, 1…4, or `nil`.
  private static func groupLength(_ bytes: Span<UInt8>) -> Int? {
    var length = 0
    while length < bytes.count, hexValue(bytes[length]) != nil { length += 1 }
    return (1...4).contains(length) ? length : nil
  }
}
