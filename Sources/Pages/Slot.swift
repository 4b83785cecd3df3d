/// A place in a page that takes a value.
public struct Slot: Hashable, Sendable {
  /// As written in the template: `organisation`, `field.username`.
  public let name: String
  public let use: Use
  /// The sections it stands in, outermost first.
  public let sections: [String]

  /// What the value is needed for.
  public enum Use: Hashable, Sendable {
    /// Words or an attribute's value: a text, a link or nothing.
    case text
    /// The beginning of a link: a link.
    case link
    /// A list, an object, a flag, or anything asked for being there.
    case section
  }
}

extension Template {
  /// Every slot of the template, those of its partials too, in the order of the page and each once.
  public var slots: [Slot] {
    var seen: Set<Slot> = []
    return Template.slots(in: steps, sections: []).filter { seen.insert($0).inserted }
  }

  private static func slots(in steps: [Step], sections: [String]) -> [Slot] {
    steps.flatMap { step -> [Slot] in
      switch step {
      case .text: []
      case .variable(let path, let escaping, _):
        [Slot(name: path.text, use: escaping == .link ? .link : .text, sections: sections)]
      case .section(let path, let inverted, let inner, _):
        [Slot(name: path.text, use: .section, sections: sections)]
          + slots(in: inner, sections: inverted ? sections : sections + [path.text])
      }
    }
  }
}
