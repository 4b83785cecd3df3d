/// A Mustache template, read and checked once, rendered often.
///
/// Values are HTML-escaped by where they stand; there is no way to write one unescaped.
public struct Template: Sendable {
  let steps: [Step]

  /// What rendering does, in order; neighbouring literal text is one step.
  indirect enum Step: Equatable, Sendable {
    case text([UInt8])
    case variable(SlotPath, Escaping, TemplatePlace)
    case section(SlotPath, inverted: Bool, [Step], TemplatePlace)
  }

  /// Reads `source` and puts its partials in place.
  ///
  /// - Parameters:
  ///   - source: Mustache in UTF-8.
  ///   - file: What messages call the template.
  ///   - partials: The text of each partial by name.
  /// - Throws: The first mistake: broken or refused tags, an unknown partial, a slot in an unsafe place, inline
  ///   script or style.
  public init(_ source: [UInt8], file: String, partials: [String: [UInt8]] = [:]) throws(TemplateError) {
    var resolver = TemplateResolver(partials: partials)
    try self.init(source, file: file, &resolver)
  }

  /// Like ``init(_:file:partials:)``, with the partials of several templates.
  init(_ source: [UInt8], file: String, _ resolver: inout TemplateResolver) throws(TemplateError) {
    let nodes = try resolver.resolve(source, file: file)
    var scanner = MarkupScanner()
    steps = try Template.steps(nodes, &scanner)
    guard scanner.isInText else {
      throw TemplateError(TemplatePlace(file: file, line: 0), "The page ends inside a tag.")
    }
  }

  private static func steps(
    _ nodes: [TemplateNode], _ scanner: inout MarkupScanner
  ) throws(TemplateError) -> [Step] {
    var steps: [Step] = []
    for node in nodes {
      switch node {
      case .text(let bytes, let place):
        try scanner.read(bytes, from: place)
        append(bytes, to: &steps)
      case .variable(let path, let place): steps.append(.variable(path, try scanner.slot(at: place), place))
      case .section(let path, let inverted, let inner, let place):
        let before = scanner
        steps.append(.section(path, inverted: inverted, try Template.steps(inner, &scanner), place))
        try scanner.leaveSection(before, at: place)
      case .partial, .block: break
      }
    }
    return steps
  }

  private static func append(_ bytes: [UInt8], to steps: inout [Step]) {
    if case .text(let before) = steps.last {
      steps[steps.count - 1] = .text(before + bytes)
    } else {
      steps.append(.text(bytes))
    }
  }

  /// The page with `context` filled in, as UTF-8.
  ///
  /// - Throws: When a slot has a value of the wrong kind or an unsafe link, and, unless `undefined` allows it, when a
  ///   slot has no value at all.
  func render(
    with context: PageContext, catalogue: Catalogue = .english, undefined: UndefinedSlots = .refused
  ) throws(TemplateError) -> [UInt8] {
    var renderer = Renderer(context: context, catalogue: catalogue, undefined: undefined)
    try renderer.run(steps)
    return renderer.output
  }
}

/// What happens at a slot without a value.
public enum UndefinedSlots: Sendable {
  /// The page is not rendered: the default, since a page with a hole may mislead.
  case refused
  /// It renders as nothing, as the Mustache specification says.
  case empty
}
