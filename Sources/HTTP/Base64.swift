/// Strict decoding of standard base64 (RFC 4648 §4).
enum Base64 {
  /// The bytes `text` stands for; `nil` for other characters, missing padding, or bits that are left over.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var output: [UInt8] = []
    output.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var held = 0
    for byte in text.dropLast(padding) {
      guard let value = value(byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      held += 6
      if held >= 8 {
        held -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
      }
    }
    // What the padding leaves over must be zero: else many texts would stand for the same bytes (RFC 4648 §3.5).
    return bits & (1 << UInt32(held) - 1) == 0 ? output : nil
  }

  private static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
