import Domain
import Flows

/// `gatehouse setup`: makes the first administrator without the link.
enum SetupCommand {
  private static let user = Option("--user", "NAME", "The name to sign in with.", .required)
  private static let passwordFile = Option(
    "--password-file", "FILE", "Holds the password on one line; must be readable by its owner alone.", .required)
  private static let another = Option(
    switch: "--another", "Make an administrator although there is one; without it, only the first is made.")

  static let command = Command(
    name: "setup", summary: "Make the first administrator; a new installation is made if there is none.",
    options: [user, passwordFile, another],
    action: .newInstallation(check: { arguments in
      if let objection = try draft(arguments).objections.first { throw Refusal(.invalidRequest, objection.text) }
    }) { here, arguments in
      let (isDone, isAnother) = (try await SetUp(here).isDone(), arguments.has(another))
      guard isAnother || !isDone else {
        return .failure(
          "This installation has an administrator already, so nothing was changed. To make one more, add --another.")
      }
      let account = try await SetUp(here).createAdministrator(draft(arguments), another: isAnother, .commandLine)
      return CommandResult(output: "The administrator \(account.username ?? account.name) was made (\(account.id)).")
    })

  private static func draft(_ arguments: Arguments) throws -> SetUp.Draft {
    let username = try arguments.required(user)
    return SetUp.Draft(
      username: username, name: username, password: try Files.readPassword(arguments.required(passwordFile)))
  }
}
