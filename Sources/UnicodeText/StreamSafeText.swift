/// Text from outside, made safe to compare and to hash.
///
/// Strings are equal in Swift when they are canonically equivalent, for which the marks on each letter are sorted: of a
/// letter with some ten thousand marks, one comparison takes seconds. The Stream-Safe Text Format (UAX #15 §13) allows
/// thirty in a row, more than any language needs.
extension String {
  /// The text that `bytes` are in UTF-8, in the Stream-Safe Text Format; `nil` when they are not UTF-8.
  public init?(streamSafe bytes: some Sequence<UInt8>) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self = text.streamSafe
  }

  /// The same with U+034F COMBINING GRAPHEME JOINER, which nobody sees, after each thirty marks in a row.
  public var streamSafe: String {
    if utf8Span.isKnownASCII || !unicodeScalars.hasLongRun { return self }
    var (safe, run) = (UnicodeScalarView(), 0)
    for scalar in unicodeScalars {
      run = scalar.isMark ? run + 1 : 0
      if run > UnicodeScalarView.longestRun {
        safe.append("\u{34F}")
        run = 1
      }
      safe.append(scalar)
    }
    return String(safe)
  }
}

extension String.UnicodeScalarView {
  fileprivate static let longestRun = 30

  fileprivate var hasLongRun: Bool {
    var run = 0
    for scalar in self {
      run = scalar.isMark ? run + 1 : 0
      if run > Self.longestRun { return true }
    }
    return false
  }
}

extension Unicode.Scalar {
  /// Whether normalization may move it past its neighbours; below U+0300 there are none.
  fileprivate var isMark: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}
