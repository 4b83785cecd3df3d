/// Follows HTML text far enough to know, at each slot, whether a value may stand there and how it is escaped.
///
/// A slot may stand in an element's text and in a quoted attribute value, nowhere else. Inline script and style, event
/// attributes and unquoted values are refused, so that the Content-Security-Policy never meets any. A script is an empty
/// element whose file a slot names.
struct MarkupScanner {
  private enum State: Equatable {
    case text, tagStart, closingTag, declaration, comment
    case tagName, inTag, attributeName, valueStart
    /// After a section that may have ended a name: the name must end here either way.
    case nameEnd
    case value(quote: UInt8)
  }

  /// How far a link in an attribute has come.
  private enum Link: Equatable {
    case none, atStart, begun, pathBegun
  }

  /// How far a script has come.
  private enum Script: Equatable {
    case none, opening, named, content
  }

  private var state = State.text
  private var script = Script.none
  private var word: [UInt8] = []
  private var link = Link.none
  /// How many tags have ended.
  private var tags = 0

  /// Reads on through literal text that begins at `start`.
  mutating func read(_ bytes: [UInt8], from start: TemplatePlace) throws(TemplateError) {
    var place = start
    for byte in bytes {
      try read(byte, at: place)
      if byte == UInt8(ascii: "\n") { place = TemplatePlace(file: place.file, line: place.line + 1) }
    }
  }

  /// Whether a page may end here.
  var isInText: Bool { state == .text || state == .tagStart }

  /// How a slot at this point is escaped.
  mutating func slot(at place: TemplatePlace) throws(TemplateError) -> Escaping {
    if script == .content { throw Self.refusedScript(at: place) }
    switch (state, link) {
    case (.text, _), (.value, .none): return .html
    case (.value, .atStart):
      link = .begun
      if script == .opening { script = .named }
      return .link
    case (.value, .pathBegun): return .linkPart
    case (.value, .begun): throw TemplateError(place, "Put a / ? or # before this slot; it could change the host.")
    default: throw TemplateError(place, "A slot may stand in text or in a quoted attribute value, not here.")
    }
  }

  /// Goes on after a section that may be left out, which began at `before`.
  ///
  /// - Throws: When what follows would mean another thing with the section than without it.
  mutating func leaveSection(_ before: MarkupScanner, at place: TemplatePlace) throws(TemplateError) {
    guard script == before.script else { throw Self.refusedScript(at: place) }
    let isInText = state == .text && before.state == .text
    let isSame = state == before.state && word == before.word && link == before.link && tags == before.tags
    if isInText || isSame { return }
    let inTag: [State] = [.tagName, .inTag, .attributeName, .nameEnd]
    guard inTag.contains(before.state), inTag.contains(state), tags == before.tags else {
      throw TemplateError(place, "This section must end where it began: both in text, or in the same tag or value.")
    }
    if before.state == .tagName {
      word = before.word
      try endTagName(at: place)
    }
    (state, word) = (.nameEnd, [])
  }

  private mutating func read(_ byte: UInt8, at place: TemplatePlace) throws(TemplateError) {
    let isLetter = (0x61...0x7A).contains(byte | 0x20)
    if !isAllowedInScript(byte) { throw Self.refusedScript(at: place) }
    switch state {
    case .text: if byte == UInt8(ascii: "<") { state = .tagStart }
    case .tagStart:
      word = isLetter ? [byte | 0x20] : []
      switch byte {
      case UInt8(ascii: "/"): state = .closingTag
      case UInt8(ascii: "!"): state = .declaration
      default: state = isLetter ? .tagName : .text
      }
    case .closingTag: if byte == UInt8(ascii: ">") { (state, script) = (.text, .none) }
    case .declaration, .comment: readDeclaration(byte)
    case .value(let quote): readValue(byte, quote: quote)
    default: try readTag(byte, at: place)
    }
  }

  /// Whether a literal byte may go on with a script, of which nothing but the tags and the slot stands in a page.
  private func isAllowedInScript(_ byte: UInt8) -> Bool {
    switch (script, state) {
    case (.none, _): true
    case (.opening, .value): false
    case (.named, .value(let quote)): byte == quote
    case (.opening, .inTag): byte != UInt8(ascii: ">")
    case (.content, .text): byte == UInt8(ascii: "<")
    case (.content, .tagStart): byte == UInt8(ascii: "/")
    default: true
    }
  }

  private static func refusedScript(at place: TemplatePlace) -> TemplateError {
    TemplateError(place, "<script> is not allowed in a page, but for an empty one whose src is a slot.")
  }

  private mutating func readDeclaration(_ byte: UInt8) {
    word.append(byte)
    if state == .declaration, word == Array("--".utf8) { (state, word) = (.comment, []) }
    let isEnd = state == .comment ? word.suffix(3) == Array("-->".utf8)[...] : byte == UInt8(ascii: ">")
    if isEnd { (state, word) = (.text, []) }
  }

  private mutating func readValue(_ byte: UInt8, quote: UInt8) {
    if byte == quote {
      (state, link, word) = (.inTag, .none, [])
    } else if link == .atStart || link == .begun {
      link = "/?#".utf8.contains(byte) ? .pathBegun : .begun
    }
  }

  private mutating func readTag(_ byte: UInt8, at place: TemplatePlace) throws(TemplateError) {
    let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
    let isEnd = byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    switch state {
    case .tagName:
      if isSpace || isEnd { try endTagName(at: place) } else { word.append(byte | 0x20) }
    case .inTag:
      if !isSpace, !isEnd { (state, word) = (.attributeName, [byte]) }
    case .attributeName:
      if byte == UInt8(ascii: "=") {
        try endAttributeName(at: place)
      } else if isSpace || isEnd {
        (state, word) = (.inTag, [])
      } else {
        word.append(byte)
      }
    case .nameEnd:
      guard isSpace || isEnd else {
        throw TemplateError(place, "Put a space or the tag's end after the section before this.")
      }
      state = .inTag
    default:
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
        throw TemplateError(place, "Quote this attribute's value.")
      }
      state = .value(quote: byte)
    }
    if byte == UInt8(ascii: ">"), state == .inTag {
      if script == .opening { throw Self.refusedScript(at: place) }
      if script == .named { script = .content }
      (state, word, tags) = (.text, [], tags + 1)
    }
  }

  private static let refusedTags: Set = ["style", "iframe", "object", "embed", "base"]
  private static let links: Set = [
    "href", "src", "action", "formaction", "cite", "poster", "data", "ping", "xlink:href",
  ]

  private mutating func endTagName(at place: TemplatePlace) throws(TemplateError) {
    let name = String(decoding: word, as: UTF8.self)
    if Self.refusedTags.contains(name) {
      throw TemplateError(place, "<\(name)> is not allowed in a page.")
    }
    if name == "script" { script = .opening }
    (state, word) = (.inTag, [])
  }

  private mutating func endAttributeName(at place: TemplatePlace) throws(TemplateError) {
    let name = String(decoding: word, as: UTF8.self).lowercased()
    if script != .none, name != "src" { throw Self.refusedScript(at: place) }
    if name == "style" || name == "srcdoc" || name == "srcset" || name.hasPrefix("on") {
      throw TemplateError(place, "The attribute \(name) is not allowed in a page.")
    }
    link = Self.links.contains(name) ? .atStart : .none
    (state, word) = (.valueStart, [])
  }
}
