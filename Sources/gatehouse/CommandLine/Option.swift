/// One option of a command, declared once: the parser and the help both read it here.
struct Option: Sendable {
  enum Count: Sendable {
    case optional
    case required
    case repeatable
    case requiredRepeatable
  }

  /// With its hyphens: `--name`.
  let name: String
  /// What stands behind it, such as `URL`; `nil` for a switch.
  let value: String?
  let meaning: String
  let count: Count

  init(_ name: String, _ value: String, _ meaning: String, _ count: Count = .optional) {
    self.name = name
    self.value = value
    self.meaning = meaning
    self.count = count
  }

  init(switch name: String, _ meaning: String) {
    self.name = name
    value = nil
    self.meaning = meaning
    count = .optional
  }

  /// The same for a command that can do without it.
  var asOptional: Option {
    guard let value, isRequired else { return self }
    return Option(name, value, meaning, mayRepeat ? .repeatable : .optional)
  }

  /// Whether the value is a path, which a running server would look up in its own working directory.
  var isFile: Bool { value == "FILE" }

  var isRequired: Bool { count == .required || count == .requiredRepeatable }

  var mayRepeat: Bool { count == .repeatable || count == .requiredRepeatable }

  /// As the help writes it: `--name NAME`.
  var form: String { value.map { "\(name) \($0)" } ?? name }

  static let yes = Option(switch: "--yes", "It is meant, although it cannot be undone.")
  static let json = Option(switch: "--json", "Answer as JSON.")
}

/// What stands behind a command's name without being an option.
struct Operand: Sendable {
  let name: String
  let meaning: String
  /// Whether there may be none, or several.
  var isOpen = false
}
