/// What a person types to tell their device's request from others (RFC 8628 §6.1).
///
/// Eight of twenty consonants, about 34.5 bits: no word comes about, and nothing looks like a digit.
public struct UserCode: Sendable, Equatable {
  public static let length = 8
  public static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  /// Eight capitals.
  public let letters: String

  /// Makes one of random bytes; those that would make some letters likelier than others are dropped.
  public init(from random: () -> UInt8) {
    let end = 256 / Self.alphabet.count * Self.alphabet.count
    var letters: [UInt8] = []
    while letters.count < Self.length {
      let number = Int(random())
      if number < end { letters.append(Self.alphabet[number % Self.alphabet.count]) }
    }
    self.letters = String(decoding: letters, as: UTF8.self)
  }

  /// Reads what was typed: case, blanks and hyphens do not count; `nil` when it cannot be a code.
  public init?(typed text: String) {
    let letters = text.uppercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
    self.letters = String(decoding: letters, as: UTF8.self)
  }

  /// As it is shown: `WDJB-MJHT`.
  public var shown: String { "\(letters.prefix(4))-\(letters.suffix(4))" }
}
