import Domain
import Flows
import JSON
import Storage

/// `gatehouse account …`.
enum AccountCommand {
  static let all =
    [
      Account.list, Account.show,
      Account.change("disable", "End a person's sessions and apps; nothing is deleted.") { here, id in
        try await ChangeAccount(here)(id, disabled: true, by: nil, .commandLine)
      },
      Account.change("enable", "Let a disabled person sign in again.") { here, id in
        try await ChangeAccount(here)(id, disabled: false, by: nil, .commandLine)
      },
    ] + InvitationCommand.all
}

extension Account: Entry {
  static let noun = "account"
  static let plural = "accounts"
  static let idRule = "an account's id begins with \(idPrefix)_"

  static func all(in transaction: Transaction) throws -> [Account] { try transaction.accounts() }

  static func entry(_ id: AccountID, in transaction: Transaction) throws -> Account? { try transaction.account(id) }

  var json: JSONValue {
    [
      "id": .string(id.text), "name": .string(name), "username": username.map(JSONValue.string) ?? .null,
      "role": .string(role.rawValue), "disabled": .bool(isDisabled),
    ]
  }
}
