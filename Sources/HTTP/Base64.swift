/// Strict decoding of standard base64 (RFC 4648 §4).
enum Base64 {
  private static let none: UInt8 = 0xFF
  /// What each byte stands for.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: none, count: 256)
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// The bytes `text` stands for; `nil` for other characters, missing padding, or bits that are left over.
  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    var end = text.count
    while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    let (values, whole) = (values.span, end & ~3)
    // What stands for no digit has bits that no digit has: it is enough to look for them in the end.
    var (seen, rest, held) = (UInt8(0), UInt32(0), UInt32(0))
    let output = [UInt8](capacity: end * 3 / 4) { output in
      var position = 0
      while position < whole {
        let (first, second) = (values[Int(text[position])], values[Int(text[position &+ 1])])
        let (third, fourth) = (values[Int(text[position &+ 2])], values[Int(text[position &+ 3])])
        seen |= first | second | third | fourth
        output.append(first << 2 | second >> 4 & 0x03)
        output.append(second << 4 | third >> 2 & 0x0F)
        output.append(third << 6 | fourth & 0x3F)
        position &+= 4
      }
      while position < end {
        let value = values[Int(text[position])]
        seen |= value
        (rest, held) = (rest << 6 | UInt32(value & 0x3F), held &+ 6)
        if held >= 8 {
          held &-= 8
          output.append(UInt8(truncatingIfNeeded: rest >> held))
        }
        position &+= 1
      }
    }
    // What the padding leaves over must be zero: else many texts would stand for the same bytes (RFC 4648 §3.5).
    return seen < 0x40 && rest & (1 << held - 1) == 0 ? output : nil
  }
}
