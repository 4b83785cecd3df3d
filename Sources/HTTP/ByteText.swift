import UnicodeText

/// Text made from and compared with message bytes.
extension Span where Element == UInt8 {
  /// The bytes as a string; what is not UTF-8 is replaced (RFC 9110 §5.5 leaves such octets without meaning).
  func text(_ range: Range<Int>) -> String {
    let bytes = extracting(range)
    guard let valid = bytes.validText else { return String(decoding: bytes.copy(), as: UTF8.self).streamSafe }
    return valid
  }

  /// The bytes as a string that is safe to compare, or `nil` when they are not UTF-8.
  var validText: String? {
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: self)).streamSafe
    } catch {
      return nil
    }
  }

  /// The bytes as an array.
  func copy() -> [UInt8] {
    [UInt8](capacity: count) { output in
      for position in indices { output.append(self[position]) }
    }
  }

  /// Whether the bytes are those of `text`.
  func equals(_ text: String) -> Bool {
    guard text.utf8.count == count else { return false }
    let bytes = text.utf8Span.span
    for position in bytes.indices {
      guard self[position] == bytes[position] else { return false }
    }
    return true
  }

  /// Whether the bytes in `range` are `word`, which is in lower case, when letters compare without case.
  func matches(_ range: Range<Int>, _ word: String) -> Bool {
    guard word.utf8.count == range.count else { return false }
    let letters = word.utf8Span.span
    for offset in letters.indices {
      guard lowercased(self[range.lowerBound &+ offset]) == letters[offset] else { return false }
    }
    return true
  }

  /// `range` without the spaces and tabs at both ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper, isBlank(self[lower]) { lower &+= 1 }
    while upper > lower, isBlank(self[upper &- 1]) { upper &-= 1 }
    return lower..<upper
  }

  /// The members of a comma-separated list, trimmed; empty ones stay (RFC 9110 §5.6.1).
  func listMembers(_ range: Range<Int>) -> [Range<Int>] {
    var members: [Range<Int>] = []
    var start = range.lowerBound
    for position in range where self[position] == UInt8(ascii: ",") {
      members.append(trimmed(start..<position))
      start = position &+ 1
    }
    members.append(trimmed(start..<range.upperBound))
    return members
  }
}

extension Array where Element == UInt8 {
  /// Appends `bytes`.
  mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { output in
      for position in bytes.indices { output.append(bytes[position]) }
    }
  }
}

/// An ASCII letter in lower case; any other byte as it is.
@inline(__always) func lowercased(_ byte: UInt8) -> UInt8 {
  byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
}

/// Whether `byte` is a decimal digit.
@inline(__always) func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// Whether `byte` is a space or a tab.
@inline(__always) func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// The value of a hexadecimal digit, or `nil`.
@inline(__always) func hexValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
  default: nil
  }
}

let carriageReturn: UInt8 = 0x0D
let lineFeed: UInt8 = 0x0A
let space: UInt8 = 0x20
