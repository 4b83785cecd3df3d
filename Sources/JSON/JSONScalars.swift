import UnicodeText

extension JSONReader {
  /// Reads a number (RFC 8259 §6).
  mutating func number() throws(JSONFailure) -> JSONValue {
    let start = at
    let negative = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    var whole = true
    if take(UInt8(ascii: ".")) {
      whole = false
      try digits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      whole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if whole, let integer = Int64(text), !(negative && integer == 0) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { throw failure(.numberOutOfRange, at: start) }
    return .number(number)
  }

  private mutating func digits() throws(JSONFailure) {
    guard isDigit(current) else { throw unexpected() }
    while isDigit(current) { at += 1 }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

  /// Reads a string whose opening quote is at the cursor (RFC 8259 §7).
  mutating func string() throws(JSONFailure) -> String {
    at += 1
    let start = at
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        defer { at += 1 }
        return try text(bytes[start..<at], from: start)
      case UInt8(ascii: "\\"): return try escapedString(from: start)
      case 0..<0x20: throw unexpected()
      default: at += 1
      }
    }
    throw unexpected()
  }

  private func text(_ slice: some Sequence<UInt8>, from start: Int) throws(JSONFailure) -> String {
    guard let text = String(streamSafe: slice) else { throw failure(.invalidText, at: start) }
    return text
  }

  /// Goes on with a string at its first backslash.
  private mutating func escapedString(from start: Int) throws(JSONFailure) -> String {
    var content = Array(bytes[start..<at])
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return try text(content, from: start)
      case UInt8(ascii: "\\"):
        at += 1
        try escape(into: &content)
      case 0..<0x20: throw unexpected()
      default:
        content.append(byte)
        at += 1
      }
    }
    throw unexpected()
  }

  private mutating func escape(into content: inout [UInt8]) throws(JSONFailure) {
    guard at < bytes.count else { throw unexpected() }
    let byte = bytes[at]
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0C)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"): content.append(contentsOf: String(try unicodeEscape()).utf8)
    default: throw failure(.invalidEscape, at: at - 1)
    }
  }

  /// Reads `XXXX` or `XXXX\uXXXX` after `\u`; refuses half a surrogate pair.
  private mutating func unicodeEscape() throws(JSONFailure) -> Unicode.Scalar {
    let start = at
    let first = try fourHexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw failure(.invalidText, at: start)
    }
    let second = try fourHexDigits()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw failure(.invalidText, at: start) }
    return scalar
  }

  private mutating func fourHexDigits() throws(JSONFailure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(current)).hexDigitValue else {
        throw at < bytes.count ? failure(.invalidEscape) : unexpected()
      }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }
}
