/// Replaces strings of a JSON text on its way, in bounded memory; everything else passes as it came.
///
/// The text is not checked: what is no JSON comes out as it went in, but for what looks like such a string.
public struct JSONStringRewriter {
  /// In bytes, escapes included; a longer string passes.
  public static let longestString = 8 * 1024

  private enum Place {
    case outside
    /// In a string that passes.
    case passing
    /// In a string that is held back, since it may be replaced.
    case holding
  }

  /// What the strings begin with that may be replaced, in lower case.
  private let beginning: [UInt8]
  private let replacement: (String) -> String?
  private var place = Place.outside
  /// Whether the byte before was the backslash of an escape.
  private var isEscaped = false
  /// The string so far, without its quotation marks.
  private var held: [UInt8] = []

  /// `replacement` is given each string that begins with `beginning`, which has no escapes and no capitals, in whatever
  /// case, and gives what stands in its place, or `nil`.
  public init(of beginning: String, replacement: @escaping (String) -> String?) {
    self.beginning = Array(beginning.utf8)
    self.replacement = replacement
  }

  /// Takes the next piece of the text, and gives what can go on of it.
  public mutating func take(_ piece: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(piece.count + held.count + 64)
    let bytes = piece.span
    // What was not copied yet begins here.
    var start = 0
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch place {
      case .outside where byte == Self.quote:
        output += piece[start..<position]
        (start, place) = (position, .holding)
      case .outside: continue
      case .passing, .holding:
        if isEscaped {
          isEscaped = false
        } else if byte == Self.backslash {
          isEscaped = true
        } else if byte == Self.quote {
          if place == .holding {
            held += piece[start..<position - 1]
            release(to: &output)
            start = position - 1
          }
          place = .outside
          continue
        }
        guard place == .holding, !mayBeReplaced(piece[start..<position]) else { continue }
        output += held
        held = []
        place = .passing
      }
    }
    if place == .holding { held += piece[start...] } else { output += piece[start...] }
    return output
  }

  /// What is left at the end: nothing, unless the text breaks off in a string.
  public mutating func finish() -> [UInt8] {
    defer { held = [] }
    return held
  }

  /// Whether the string that is held, with what came last of it, can still be one to replace.
  private func mayBeReplaced(_ last: ArraySlice<UInt8>) -> Bool {
    let length = held.count + last.count
    if length > beginning.count { return length <= Self.longestString }
    guard let byte = last.last else { return true }
    return byte == beginning[length - 1] || (0x41...0x5A).contains(byte) && byte | 0x20 == beginning[length - 1]
  }

  private mutating func release(to output: inout [UInt8]) {
    defer { held = [] }
    guard held.count >= beginning.count, let text = Self.text(of: held), let new = replacement(text) else {
      output += held
      return
    }
    var json = JSONWriter(capacity: new.utf8.count + 2)
    json.value(new)
    output += json.bytes.dropFirst().dropLast()
  }

  private static func text(of held: [UInt8]) -> String? {
    guard held.contains(backslash) else { return String(validating: held, as: UTF8.self) }
    return try? JSONValue(parsing: [quote] + held + [quote]).string
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
}
