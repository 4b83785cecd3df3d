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

  /// The messages of a file, by their English words.
  ///
  /// - Throws: The first line that is none of the format's, or that begins a message which is there already.
  static func read(_ bytes: [UInt8], file: String) throws(TemplateError) -> [String: [String]] {
    var reader = CatalogueFile(file)
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) { try reader.read(line) }
    try reader.finishMessage()
    return reader.messages
  }

  private mutating func read(_ text: ArraySlice<UInt8>) throws(TemplateError) {
    line += 1
    if text.first == UInt8(ascii: "#") {
      if field != .none { try finishMessage() }
      if text.starts(with: "#,".utf8), String(decoding: text, as: UTF8.self).contains("fuzzy") { isFuzzy = true }
      return
    }
    guard !text.allSatisfy(Self.isBlank) else { return }
    guard let quote = text.firstIndex(of: UInt8(ascii: "\"")), text.last == UInt8(ascii: "\""),
      text.index(after: quote) < text.endIndex
    else { throw error("This line is neither a comment nor a text in quotes.") }
    let word = text[..<quote].filter { !Self.isBlank($0) }
    let value = try unescaped(text[text.index(after: quote)...].dropLast())
    try begin(String(decoding: word, as: UTF8.self))
    switch field {
    case .key: key += value
    case .form(let number): forms[number] += value
    case .plural: break
    case .none: throw error("This text belongs to no message.")
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

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

  private func unescaped(_ text: ArraySlice<UInt8>) throws(TemplateError) -> String {
    guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
    var value: [UInt8] = []
    value.reserveCapacity(text.count)
    var isEscaped = false
    for byte in text {
      if isEscaped {
        switch byte {
        case UInt8(ascii: "n"): value.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "t"): value.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): value.append(byte)
        default: throw error("A backslash stands before something else than n, t, \" and \\.")
        }
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        value.append(byte)
      }
    }
    return String(decoding: value, as: UTF8.self)
  }

  private func error(_ message: String) -> TemplateError {
    TemplateError(TemplatePlace(file: file, line: line), message)
  }
}
