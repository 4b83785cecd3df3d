/// `gatehouse help`, and what every command says about itself.
enum Help {
  static let switches: Set = ["--help", "-h"]
  private static let width = 100

  static let command = Command(
    name: "help", summary: "Explain a command and its options.",
    operand: Operand(name: "COMMAND", meaning: "the command to explain; all are listed without it.", isOpen: true),
    action: .program { CommandResult(output: try text(for: $0.operands)) })

  /// Where somebody finds out more about a command.
  static func hint(for command: Command) -> String { "Run 'gatehouse help \(command.name)' for what it takes." }

  private static func text(for words: [String]) throws(UsageFailure) -> String {
    guard !words.isEmpty else { return overview }
    let commands = CommandTable.commands(under: words)
    guard !commands.isEmpty else { throw CommandTable.unknown(words) }
    guard commands.count == 1, let only = commands.first else {
      return list(commands) + "\n\nRun 'gatehouse help \(words[0]) \(commands[0].words[1])' for one of them."
    }
    return text(for: only)
  }

  private static var overview: String {
    """
    Gatehouse \(Version.number): a sign-in portal and token vending service.

    Usage: gatehouse COMMAND [OPTION…]

    \(list(CommandTable.all))

    Run 'gatehouse help COMMAND' for a command's options. Settings come from GATEHOUSE_… variables:
    'gatehouse config' lists them.
    """
  }

  private static func list(_ commands: [Command]) -> String {
    rows(commands.map { (($0.name + ($0.operand.map { " \($0.form)" } ?? "")), $0.summary) })
  }

  static func text(for command: Command) -> String {
    let required = command.options.filter(\.isRequired).map(\.form)
    let isOpen = command.options.contains { !$0.isRequired }
    let usage =
      ["gatehouse", command.name] + (command.operand.map { [$0.form] } ?? []) + required
      + (isOpen ? ["[OPTION…]"] : [])
    var parts = ["Usage: \(usage.joined(separator: " "))", command.summary]
    if let operand = command.operand { parts.append(rows([(operand.form, operand.meaning.capitalisedFirst)])) }
    if !command.options.isEmpty { parts.append(rows(command.options.map { ($0.form, $0.explanation) })) }
    return parts.joined(separator: "\n\n")
  }

  /// Two columns, the second one broken into lines.
  private static func rows(_ rows: [(left: String, right: String)]) -> String {
    let column = (rows.map(\.left.count).max() ?? 0) + 4
    return rows.map { row in
      let lines = wrapped(row.right, to: width - column)
      let left = "  " + row.left + String(repeating: " ", count: column - 2 - row.left.count)
      return left + lines.joined(separator: "\n" + String(repeating: " ", count: column))
    }.joined(separator: "\n")
  }

  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Option {
  fileprivate var explanation: String {
    meaning + (isRequired ? " Required." : "") + (mayRepeat ? " May stand more than once." : "")
  }
}

extension Operand {
  fileprivate var form: String { isOpen ? "[\(name)]" : name }
}

extension String {
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
