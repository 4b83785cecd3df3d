/// Every command there is.
enum CommandTable {
  static let all: [Command] =
    [Serve.command, Configuration.command, SetupCommand.command]
    + ConnectionCommand.all + ClientCommand.all + APIKeyCommand.all + RegistrationTokenCommand.all + AccountCommand.all
    + KeysCommand.all
    + AuditCommand.all
    + MailCommand.all + WebhookCommand.all
    + [LedgerCommand.command, UsageCommand.command, ProbeCommand.command, WhyCommand.command]
    + [Help.command, Version.command]

  /// The commands whose name begins with `words`.
  static func commands(under words: [String]) -> [Command] { all.filter { $0.words.starts(with: words) } }

  /// Finds the command that a command line names, and takes its arguments apart.
  static func parse(_ words: [String]) throws(UsageFailure) -> (Command, Arguments) {
    if let first = words.first, Help.switches.contains(first) || first == Version.word {
      return try parse([first == Version.word ? "version" : "help"] + words.dropFirst())
    }
    if let index = words.firstIndex(where: Help.switches.contains) {
      // The words before the first option name the command, as far as they name one.
      let name = words[..<index].prefix { !$0.hasPrefix("-") }.prefix(2)
      return try parse(["help"] + (commands(under: Array(name)).isEmpty ? name.prefix(1) : name))
    }
    guard let command = all.first(where: { words.starts(with: $0.words) }) else { throw unknown(words) }
    return (command, try Arguments(words.dropFirst(command.words.count), of: command))
  }

  /// Says what could be written in place of a command that does not exist.
  static func unknown(_ words: [String]) -> UsageFailure {
    let name = words.prefix(2).prefix { !$0.hasPrefix("-") }
    guard let first = name.first else {
      return UsageFailure("A command comes before the options. Run 'gatehouse help' for all commands.")
    }
    let group = commands(under: [first])
    if group.isEmpty {
      let near = Spelling.suggestion(for: first, among: all.compactMap(\.words.first))
      return UsageFailure("There is no command '\(first)'.\(near) Run 'gatehouse help' for all commands.")
    }
    let actions = group.compactMap { $0.words.dropFirst().first }
    guard let second = name.dropFirst().first else {
      return UsageFailure("'\(first)' needs one of \(Spelling.list(actions)) behind it.")
    }
    return UsageFailure(
      "There is no command '\(first) \(second)'.\(Spelling.suggestion(for: second, among: actions)) "
        + "'\(first)' takes \(Spelling.list(actions)).")
  }
}
