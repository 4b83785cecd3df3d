import Domain
import Flows
import JSON

/// `gatehouse mail test` and `account email`.
enum MailCommand {
  static let all = [test, address]

  static let email = Option("--email", "ADDRESS", "Where the person is told of what happens to the account.")

  private static let test = Command(
    name: "mail test", summary: "Send a test mail, and say what the mail server answers.",
    operand: Operand(name: "ADDRESS", meaning: "where it goes."), options: [.json],
    action: .installation { here, arguments in
      let recipient = try address(arguments.operand)
      try await here.testMail(to: recipient)
      if arguments.has(.json) { return .json(["sent": .string(recipient.text)]) }
      return CommandResult(output: "The mail server has taken a mail to \(recipient).")
    })

  private static let address = Command(
    name: "account email",
    summary: "Set where a person is told of what happens to their account; without --email, nowhere.",
    operand: Operand(name: "ID", meaning: "the account's id, as 'account list' shows it."), options: [email, .json],
    action: .installation { here, arguments in
      guard let id = AccountID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not the id of an account: it begins with acct_.")
      }
      let wanted = try arguments.value(of: email).map(address)
      try await ChangeEmail(here).set(wanted, of: id, .commandLine)
      if arguments.has(.json) {
        return .json(["id": .string(id.text), "email": wanted.map { .string($0.text) } ?? .null])
      }
      return CommandResult(output: wanted.map { "\(id): notices go to \($0)" } ?? "\(id): notices are not mailed")
    })

  static func address(_ text: String) throws(UsageFailure) -> EmailAddress {
    guard let address = EmailAddress(text) else {
      throw UsageFailure("\"\(text)\" is no e-mail address: write one like ana@example.org.")
    }
    return address
  }
}
