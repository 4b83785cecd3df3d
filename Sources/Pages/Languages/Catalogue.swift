/// The messages of our pages in one language.
public struct Catalogue: Sendable {
  /// The language's tag, as in BCP 47: `de`.
  public let language: String
  /// The forms of each message by its English words; one, or as many as the language counts.
  private let messages: [String: [String]]
  private let plurals: PluralRule

  /// Every message is told as it stands in the code.
  static let english = Catalogue(language: "en", messages: [:])

  init(language: String, messages: [String: [String]]) {
    self.language = language
    self.messages = messages
    plurals = PluralRule(language: language)
  }

  private static let rightToLeft: Set = ["ar", "fa", "he", "ur"]

  /// Whether the language is written from right to left.
  public var isRightToLeft: Bool { Self.rightToLeft.contains(String(language.prefix { $0 != "-" })) }

  /// The English words that have a translation.
  public var keys: Set<String> { Set(messages.keys) }

  /// The forms of a message; `nil` when it is not translated.
  public func forms(of key: String) -> [String]? { messages[key] }

  /// `words` in this language; what is not translated, in English.
  func text(of words: Words) -> String { fill(pattern(of: words), words.values) }

  private func pattern(of words: Words) -> String {
    guard let plural = words.plural else { return messages[words.key]?.first ?? words.key }
    let form = plurals.form(for: plural.count)
    if let forms = messages[words.key], form < forms.count { return forms[form] }
    return plural.count == 1 ? words.key : plural.key
  }

  /// Puts the values in their places; a `%` that names none of them stays.
  private func fill(_ pattern: String, _ values: [Words.Value]) -> String {
    guard !values.isEmpty else { return pattern }
    var text = ""
    var rest = pattern[...]
    while let mark = rest.firstIndex(of: "%") {
      text += rest[..<mark]
      let digits = rest[rest.index(after: mark)...].prefix { $0.isASCII && $0.isNumber }
      if let number = Int(digits), values.indices.contains(number - 1) {
        text += self.text(of: values[number - 1])
        rest = rest[digits.endIndex...]
      } else {
        text += "%"
        rest = rest[rest.index(after: mark)...]
      }
    }
    return text + rest
  }

  private func text(of value: Words.Value) -> String {
    switch value {
    case .text(let text): text
    case .words(let words): text(of: words)
    }
  }
}
