import Domain
import Flows
import JSON
import Storage

/// `gatehouse account …`.
struct AccountCommand {
  let here: Installation

  func run(_ arguments: inout Arguments) async throws -> CommandResult {
    let action = try arguments.word("what to do: list, show, disable or enable")
    let isJSON = arguments.flag("--json")
    if action == "list" {
      try arguments.finish()
      let accounts = try await here.store.read { try $0.accounts() }
      return .listing(accounts.map(Self.json), isJSON) { "\($0.string("id") ?? "")  \($0.string("name") ?? "")" }
    }
    let text = try arguments.word("the account's id")
    try arguments.finish()
    guard let id = AccountID(text) else { throw Arguments.Failure("\(text) is not an account's id.") }
    switch action {
    case "show":
      guard let account = try await here.store.read({ try $0.account(id) }) else {
        throw Refusal(.notFound, "There is no account called \(id).")
      }
      return .json(Self.json(account))
    case "disable", "enable":
      try await ChangeAccount(here)(id, disabled: action == "disable", by: nil, .commandLine)
      return CommandResult(output: "\(id): \(action)d")
    default: throw Arguments.Failure("An account cannot be \(action)d: list, show, disable or enable it.")
    }
  }

  static func json(_ account: Account) -> JSONValue {
    [
      "id": .string(account.id.text), "name": .string(account.name),
      "username": account.username.map(JSONValue.string) ?? .null, "role": .string(account.role.rawValue),
      "disabled": .bool(account.isDisabled),
    ]
  }
}
