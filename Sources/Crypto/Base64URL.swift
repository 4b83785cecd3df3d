/// Base64 with the URL alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
public enum Base64URL {
  private static let digits = Base64Digits(alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    encode(bytes, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the encoded form of `bytes` to `text`.
  public static func encode(_ bytes: [UInt8], into text: inout [UInt8]) { digits.encode(bytes, into: &text) }

  /// Decodes the one canonical form.
  ///
  /// - Returns: `nil` for padding, white space, another alphabet, or left-over bits that are not zero
  ///   (RFC 4648 §3.5), so that two texts never stand for the same bytes.
  public static func decode(_ text: String) -> [UInt8]? { digits.decode(text.utf8) }

  /// Decodes the one canonical form from ASCII.
  public static func decode(_ text: [UInt8]) -> [UInt8]? { digits.decode(text) }

  /// Decodes the one canonical form from a part of a longer ASCII text.
  public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { digits.decode(text) }
}

/// Base64 with the standard alphabet and padding (RFC 4648 §4).
public enum Base64 {
  private static let digits = Base64Digits(alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    digits.encode(bytes, into: &text)
    while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes the one canonical form: full padding, no white space, left-over bits zero; `nil` for another.
  public static func decode(_ text: String) -> [UInt8]? {
    let text = text.utf8
    guard text.count.isMultiple(of: 4) else { return nil }
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    return digits.decode(text.dropLast(padding))
  }
}

/// The digits of one base64 alphabet and their values.
struct Base64Digits: Sendable {
  private static let none: UInt8 = 0xFF

  private let symbols: [UInt8]
  private let values: [UInt8]

  init(alphabet: StaticString) {
    symbols = Array(alphabet.description.utf8)
    var values = [UInt8](repeating: Self.none, count: 256)
    for (value, symbol) in symbols.enumerated() { values[Int(symbol)] = UInt8(value) }
    self.values = values
  }

  func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
    let (bytes, symbols) = (bytes.span, symbols.span)
    let whole = bytes.count - bytes.count % 3
    text.append(addingCapacity: (bytes.count * 4 + 2) / 3) { output in
      unsafe output.withUnsafeMutableBufferPointer { digits, count in
        var index = 0
        while index < whole {
          let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index &+ 1]) << 8 | UInt32(bytes[index &+ 2])
          // Digits are written four at a time, since tokens are made of little else: room for all was asked for above.
          unsafe digits[count] = symbols[Int(group >> 18)]
          unsafe digits[count &+ 1] = symbols[Int(group >> 12 & 63)]
          unsafe digits[count &+ 2] = symbols[Int(group >> 6 & 63)]
          unsafe digits[count &+ 3] = symbols[Int(group & 63)]
          (index, count) = (index &+ 3, count &+ 4)
        }
      }
      guard whole < bytes.count else { return }
      let isLast = whole + 1 == bytes.count
      let rest = UInt32(bytes[whole]) << 16 | (isLast ? 0 : UInt32(bytes[whole + 1]) << 8)
      output.append(symbols[Int(rest >> 18)])
      output.append(symbols[Int(rest >> 12 & 63)])
      if !isLast { output.append(symbols[Int(rest >> 6 & 63)]) }
    }
  }

  func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var buffer: UInt32 = 0
    var bits = 0
    for symbol in text {
      let value = values[Int(symbol)]
      guard value != Self.none else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    guard bits < 6, buffer & (1 << UInt32(bits) - 1) == 0 else { return nil }
    return bytes
  }
}
