/// What a user name is counted by: names that an upstream might take for the same have the same.
///
/// Directories compare names without case, accents, width and what nobody sees (RFC 8265, Unicode TR36), each in its own
/// way. To count two names as one is harmless; to count one as two lets more passwords through than meant.
public struct FoldedUsername: Sendable, Equatable {
  public let text: String

  public init(_ username: String) {
    var folded = ""
    for scalar in username.unicodeScalars {
      // Capitals first: that undoes ligatures, sharp s, long s and the dotless i.
      for capital in scalar.properties.uppercaseMapping.unicodeScalars {
        for small in capital.properties.lowercaseMapping.unicodeScalars { folded += Self.fold(small) }
      }
    }
    text = folded
  }

  /// Of a name that may have its domain before it (`CITY\\ana`) or behind it (`ana@city.example`).
  public init(inDirectory username: String) {
    let scalars = username.unicodeScalars
    let afterDomain = scalars.lastIndex(of: "\\").map { scalars[scalars.index(after: $0)...] } ?? scalars[...]
    self.init(String(afterDomain.prefix { $0 != "@" }))
  }

  private static func fold(_ scalar: Unicode.Scalar) -> String {
    let properties = scalar.properties
    guard !properties.isWhitespace, !properties.isDefaultIgnorableCodePoint else { return "" }
    switch properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark: return ""
    default: break
    }
    if scalar.isASCII { return String(scalar) }
    if let value = properties.numericValue, properties.numericType != .numeric { return String(Int(value)) }
    // The standard library has no compatibility mapping to offer, but its names end in what they are a form of:
    // FULLWIDTH LATIN SMALL LETTER A, MATHEMATICAL BOLD SMALL A, LATIN SMALL LETTER A WITH ACUTE.
    guard let name = properties.name else { return String(scalar) }
    let base = name.firstRange(of: " WITH ").map { name[..<$0.lowerBound] } ?? name[...]
    return base.split(separator: " ").last?.lowercased() ?? String(scalar)
  }
}
