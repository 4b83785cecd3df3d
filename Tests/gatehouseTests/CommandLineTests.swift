import Domain
import Testing

@testable import gatehouse

@Suite("The command line")
struct CommandLineTests {
  /// A command line that gives everything a command takes.
  private static func fullWords(_ command: Command) -> [String] {
    command.words + (command.operand.map { $0.isOpen ? [] : ["x"] } ?? [])
      + command.options.flatMap { option in option.value == nil ? [option.name] : [option.name, "x"] }
  }

  @Test("every command takes every option that its help explains", arguments: CommandTable.all)
  func walk(_ command: Command) throws {
    let (found, arguments) = try CommandTable.parse(Self.fullWords(command))
    #expect(found.name == command.name)
    let help = Help.text(for: command)
    for option in command.options {
      #expect(help.contains("\n  \(option.form) "))
      #expect(arguments.has(option))
      #expect(option.meaning.hasSuffix("."), "\(option.name) is explained in a sentence")
    }
    for line in help.split(separator: "\n").dropFirst() { #expect(line.count <= 100) }
  }

  @Test("every command explains itself in three ways", arguments: CommandTable.all)
  func explains(_ command: Command) async throws {
    for words in [["help"] + command.words, command.words + ["--help"], command.words + ["--json", "-h"]] {
      let (help, arguments) = try CommandTable.parse(words)
      guard case .program(let work) = help.action else { return #expect(Bool(false), "\(words) is no help") }
      #expect(try await work(arguments).output == Help.text(for: command))
    }
  }

  @Test("names and options stand once", arguments: CommandTable.all)
  func unique(_ command: Command) {
    #expect(CommandTable.all.filter { $0.name == command.name }.count == 1)
    #expect(Set(command.options.map(\.name)).count == command.options.count)
  }

  @Test(
    "says what was meant",
    arguments: [
      ("clint list", "There is no command 'clint'. Did you mean 'client'?"),
      ("client lst", "Did you mean 'list'?"), ("client", "'client' needs one of create, list, show"),
      ("connection make", "'connection' takes create, list"), ("serve --innit", "Did you mean '--init'?"),
      ("client create --nme x", "Did you mean '--name'?"), ("client create --redirect x", "'--redirect-uri'?"),
      ("client create", "--name, --type and --grant are missing"), ("client create --name", "--name needs a value"),
      ("client create --name --json", "--name needs a value"),
      ("client create --name a --name b --type public --grant x", "--name stands more than once"),
      ("client show", "takes one ID"), ("client show a b", "takes one ID"),
      ("client list all", "does not take 'all'"), ("client list --json=yes", "is a switch"),
      ("--json client list", "comes before the options"), ("help clint", "Did you mean 'client'?"),
    ])
  func objections(line: String, words: String) async throws {
    let failure = await #expect(throws: UsageFailure.self) {
      let (command, arguments) = try CommandTable.parse(line.split(separator: " ").map(String.init))
      if case .program(let work) = command.action { _ = try await work(arguments) }
    }
    #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
  }

  @Test("a value may begin with hyphens behind an equals sign, and reaches a server as it was, with whole paths")
  func forwarding() throws {
    let line = ["connection", "create", "--id=x", "--kind", "oidc", "--client-id=--odd", "--client-secret-file", "s"]
    let (command, arguments) = try CommandTable.parse(line)
    let (_, again) = try CommandTable.parse(arguments.words)
    let file = try #require(command.options.first { $0.isFile })
    #expect(again.words == arguments.words)
    #expect(again.words.contains("--client-id=--odd"))
    #expect(again.value(of: file)?.hasPrefix("/") == true)
  }

  @Test("a connection takes on the command line what it takes in the dashboard")
  func portalOptions() throws {
    let line =
      "connection create --id x --kind oauthUser --portal-url https://x.example --client-id x "
      + "--refresh-token-lifetime=-1 --exchange-below 48 --federated-minutes 30 --locale sv --page-style dark --force-login"
    let options = PortalOptions(
      refreshTokenMinutes: -1, exchangeBelowSeconds: 48 * 3600, federatedTokenMinutes: 30, locale: "sv", style: "dark",
      forcesLogin: true)
    let (_, arguments) = try CommandTable.parse(line.split(separator: " ").map(String.init))
    #expect(try PortalOptionArguments.read(arguments, .oauthUser) == options)
    let failure = #expect(throws: UsageFailure.self) { try PortalOptionArguments.read(arguments, .oidc) }
    #expect(failure?.description.contains("is not for the kind oidc") == true)
  }

  @Test("a list stands in columns, and no name commands the terminal")
  func table() {
    let text = TextTable.lines([["ID", "NAME"], ["a", "Ana\u{1B}[2J"], ["long", ""]])
    #expect(text == "ID    NAME\na     Ana\u{FFFD}[2J\nlong")
  }
}
