/// Reads a catalogue in the format of GNU gettext: `de.po`.
///
/// Read are `msgid`, `msgid_plural`, `msgstr` and `msgstr[N]`, over several lines where needed, and comments. An empty
/// translation counts as none, and so does one that is marked `fuzzy`.
struct CatalogueFile {
  private let file: String
  private var line = 0
  private var messages: [String: [String]] = [:]
  private var key = ""
  private var forms: [String] = []
  private var isFuzzy = false
  /// Where the next continuation line belongs.
  private var field = Field.none

  private enum Field: Equatable {
    case none, key, plural
    case form(Int)
  }

  private init(_ file: String) { self.file = file }

  /// The messages of `text`, by their English words.
  ///
  /// - Throws: The first line that is none of the format's, or that begins a message which is there already.
  static func read(_ text: String, file: String) throws(TemplateError) -> [String: [String]] {
    var reader = CatalogueFile(file)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { try reader.read(line) }
    try reader.finishMessage()
    return reader.messages
  }

  private mutating func read(_ text: Substring) throws(TemplateError) {
    line += 1
    if text.hasPrefix("#") {
      if field != .none { try finishMessage() }
      if text.hasPrefix("#,"), text.contains("fuzzy") { isFuzzy = true }
      return
    }
    guard !text.allSatisfy(\.isWhitespace) else { return }
    guard let quote = text.firstIndex(of: "\""), text.last == "\"", text.index(after: quote) < text.endIndex else {
      throw error("This line is neither a comment nor a text in quotes.")
    }
    let word = text[..<quote].filter { !$0.isWhitespace }
    let value = try unescaped(text[text.index(after: quote)...].dropLast())
    try begin(word)
    switch field {
    case .key: key += value
    case .form(let number): forms[number] += value
    case .plural: break
    case .none: throw error("This text belongs to no message.")
    }
  }

  private mutating func begin(_ word: String) throws(TemplateError) {
    switch word {
    case "": return
    case "msgid":
      if field != .none { try finishMessage() }
      field = .key
    case "msgid_plural": field = .plural
    case "msgstr", "msgstr[\(forms.count)]":
      field = .form(forms.count)
      forms.append("")
    default: throw error("‘\(word)’ is not known here: msgid, msgid_plural, msgstr and msgstr[N], in order, are.")
    }
  }

  /// The message with the empty key is the file's own head.
  private mutating func finishMessage() throws(TemplateError) {
    if !key.isEmpty, !isFuzzy, forms.contains(where: { !$0.isEmpty }) {
      guard messages.updateValue(forms, forKey: key) == nil else {
        throw error("The message ‘\(key)’ stands here for the second time.")
      }
    }
    (key, forms, field, isFuzzy) = ("", [], .none, false)
  }

  private func unescaped(_ text: Substring) throws(TemplateError) -> String {
    var value = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        switch character {
        case "n": value += "\n"
        case "t": value += "\t"
        case "\"", "\\": value.append(character)
        default: throw error("‘\\\(character)’ is no escape: \\n, \\t, \\\" and \\\\ are.")
        }
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        value.append(character)
      }
    }
    return value
  }

  private func error(_ message: String) -> TemplateError {
    TemplateError(TemplatePlace(file: file, line: line), message)
  }
}
