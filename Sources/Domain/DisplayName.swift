/// What people read of a client or a connection.
public enum DisplayName {
  /// Whether people see the name as it is: 1 to 100 bytes, of which none hides or moves others.
  public static func isPlain(_ name: String) -> Bool {
    isVisible(name) && name.utf8.count <= 100
  }

  /// Whether something of the text shows, and nothing in it hides or moves other parts or breaks the line.
  static func isVisible(_ text: String) -> Bool {
    let isHidden = text.unicodeScalars.contains {
      $0.properties.isDefaultIgnorableCodePoint
        || [.control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned].contains(
          $0.properties.generalCategory)
    }
    // The blank of Braille is a letter to Unicode.
    return !isHidden && text.contains { !$0.isWhitespace && $0 != "\u{2800}" }
  }

  /// Whether people would take one name for the other.
  public static func areAlike(_ first: String, _ second: String) -> Bool { folded(first) == folded(second) }

  private static func folded(_ name: String) -> [Substring] { name.lowercased().split { $0.isWhitespace } }
}
