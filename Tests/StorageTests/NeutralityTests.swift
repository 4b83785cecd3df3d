import Glibc
import Testing

/// Reads the queries where they are written, so that none can be left out.
@Suite("Every statement means the same on every database")
struct NeutralityTests {
  private struct SQLText: CustomTestStringConvertible {
    let file: String
    let text: String
    /// Whether all the rows it yields are used, not only the first.
    let yieldsRows: Bool

    var testDescription: String { "\(file): \(text.prefix(60))" }
  }

  private static let statements = files().flatMap { statements(in: $0.text, of: $0.name) }

  @Test("there are statements to look at")
  func isNotEmpty() { #expect(Self.statements.count > 100) }

  @Test("none uses what only one database knows, nor the database's clock")
  func words() {
    let forbidden = [
      #/\bLIKE\b/#, #/\bGLOB\b/#, #/\bILIKE\b/#, #/\bREGEXP\b/#, #/\bPRAGMA\b/#, #/\bAUTOINCREMENT\b/#, #/\bROWID\b/#,
      #/\bCOLLATE\b/#, #/\bINSERT OR\b/#, #/\bREPLACE INTO\b/#, #/\bWITHOUT ROWID\b/#, #/\bSTRICT\b/#,
      #/\bGENERATED\b/#,
      #/\bCURRENT_TIMESTAMP\b/#, #/\bNOW\s*\(/#, #/\bDATETIME\s*\(/#, #/\bSTRFTIME\s*\(/#, #/\bUNIXEPOCH\s*\(/#,
      #/\bRANDOM\s*\(/#, #/\bIFNULL\s*\(/#, #/\bIIF\s*\(/#, #/\bINSTR\s*\(/#, #/\bCHAR\s*\(/#, #/\bGROUP_CONCAT\s*\(/#,
      #/\bTOTAL\s*\(/#, #/\bLAST_INSERT/#, #/\bCHANGES\s*\(/#, #/\bLOWER\s*\(/#, #/\bUPPER\s*\(/#, #/::/#, #/==/#,
      #/\?/#,
      #/`/#, #/\[/#,
    ]
    for statement in Self.statements {
      for pattern in forbidden {
        #expect(
          statement.text.firstMatch(of: pattern.ignoresCase()) == nil, "\(statement.testDescription) has \(pattern)")
      }
    }
  }

  @Test("no bare EXISTS stands among the columns that a statement yields")
  func exists() {
    for statement in Self.statements {
      for list in statement.text.matches(of: #/SELECT\s(.*?)\sFROM\s/#.dotMatchesNewlines().ignoresCase()) {
        #expect(!list.1.uppercased().contains("EXISTS"), "\(statement.testDescription)")
      }
    }
  }

  @Test("a placeholder that may be NULL says its type where nothing else does")
  func typedNulls() {
    for statement in Self.statements {
      #expect(statement.text.firstMatch(of: #/\$\d*\s+IS\b/#.ignoresCase()) == nil, "\(statement.testDescription)")
    }
  }

  @Test("whatever yields several rows, or the first few, says in which order")
  func order() {
    for statement in Self.statements where statement.text.hasPrefix("SELECT") {
      let text = statement.text.uppercased()
      #expect(!statement.yieldsRows || text.contains("ORDER BY"), "\(statement.testDescription)")
      let several = text.contains("LIMIT") && text.firstMatch(of: #/LIMIT 1\b/#) == nil
      #expect(!several || text.contains("ORDER BY"), "\(statement.testDescription)")
    }
    for statement in Self.statements where statement.text.contains("LIMIT 500") {
      #expect(statement.text.contains("ORDER BY"), "\(statement.testDescription)")
    }
  }

  @Test("columns are text, bigint or blob, and every table has a key")
  func types() {
    let tables = Self.statements.filter { $0.text.hasPrefix("CREATE TABLE") }
    #expect(tables.count > 20)
    for table in tables {
      guard let open = table.text.firstIndex(of: "("), let close = table.text.lastIndex(of: ")") else {
        Issue.record("\(table.testDescription) has no columns")
        continue
      }
      #expect(table.text.contains("PRIMARY KEY"), "\(table.testDescription)")
      let definitions = table.text[table.text.index(after: open)..<close].split(separator: ",")
      for words in definitions.map({ $0.split(whereSeparator: \.isWhitespace) }) where words.count > 1 {
        let first = words[0].uppercased()
        guard !["PRIMARY", "UNIQUE", "FOREIGN"].contains(first), words[0].last != ")" else { continue }
        // The one `integer` is SQLite's row number; elsewhere it has to become a `bigint`.
        let isRowNumber = words.joined(separator: " ") == "id integer NOT NULL PRIMARY KEY"
        #expect(
          ["text", "bigint", "blob"].contains(words[1]) || isRowNumber, "\(words[0]) in \(table.testDescription)")
      }
    }
  }

  @Test("a value stands in a statement only as a placeholder")
  func binds() {
    let literal = #/'([^']*)'/#
    let known: Set<Substring> = ["active", "closing", "reauth_required", "clock", ""]
    for statement in Self.statements {
      for match in statement.text.matches(of: literal) {
        #expect(known.contains(match.1), "\(match.1) in \(statement.testDescription)")
      }
    }
  }

  // MARK: - Reading the sources

  private static func statements(in source: String, of file: String) -> [SQLText] {
    let literal = #/"""(?<long>.*?)"""|"(?<short>[^"\n]*)"/#.dotMatchesNewlines()
    return source.matches(of: literal).compactMap { match in
      let text = (match.output.long ?? match.output.short ?? "").drop(while: \.isWhitespace)
      guard ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE "].contains(where: text.hasPrefix) else { return nil }
      let before = source[..<match.range.lowerBound].suffix(40).filter { !$0.isWhitespace }
      return SQLText(file: file, text: withoutValues(text), yieldsRows: before.hasSuffix("rows("))
    }
  }

  /// The text with `$` for each interpolation, as the driver sees it but for the numbers.
  private static func withoutValues(_ text: Substring) -> String {
    var plain = ""
    var depth = 0
    var isEscaped = false
    for character in text {
      if depth == 0, isEscaped, character == "(" {
        plain.removeLast()
        plain += "$"
        depth = 1
      } else if depth > 0 {
        depth += character == "(" ? 1 : character == ")" ? -1 : 0
      } else {
        plain.append(character)
      }
      isEscaped = depth == 0 && character == "\\"
    }
    return plain
  }

  private static func files() -> [(name: String, text: String)] {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Sources/Storage"
    return names(in: root).filter { $0.hasSuffix(".swift") }.map { ($0, contents(of: "\(root)/\($0)")) }
  }

  private static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      names.append(
        unsafe withUnsafePointer(to: entry.pointee.d_name) { field in
          unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        })
    }
    return names.sorted()
  }

  private static func contents(of path: String) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(file, &chunk, chunk.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }
}
