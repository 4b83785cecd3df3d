/// Finds the messages of a template, and puts others in their places.
///
/// A message is what one element, block or section says: a sentence with the inline elements, slots and inline sections
/// in it, or the value of an attribute that is read out or shown. Its English text is the key that catalogues know it by.
struct TemplateMessages {
  /// What stands in the place of a message; the message itself where there is nothing else.
  private let translate: (String) -> String
  /// Every message found so far, in order.
  private(set) var found: [String] = []

  private init(_ translate: @escaping (String) -> String) { self.translate = translate }

  /// The messages of a template, in order.
  static func messages(of source: [UInt8]) -> [String] {
    var messages = TemplateMessages { $0 }
    _ = messages.rewrite(MarkupNode.tree(of: MarkupToken.tokens(of: source)))
    return messages.found
  }

  /// The template with `translate` of each message in its place.
  static func translated(_ source: [UInt8], _ translate: @escaping (String) -> String) -> [UInt8] {
    var messages = TemplateMessages(translate)
    return Array(messages.rewrite(MarkupNode.tree(of: MarkupToken.tokens(of: source))).utf8)
  }

  private mutating func rewrite(_ nodes: [MarkupNode]) -> String {
    var text = ""
    var rest = nodes[...]
    while let node = rest.first {
      let sentence = rest.prefix(while: \.isInline)
      if sentence.isEmpty {
        text += rewrite(node)
        rest = rest.dropFirst()
      } else {
        text += rewrite(sentence: sentence)
        rest = rest.dropFirst(sentence.count)
      }
    }
    return text
  }

  private mutating func rewrite(_ node: MarkupNode) -> String {
    switch node {
    case .leaf(let token): rewrite(tag: token)
    case .pair(let begin, let inner, let end):
      begin.isUnread ? node.source : rewrite(tag: begin) + rewrite(inner) + end.source
    }
  }

  /// White space and parts around the words, such as icons, are no part of the message; elements and sections with nothing
  /// between them have a message each.
  private mutating func rewrite(sentence: ArraySlice<MarkupNode>) -> String {
    guard sentence.contains(where: \.hasWords) else { return sentence.map(\.source).joined() }
    if sentence.allSatisfy({ $0.isPair || $0.isBlank }) { return sentence.map { rewrite($0) }.joined() }
    let parts = sentence.prefix { !$0.hasWords && ($0.isPart || $0.isBlank) }
    if !parts.isEmpty { return parts.map(\.source).joined() + rewrite(sentence: sentence.dropFirst(parts.count)) }
    let whole = sentence.map(\.source).joined()
    let before = whole.prefix(while: \.isWhitespace)
    let after = String(whole.reversed().prefix(while: \.isWhitespace).reversed())
    let inner = whole.dropFirst(before.count).dropLast(after.count)
    return before + put(String(inner)) + after
  }

  private static let readAttributes: Set = ["alt", "aria-label", "data-label", "placeholder", "title"]

  private mutating func rewrite(tag token: MarkupToken) -> String {
    guard case .begin = token.kind else { return token.source }
    var text = ""
    var rest = token.source[...]
    while let mark = rest.firstRange(of: "=\""), let end = rest[mark.upperBound...].firstIndex(of: "\"") {
      let name = rest[..<mark.lowerBound].reversed().prefix { $0.isLetter || $0 == "-" }.reversed()
      let value = String(rest[mark.upperBound..<end])
      text += rest[..<mark.upperBound]
      let isRead = Self.readAttributes.contains(String(name)) && Self.words(in: value).hasLetters
      text += isRead ? put(value) : value
      rest = rest[end...].dropFirst()
      text += "\""
    }
    return text + rest
  }

  /// What is left of an attribute's value without its slots.
  private static func words(in value: String) -> String {
    MarkupToken.tokens(of: Array(value.utf8)).filter { $0.kind == .text }.map(\.source).joined()
  }

  /// A message over several lines is known by its words alone.
  private mutating func put(_ message: String) -> String {
    let key = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    found.append(key)
    return translate(key)
  }
}

extension MarkupToken {
  private static let unreadBlocks: Set = [
    "action", "attributes", "button", "home", "id", "machine", "path", "type", "width",
  ]

  /// Whether it begins a block that stands inside tags or that a machine reads, or code.
  fileprivate var isUnread: Bool {
    switch kind {
    case .beginBlock(let name): Self.unreadBlocks.contains(name) || name.hasPrefix("at-")
    case .begin(let name): name == "code"
    default: false
    }
  }
}

extension MarkupNode {
  fileprivate var isPair: Bool { if case .pair = self { true } else { false } }

  fileprivate var isBlank: Bool { source.allSatisfy(\.isWhitespace) }

  /// `{{> name}}`.
  fileprivate var isPart: Bool {
    if case .leaf(let token) = self { token.kind == .value && token.source.hasPrefix("{{>") } else { false }
  }
}
