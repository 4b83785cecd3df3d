/// A value for a slot of a page.
///
/// Literals work: `["name": "Ana", "services": [], "is_administrator": true]`.
public enum PageContext: Sendable, Equatable {
  /// Nothing: a variable renders as nothing, a section as if it were false.
  case none
  /// A name, a number, or a value of a field; escaped wherever it stands. Empty counts as false in a section.
  case text(String)
  /// What we say, in the page's language.
  case words(Words)
  /// A whole link: http, https, or a path on this server (also the empty one). Empty counts as false in a section.
  case url(String)
  case flag(Bool)
  case list([PageContext])
  case object(Object)

  /// Named values; a slot is looked up in the innermost section first and then outwards.
  public struct Object: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    public private(set) var members: [String: PageContext]

    public init(_ members: [String: PageContext] = [:]) { self.members = members }

    /// A name given twice keeps the last value.
    public init(dictionaryLiteral elements: (String, PageContext)...) {
      members = Dictionary(elements) { _, last in last }
    }

    public subscript(name: String) -> PageContext? {
      get { members[name] }
      set { members[name] = newValue }
    }

    /// Both objects' values; those of `other` win.
    public func merging(_ other: Object) -> Object {
      Object(members.merging(other.members) { _, winner in winner })
    }
  }
}

extension PageContext {
  /// The text, or ``none``.
  public static func text(ifAny text: String?) -> PageContext { text.map(PageContext.text) ?? .none }

  /// The words, or ``none``.
  public static func words(ifAny words: Words?) -> PageContext { words.map(PageContext.words) ?? .none }

  /// One flag per case of an enum, true for the chosen one: lets a template hold a sentence for each case.
  public static func choice<Choice>(_ chosen: Choice) -> PageContext
  where Choice: CaseIterable & RawRepresentable & Equatable, Choice.RawValue == String {
    .object(flags(chosen))
  }

  /// The same flags as ``choice(_:)`` makes, to be merged into an object.
  public static func flags<Choice>(_ chosen: Choice) -> Object
  where Choice: CaseIterable & RawRepresentable & Equatable, Choice.RawValue == String {
    var object = Object()
    for option in Choice.allCases { object[option.rawValue] = .flag(option == chosen) }
    return object
  }

  /// Whether a section with this value is rendered.
  var isTrue: Bool {
    switch self {
    case .none: false
    case .text(let text), .url(let text): !text.isEmpty
    case .words(let words): !words.key.isEmpty
    case .flag(let flag): flag
    case .list(let items): !items.isEmpty
    case .object: true
    }
  }

  /// The value called `name` inside this one; a list answers only `any`: whether it has items.
  func member(_ name: String) -> PageContext? {
    switch self {
    case .object(let object): object[name]
    case .list(let items) where name == "any": .flag(!items.isEmpty)
    default: nil
    }
  }

  /// How a message names this kind of value.
  var kind: String {
    switch self {
    case .none: "nothing"
    case .text, .words: "a text"
    case .url: "a link"
    case .flag: "a flag"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

extension PageContext: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral text: String) { self = .text(text) }

  public init(booleanLiteral flag: Bool) { self = .flag(flag) }

  public init(arrayLiteral items: PageContext...) { self = .list(items) }

  public init(dictionaryLiteral elements: (String, PageContext)...) {
    self = .object(Object(Dictionary(elements) { _, last in last }))
  }
}
