/// Puts partials, parents and blocks in their places, so that a page becomes one tree of text, variables and sections.
///
/// A partial that contains itself is refused: what a page may render is known when it is loaded.
struct TemplateResolver {
  /// The text of each partial, by name.
  let partials: [String: [UInt8]]
  /// What was parsed of them: the pages of a library share most of their parts.
  private var parsed: [Place: [TemplateNode]] = [:]
  /// How deep partials may stand in one another.
  private static let deepest = 16

  private struct Place: Hashable {
    let name: String
    let indent: [UInt8]
  }

  init(partials: [String: [UInt8]]) { self.partials = partials }

  /// The nodes of `source` with every partial replaced by its content.
  mutating func resolve(_ source: [UInt8], file: String) throws(TemplateError) -> [TemplateNode] {
    try resolve(try TemplateParser.parse(source, file: file), blocks: [:], inside: [])
  }

  private mutating func resolve(
    _ nodes: [TemplateNode], blocks: [String: [TemplateNode]], inside: [String]
  ) throws(TemplateError) -> [TemplateNode] {
    var result: [TemplateNode] = []
    for node in nodes {
      switch node {
      case .text, .variable: result.append(node)
      case .section(let path, let inverted, let inner, let place):
        let inner = try resolve(inner, blocks: blocks, inside: inside)
        result.append(.section(path, inverted: inverted, inner, place))
      case .block(let name, let content):
        if let replacement = blocks[name] {
          result += replacement
        } else {
          result += try resolve(content, blocks: blocks, inside: inside)
        }
      case .partial(let name, let own, let indent, let place):
        var filled: [String: [TemplateNode]] = [:]
        for (block, content) in own { filled[block] = try resolve(content, blocks: blocks, inside: inside) }
        filled.merge(blocks) { _, outer in outer }
        let content = try parse(partial: name, indent: indent, at: place, inside: inside)
        result += try resolve(content, blocks: filled, inside: inside + [name])
      }
    }
    return result
  }

  private mutating func parse(
    partial name: String, indent: [UInt8], at place: TemplatePlace, inside: [String]
  ) throws(TemplateError) -> [TemplateNode] {
    guard let source = partials[name] else { throw TemplateError(place, "There is no part called ‘\(name)’.") }
    guard !inside.contains(name), inside.count < Self.deepest else {
      throw TemplateError(place, "The part ‘\(name)’ contains itself, or stands too deep in other parts.")
    }
    let use = Place(name: name, indent: indent)
    if let known = parsed[use] { return known }
    let nodes = try TemplateParser.parse(
      indent.isEmpty ? source : indented(source, by: indent), file: "parts/\(name).html")
    parsed[use] = nodes
    return nodes
  }

  private func indented(_ source: [UInt8], by indent: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var atLineStart = true
    for byte in source {
      if atLineStart { result += indent }
      result.append(byte)
      atLineStart = byte == UInt8(ascii: "\n")
    }
    return result
  }
}
