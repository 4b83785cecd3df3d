/// Rows of text in columns, for a terminal.
enum TextTable {
  static func lines(_ rows: [[String]]) -> String {
    let shown = rows.map { $0.map(printable) }
    let widths = (0..<(shown.map(\.count).max() ?? 0)).map { column in shown.map { $0[column].count }.max() ?? 0 }
    return shown.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return cells.joined(separator: "  ").trimmedEnd
    }.joined(separator: "\n")
  }

  /// Names come from outside; none may command the terminal or reorder the line.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { [.control, .format].contains($0.properties.generalCategory) ? "\u{FFFD}" : $0 }))
  }
}

extension String {
  fileprivate var trimmedEnd: String { String(prefix(upTo: lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)) }
}
