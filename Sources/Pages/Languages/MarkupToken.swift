/// A piece of a template's source: together they give the source again.
struct MarkupToken: Equatable {
  enum Kind: Equatable {
    /// Anything between tags.
    case text
    /// `<name …>`, with the slots inside of it.
    case begin(String)
    /// `</name>`.
    case end(String)
    /// A comment or declaration, of HTML or of the template.
    case declaration
    /// `{{name}}` or `{{> name}}`, which stands for a value.
    case value
    /// `{{#name}}` or `{{^name}}`.
    case beginSection(String)
    case endSection(String)
    /// `{{$name}}` or `{{<name}}`.
    case beginBlock(String)
    case endBlock(String)
  }

  let kind: Kind
  let source: String

  /// The pieces of `source`.
  ///
  /// A tag that is not closed is the last piece: the template's parser says what is wrong with it.
  static func tokens(of source: [UInt8]) -> [MarkupToken] {
    var tokens: [MarkupToken] = []
    var position = 0
    var open: [Kind] = []
    while position < source.count {
      let start = position
      let isTag = source.begins("{{", at: start)
      position = isTag ? source.endOfTag(start) : source.begins("<", at: start) ? source.endOfElement(start) : start
      if position == start {
        position += 1
        while position < source.count, source[position] != UInt8(ascii: "<"), !source.begins("{{", at: position) {
          position += 1
        }
      }
      let text = String(decoding: source[start..<position], as: UTF8.self)
      tokens.append(MarkupToken(kind: kind(of: text, isTag: isTag, &open), source: text))
    }
    return tokens
  }

  /// `open` is what is not closed yet: the ends of sections and blocks look the same.
  private static func kind(of text: String, isTag: Bool, _ open: inout [Kind]) -> Kind {
    guard isTag else { return elementKind(of: text) }
    let inside = text.dropFirst(2).drop { $0 == " " }
    let name = String(inside.dropFirst().drop { $0 == " " }.prefix { $0 != "}" && $0 != " " })
    let kind: Kind
    switch inside.first {
    case "#", "^": kind = .beginSection(name)
    case "$", "<": kind = .beginBlock(name)
    case "/":
      guard case .beginSection = open.popLast() else { return .endBlock(name) }
      return .endSection(name)
    case "!": return .declaration
    default: return .value
    }
    open.append(kind)
    return kind
  }

  private static func elementKind(of text: String) -> Kind {
    guard text.hasPrefix("<"), text.utf8.count > 1 else { return .text }
    if text.hasPrefix("<!") { return .declaration }
    let isEnd = text.hasPrefix("</")
    let name = text.dropFirst(isEnd ? 2 : 1).prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }.lowercased()
    if name.isEmpty { return .text }
    return isEnd ? .end(name) : .begin(name)
  }
}

extension [UInt8] {
  fileprivate func begins(_ text: StaticString, at index: Int) -> Bool {
    let bytes = Swift.Array(text.description.utf8)
    return index + bytes.count <= count && self[index..<index + bytes.count].elementsEqual(bytes)
  }

  /// Behind the tag `{{…}}` that begins at `start`.
  fileprivate func endOfTag(_ start: Int) -> Int {
    var end = start + 2
    while end < count, !begins("}}", at: end) { end += 1 }
    return Swift.min(end + 2, count)
  }

  /// Behind the element's tag that begins at `start`; `start` itself when none does.
  fileprivate func endOfElement(_ start: Int) -> Int {
    guard start + 1 < count else { return start }
    let next = self[start + 1]
    guard next == UInt8(ascii: "/") || next == UInt8(ascii: "!") || (0x61...0x7A).contains(next | 0x20) else {
      return start
    }
    var (end, quote) = (start + 1, UInt8(0))
    while end < count {
      if begins("{{", at: end) {
        end = endOfTag(end)
        continue
      }
      let byte = self[end]
      end += 1
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return end
      }
    }
    return count
  }
}
