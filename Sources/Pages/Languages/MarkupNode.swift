/// A template's source as a tree of elements and sections.
indirect enum MarkupNode {
  case leaf(MarkupToken)
  case pair(begin: MarkupToken, [MarkupNode], end: MarkupToken)

  /// The tree of `tokens`; a begin or end without its other side is a leaf.
  static func tree(of tokens: [MarkupToken]) -> [MarkupNode] {
    var open: [(begin: MarkupToken, before: [MarkupNode])] = []
    var nodes: [MarkupNode] = []
    for token in tokens {
      switch token.kind {
      case .begin, .beginSection, .beginBlock:
        open.append((token, nodes))
        nodes = []
      case .end, .endSection, .endBlock:
        guard let match = open.lastIndex(where: { token.ends($0.begin) }) else {
          nodes.append(.leaf(token))
          continue
        }
        while open.count > match + 1 { unfold(&open, &nodes) }
        let frame = open.removeLast()
        nodes = frame.before + [.pair(begin: frame.begin, nodes, end: token)]
      default: nodes.append(.leaf(token))
      }
    }
    while !open.isEmpty { unfold(&open, &nodes) }
    return nodes
  }

  /// What was opened last has no end, such as `<input>`: it is a leaf, and what followed stands beside it.
  private static func unfold(_ open: inout [(begin: MarkupToken, before: [MarkupNode])], _ nodes: inout [MarkupNode]) {
    guard let frame = open.popLast() else { return }
    nodes = frame.before + [.leaf(frame.begin)] + nodes
  }

  /// The source that it was made of.
  var source: String {
    switch self {
    case .leaf(let token): token.source
    case .pair(let begin, let inner, let end): begin.source + inner.map(\.source).joined() + end.source
    }
  }

  private static let inlineElements: Set = ["a", "abbr", "b", "bdi", "br", "code", "em", "kbd", "strong", "time"]

  /// Whether it may stand inside a sentence.
  var isInline: Bool {
    switch self {
    case .leaf(let token):
      switch token.kind {
      case .text, .value: return true
      case .begin(let name): return name == "br"
      default: return false
      }
    case .pair(let begin, let inner, _):
      switch begin.kind {
      case .begin(let name): return Self.inlineElements.contains(name) && inner.allSatisfy(\.isInline)
      case .beginSection: return inner.allSatisfy(\.isInline)
      default: return false
      }
    }
  }

  /// Whether somebody reads words in it that are ours.
  var hasWords: Bool {
    switch self {
    case .leaf(let token): token.kind == .text && token.source.hasLetters
    case .pair(let begin, let inner, _): begin.kind != .begin("code") && inner.contains(where: \.hasWords)
    }
  }
}

extension MarkupToken {
  fileprivate func ends(_ begin: MarkupToken) -> Bool {
    switch (begin.kind, kind) {
    case (.begin(let name), .end(let end)): name == end
    case (.beginSection(let name), .endSection(let end)): name == end
    case (.beginBlock(let name), .endBlock(let end)): name == end
    default: false
    }
  }
}

extension String {
  /// Whether there is a letter in it, but for those of character references such as `&amp;`.
  var hasLetters: Bool {
    var isReference = false
    for character in self {
      if character == "&" { isReference = true }
      if !isReference, character.isLetter { return true }
      if character == ";" { isReference = false }
    }
    return false
  }
}
