/// One run of a template over one context.
struct Renderer {
  private(set) var output: [UInt8] = []
  private var stack: [PageContext]
  private let catalogue: Catalogue
  private let undefined: UndefinedSlots

  init(context: PageContext, catalogue: Catalogue, undefined: UndefinedSlots) {
    stack = [context]
    self.catalogue = catalogue
    self.undefined = undefined
    output.reserveCapacity(8192)
  }

  mutating func run(_ steps: [Template.Step]) throws(TemplateError) {
    for step in steps {
      switch step {
      case .text(let bytes): output += bytes
      case .variable(let path, let escaping, let place):
        try write(try value(of: path, at: place), escaping, Slot(path: path, place: place))
      case .section(let path, let inverted, let inner, let place):
        let value = try value(of: path, at: place)
        if inverted { if !value.isTrue { try run(inner) } } else { try run(inner, for: value) }
      }
    }
  }

  private struct Slot {
    let path: SlotPath
    let place: TemplatePlace

    func error(_ message: String) -> TemplateError { TemplateError(place, "The slot \(path.text) \(message).") }
  }

  private mutating func run(_ steps: [Template.Step], for value: PageContext) throws(TemplateError) {
    guard value.isTrue else { return }
    let items = if case .list(let items) = value { items } else { [value] }
    for item in items {
      stack.append(item)
      try run(steps)
      stack.removeLast()
    }
  }

  /// Looks the first name up from the innermost value outwards, and the others inside what was found.
  private func value(of path: SlotPath, at place: TemplatePlace) throws(TemplateError) -> PageContext {
    var found: PageContext?
    if let first = path.names.first {
      found =
        stack.reversed().lazy.compactMap { value in
          if case .object(let object) = value { object[first] } else { nil }
        }.first
      for name in path.names.dropFirst() { found = found?.member(name) }
    } else {
      found = stack.last
    }
    if found == nil, undefined == .refused { throw Slot(path: path, place: place).error("has no value") }
    return found ?? .none
  }

  private mutating func write(_ value: PageContext, _ escaping: Escaping, _ slot: Slot) throws(TemplateError) {
    switch (value, escaping) {
    case (.none, .html), (.none, .linkPart): break
    case (.words(let words), .html): output.append(escaping: catalogue.text(of: words))
    case (.text(let text), .html): output.append(escaping: text)
    case (.text(let text), .linkPart): output.append(percentEncoding: text)
    case (.url(let link), .html), (.url(let link), .link):
      guard isSafeLink(link) else { throw slot.error("must be an http or https link, or a path on this server") }
      output.append(escaping: link)
    case (_, .link): throw slot.error("begins a link and needs a link, not \(value.kind)")
    default: throw slot.error("needs a text, not \(value.kind)")
    }
  }
}
