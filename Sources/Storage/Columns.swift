import SQL

/// A fixed list of column names, which several statements select and one initializer reads.
struct Columns {
  let text: StaticString

  init(_ text: StaticString) { self.text = text }
}

extension Statement.Interpolation {
  /// Puts a fixed column list into a statement: text of this program, never a value.
  mutating func appendInterpolation(_ columns: Columns) { appendLiteral("\(columns.text)") }
}
