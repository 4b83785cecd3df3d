/// Percent-encoding (RFC 3986 §2.1).
public enum PercentCoding {
  /// `text` with every byte but letters, digits and `-._~` escaped, fit for any part of a URL and for form bodies.
  public static func encode(_ text: String) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count + 16)
    append(text, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// The bytes that `text` stands for, or `nil` when an escape is malformed.
  ///
  /// With `plusIsSpace` a `+` stands for a space, as forms write it.
  public static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8]? {
    decode(Array(text.utf8).span, plusIsSpace: plusIsSpace)
  }

  static func decode(_ bytes: Span<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "%") {
        guard position + 2 < bytes.count, let high = hexValue(bytes[position + 1]),
          let low = hexValue(bytes[position + 2])
        else { return nil }
        output.append(high << 4 | low)
        position += 3
      } else {
        output.append(plusIsSpace && byte == UInt8(ascii: "+") ? space : byte)
        position += 1
      }
    }
    return output
  }

  /// The text that a part of a form stands for; `nil` when it is not percent-encoded UTF-8, or holds NUL.
  static func formText(_ bytes: Span<UInt8>) -> String? {
    // As most tokens do.
    if bytes.endOfFormLiteral == bytes.count { return bytes.validText }
    guard let decoded = decode(bytes, plusIsSpace: true), !decoded.contains(0) else { return nil }
    return decoded.span.validText
  }

  static func append(_ text: String, to output: inout [UInt8]) {
    for byte in text.utf8 {
      if isUnreserved(byte) {
        output.append(byte)
      } else {
        output.append(UInt8(ascii: "%"))
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 0x0F))
      }
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: isDigit(byte) || lowercased(byte) &- UInt8(ascii: "a") < 26
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
