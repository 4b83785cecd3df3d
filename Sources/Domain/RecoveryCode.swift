/// A code on paper that stands in for the second factor once.
public struct RecoveryCode: Sendable, Equatable {
  /// How many are made together.
  public static let count = 10
  /// Random bytes of each.
  public static let size = 10
  private static let length = 16

  /// Sixteen letters and digits of base 32.
  public let letters: String

  /// Reads what a person typed, with any case and with hyphens and blanks anywhere; `nil` when it cannot be one.
  public init?(typed: String) {
    let letters = typed.uppercased().filter { $0 != "-" && !$0.isWhitespace }
    guard letters.utf8.count == Self.length,
      letters.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) })
    else { return nil }
    self.letters = letters
  }

  /// In groups of four, as it is shown.
  public var text: String {
    stride(from: 0, to: Self.length, by: 4).map { String(letters.dropFirst($0).prefix(4)) }.joined(separator: "-")
  }
}
