import Domain
import Flows

/// `gatehouse setup`: makes the first administrator without the link.
struct SetupCommand {
  let here: Installation

  func run(_ arguments: inout Arguments) async throws -> CommandResult {
    let username = try arguments.required("--user")
    let file = try arguments.required("--password-file")
    try arguments.finish()
    let password = try Files.readSecret(file).revealedText
    let draft = SetUp.Draft(
      username: username, name: username,
      password: Secret(password.hasSuffix("\n") ? String(password.dropLast()) : password))
    let account = try await SetUp(here).createAdministrator(draft, .commandLine)
    return CommandResult(output: "The administrator \(username) was made (\(account.id)).")
  }
}
