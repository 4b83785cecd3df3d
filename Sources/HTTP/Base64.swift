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
    let values = values
    var (bits, held, isStrange) = (UInt32(0), UInt32(0), false)
    let output = [UInt8](capacity: end * 3 / 4) { output in
      for position in 0..<end {
        let value = values[Int(text[position])]
        if value == none { isStrange = true }
        bits = bits << 6 | UInt32(value & 0x3F)
        held += 6
        if held >= 8 {
          held -= 8
          output.append(UInt8(truncatingIfNeeded: bits >> held))
        }
      }
    }
    // What the padding leaves over must be zero: else many texts would stand for the same bytes (RFC 4648 §3.5).
    return !isStrange && bits & (1 << held - 1) == 0 ? output : nil
  }
}
