import Domain
import Flows
import JSON

/// `gatehouse account create` and `account password-link`.
enum PasswordLinkCommand {
  static let all = [create, link]

  private static let user = Option("--user", "NAME", "The user name with which the person signs in.", .required)
  private static let name = Option("--name", "NAME", "What the account is called; else the user name.")

  private static let create = Command(
    name: "account create",
    summary: "Make an account with a password here, which its person sets by a link shown this once.",
    options: [user, name, MailCommand.email, .json],
    action: .installation { here, arguments in
      var draft = MakePasswordLink.Draft(
        username: arguments.value(of: user) ?? "", name: arguments.value(of: name) ?? "")
      draft.email = try arguments.value(of: MailCommand.email).map(MailCommand.address)
      let (account, link) = try await MakePasswordLink(here).createAccount(draft, .commandLine)
      return result(account.id, link, arguments)
    })

  private static let link = Command(
    name: "account password-link", summary: "Let a person set the password of their account anew, by a link.",
    operand: Operand(name: "ID", meaning: "the account's id, as 'account list' shows it."), options: [.json],
    action: .installation { here, arguments in
      guard let id = AccountID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not the id of an account: it begins with acct_.")
      }
      return result(id, try await MakePasswordLink(here)(id, .commandLine), arguments)
    })

  private static func result(_ id: AccountID, _ link: Secret, _ arguments: Arguments) -> CommandResult {
    if arguments.has(.json) { return .json(["id": .string(id.text), "link": .string(link.revealedText)]) }
    return CommandResult(
      output: "\(id)\n\(link.revealedText)\nThe link works once, for a day, and is shown this once only.")
  }
}
