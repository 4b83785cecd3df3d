/// What people read of a client or a connection.
public enum DisplayName {
  /// Whether people see the name as it is: 1 to 100 bytes, of which none hides or moves others.
  public static func isPlain(_ name: String) -> Bool {
    isVisible(name) && name.utf8.count <= 100
  }

  /// `text` as it can be shown in one line: without what hides or moves other parts, and cut to 100 bytes; `nil` when
  /// nothing of it is left.
  public static func plain(_ text: String) -> String? {
    var plain = ""
    for character in text {
      let shown = isVisible(String(character)) || character == " " ? character : " "
      guard plain.utf8.count + String(shown).utf8.count <= 100 else { break }
      plain.append(shown)
    }
    return isPlain(plain) ? plain : nil
  }

  /// Whether something of the text shows, and nothing in it hides or moves other parts or breaks the line.
  public static func isVisible(_ text: String) -> Bool {
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
