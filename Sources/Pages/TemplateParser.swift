/// Reads Mustache text into nodes.
///
/// Supported are variables, sections, inverted sections, comments, partials, and parents with blocks (mustache/spec
/// 1.4). Refused by name: unescaped variables, changed delimiters and dynamic names; there are no lambdas.
struct TemplateParser {
  private let source: [UInt8]
  private let file: String
  private var position = 0
  private var line = 1
  /// Where the text not yet taken over begins.
  private var textStart = 0
  private var textLine = 1
  private var open: [Frame] = []
  private var nodes: [TemplateNode] = []

  /// An opened tag that waits for its end, and the nodes that stood before it.
  private struct Frame {
    let sigil: UInt8
    let name: String
    let place: TemplatePlace
    let indent: [UInt8]
    let outer: [TemplateNode]
  }

  private init(_ source: [UInt8], file: String) {
    self.source = source
    self.file = file
  }

  /// The nodes of `source`.
  static func parse(_ source: [UInt8], file: String) throws(TemplateError) -> [TemplateNode] {
    var parser = TemplateParser(source, file: file)
    return try parser.nodesToTheEnd()
  }

  private var place: TemplatePlace { TemplatePlace(file: file, line: line) }

  private mutating func nodesToTheEnd() throws(TemplateError) -> [TemplateNode] {
    while position + 1 < source.count {
      if source[position] == UInt8(ascii: "{"), source[position + 1] == UInt8(ascii: "{") {
        try readTag()
      } else {
        if source[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
      }
    }
    take(textUpTo: source.count)
    if let frame = open.last {
      throw TemplateError(frame.place, "{{\(Character(UnicodeScalar(frame.sigil)))\(frame.name)}} is never closed.")
    }
    return nodes
  }

  private mutating func take(textUpTo end: Int) {
    if textStart < end {
      nodes.append(.text(Array(source[textStart..<end]), TemplatePlace(file: file, line: textLine)))
    }
  }

  /// Reads the tag at the position, and the line end after it when the tag stands alone on its lines.
  private mutating func readTag() throws(TemplateError) {
    let start = position
    var end = start + 2
    while end + 1 < source.count, source[end] != UInt8(ascii: "}") || source[end + 1] != UInt8(ascii: "}") { end += 1 }
    guard end + 1 < source.count else { throw TemplateError(place, "This tag has no end; close it with }}.") }
    let tag = try Tag(source[start + 2..<end], at: place)
    let alone = tag.mayStandAlone ? margins(of: start..<end + 2) : nil
    take(textUpTo: alone?.lowerBound ?? start)
    let indent = alone.map { Array(source[$0.lowerBound..<start]) } ?? []
    try add(tag, indent: tag.sigil == UInt8(ascii: "<") || tag.sigil == UInt8(ascii: ">") ? indent : [])
    position = alone?.upperBound ?? end + 2
    line += source[start..<position].count { $0 == UInt8(ascii: "\n") }
    (textStart, textLine) = (position, line)
  }

  /// The tag's range with the white space around it and the line end, when nothing else is on its lines.
  private func margins(of tag: Range<Int>) -> Range<Int>? {
    var start = tag.lowerBound
    while start > textStart, isBlank(source[start - 1]) { start -= 1 }
    guard start == 0 || source[start - 1] == UInt8(ascii: "\n") || startsParent(at: start) else { return nil }
    var end = tag.upperBound
    while end < source.count, isBlank(source[end]) { end += 1 }
    if end == source.count { return start..<end }
    if source[end] == UInt8(ascii: "\r"), end + 1 < source.count { end += 1 }
    return source[end] == UInt8(ascii: "\n") ? start..<end + 1 : nil
  }

  /// Whether a parent was opened just before: what stands in it outside of blocks is dropped anyway.
  private func startsParent(at start: Int) -> Bool {
    start == textStart && nodes.isEmpty && open.last?.sigil == UInt8(ascii: "<")
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private mutating func add(_ tag: Tag, indent: [UInt8]) throws(TemplateError) {
    switch tag.sigil {
    case UInt8(ascii: "!"): break
    case 0: nodes.append(.variable(SlotPath(tag.name), place))
    case UInt8(ascii: ">"): nodes.append(.partial(tag.name, blocks: [:], indent: indent, place))
    case UInt8(ascii: "/"): try close(tag.name)
    default:
      open.append(Frame(sigil: tag.sigil, name: tag.name, place: place, indent: indent, outer: nodes))
      nodes = []
    }
  }

  private mutating func close(_ name: String) throws(TemplateError) {
    guard let frame = open.popLast() else { throw TemplateError(place, "{{/\(name)}} closes nothing.") }
    guard frame.name == name else {
      throw TemplateError(place, "{{/\(name)}} stands where {{/\(frame.name)}} of line \(frame.place.line) is due.")
    }
    let inner = nodes
    nodes = frame.outer
    switch frame.sigil {
    case UInt8(ascii: "$"): nodes.append(.block(name, inner))
    case UInt8(ascii: "<"):
      var blocks: [String: [TemplateNode]] = [:]
      for case .block(let block, let content) in inner { blocks[block] = content }
      nodes.append(.partial(name, blocks: blocks, indent: frame.indent, frame.place))
    default:
      let inverted = frame.sigil == UInt8(ascii: "^")
      nodes.append(.section(SlotPath(name), inverted: inverted, inner, frame.place))
    }
  }
}
