import Domain
import Flows

/// What a command prints and how it ends.
struct CommandResult: Sendable {
  var output: String
  var errors = ""
  var exitCode: Int32 = 0

  static func failure(_ text: String, exitCode: Int32 = 1) -> CommandResult {
    CommandResult(output: "", errors: text, exitCode: exitCode)
  }
}

/// The sub-commands that work on an installation, in this process or through the socket of a running server.
struct CommandRunner: Sendable {
  let here: Installation

  static let usage = """
    Usage: gatehouse <command>

      serve [--init]                 run the server
      config                         list every setting with its meaning and default
      setup --user U --password-file F
      connection create --id ID --kind oauthUser|oidc [--name N] (--portal-url URL | --issuer URL) --client-id ID
                        [--client-secret-file F] [--resource URL-PREFIX]… [--host PATTERN]… [--scope S]…
                        [--allow-network CIDR]… [--allow-http] [--admit invited|listed|anyone] [--admit-user NAME]… [--json]
      connection list | show ID | disable ID | enable ID | delete ID          [--json]
      client create --name N --type public|confidential [--grant G]… [--redirect-uri U]… [--scope S]…
                    [--connection ID]… [--json]
      client list | show ID | disable ID | enable ID | delete ID | rotate ID  [--json]
      account list | show ID | disable ID | enable ID                         [--json]
      keys status | verify                                                    [--json]
      audit verify                                                            [--json]
    """

  /// Runs one command; never throws: what goes wrong becomes its error text.
  func run(_ words: [String]) async -> CommandResult {
    var arguments = Arguments(words)
    do {
      switch try arguments.word("a command") {
      case "setup": return try await SetupCommand(here: here).run(&arguments)
      case "connection": return try await ConnectionCommand(here: here).run(&arguments)
      case "client": return try await ClientCommand(here: here).run(&arguments)
      case "account": return try await AccountCommand(here: here).run(&arguments)
      case "keys": return try await KeysCommand(here: here).run(&arguments)
      case "audit": return try await AuditCommand(here: here).run(&arguments)
      case let other: return .failure("There is no command \(other).\n\n\(Self.usage)", exitCode: 64)
      }
    } catch let failure as Arguments.Failure {
      return .failure("\(failure) Run 'gatehouse' without a command for the usage.", exitCode: 64)
    } catch let refusal as Refusal {
      return .failure(refusal.description)
    } catch {
      return .failure("\(error)")
    }
  }
}

extension Visitor {
  /// Whoever may run commands on this machine.
  static let commandLine = Visitor(requestID: "", address: "command line", userAgent: "")
}
