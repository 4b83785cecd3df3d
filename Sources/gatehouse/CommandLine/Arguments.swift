/// The words behind a command's name, taken apart by what the command declares.
struct Arguments: Sendable {
  let operands: [String]
  private let command: Command
  private var given: [String: [String]] = [:]

  /// - Throws: ``UsageFailure`` for an option that the command does not have, a value that is missing, an option that
  ///   stands too often or not at all, an operand too many or too few.
  init(_ words: some Sequence<String>, of command: Command) throws(UsageFailure) {
    self.command = command
    var operands: [String] = []
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-") else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let option = try Self.option(parts[0], of: command)
      let value = try Self.value(of: option, parts.dropFirst().first, &rest)
      given[option.name, default: []].append(value)
    }
    self.operands = operands
    try checkCounts()
  }

  private static func option(_ name: String, of command: Command) throws(UsageFailure) -> Option {
    if let option = command.options.first(where: { $0.name == name }) { return option }
    let near = Spelling.suggestion(for: name, among: command.options.map(\.name))
    throw UsageFailure("'\(command.name)' has no option \(name).\(near) \(Help.hint(for: command))")
  }

  /// Takes the value behind an option, or behind its `=`; a switch has the empty one.
  private static func value(
    of option: Option, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageFailure) -> String {
    guard let form = option.value else {
      guard attached == nil else { throw UsageFailure("\(option.name) is a switch and takes no value.") }
      return ""
    }
    guard let value = attached ?? rest.first, attached != nil || !value.hasPrefix("--") else {
      throw UsageFailure("\(option.name) needs a value behind it: \(option.name) \(form).")
    }
    if attached == nil { rest.removeFirst() }
    return option.isFile ? Files.wholePath(value) : value
  }

  private func checkCounts() throws(UsageFailure) {
    let missing = command.options.filter { $0.isRequired && given[$0.name] == nil }.map(\.name)
    guard missing.isEmpty else {
      throw UsageFailure(
        "\(Spelling.list(missing, "and")) \(missing.count == 1 ? "is" : "are") missing. \(Help.hint(for: command))")
    }
    if let twice = command.options.first(where: { !$0.mayRepeat && given[$0.name, default: []].count > 1 }) {
      throw UsageFailure("\(twice.name) stands more than once.")
    }
    guard let operand = command.operand else {
      guard let first = operands.first else { return }
      throw UsageFailure("'\(command.name)' does not take '\(first)'. \(Help.hint(for: command))")
    }
    guard operand.isOpen || operands.count == 1 else {
      throw UsageFailure("'\(command.name)' takes one \(operand.name): \(operand.meaning) \(Help.hint(for: command))")
    }
  }

  /// The only operand.
  var operand: String { operands.first ?? "" }

  /// Every value of an option that may stand more than once.
  func values(of option: Option) -> [String] {
    precondition(command.options.contains { $0.name == option.name }, "\(command.name) does not list \(option.name)")
    return given[option.name] ?? []
  }

  func value(of option: Option) -> String? { values(of: option).first }

  func has(_ option: Option) -> Bool { !values(of: option).isEmpty }

  /// The value of an option that has to stand here.
  func required(_ option: Option) throws(UsageFailure) -> String {
    guard let value = value(of: option) else { throw UsageFailure("\(option.name) is missing.") }
    return value
  }

  /// Reads the values of an option as what they mean.
  func values<T>(of option: Option, _ rule: String, _ read: (String) -> T?) throws(UsageFailure) -> [T] {
    var found: [T] = []
    for text in values(of: option) {
      guard let value = read(text) else {
        throw UsageFailure("\(option.name) is \"\(text)\", but must be \(rule).")
      }
      found.append(value)
    }
    return found
  }

  /// The command line again, with whole paths, so that a running server reads the same in it.
  var words: [String] {
    command.words + operands
      + command.options.flatMap { option in
        given[option.name, default: []].map { option.value == nil ? option.name : "\(option.name)=\($0)" }
      }
  }
}
