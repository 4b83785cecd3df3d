/// The few constructs of DER (ITU-T X.690) that keys and signatures need.
enum DER {
  static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

  static func bitString(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

  /// A number that is not negative, from big-endian bytes with or without leading zeros.
  static func integer(_ number: some Collection<UInt8>) -> [UInt8] {
    let digits = Array(number.drop { $0 == 0 })
    return element(0x02, (digits.first ?? 0x80) < 0x80 ? digits : [0] + digits)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    [tag] + length(content.count) + content
  }

  private static func length(_ count: Int) -> [UInt8] {
    if count < 0x80 { return [UInt8(count)] }
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }.drop { $0 == 0 }
    return [0x80 | UInt8(digits.count)] + digits
  }
}
