import Domain
import Flows
import JSON
import Storage

/// `gatehouse account …`.
enum AccountCommand {
  static let all =
    [
      Account.list, Account.show,
      Account.change(
        "disable", "End a person's sessions and app tokens; services stay connected.",
        remains: "A token of a service that an app got before works until it ends by itself."
      ) { here, id in
        try await ChangeAccount(here)(id, disabled: true, by: nil, .commandLine)
      },
      Account.request(
        "sign-out", "End a person's sessions and app tokens, and have services cancel what they gave.",
        options: [keepServices]
      ) { here, id, arguments in
        guard try await here.store.read({ try $0.account(id) }) != nil else {
          throw Refusal(.notFound, "There is no account called \(id).")
        }
        return try await SignOut(here)(id, keepsServices: arguments.has(keepServices), .commandLine).json
      },
      Account.request(
        "remove-factors", "Take the second step off the sign-in of a person who has lost everything for it."
      ) { here, id, _ in
        let (account, factors) = try await RemoveSecondFactors(here)(id, .commandLine)
        return [
          "id": .string(account.id.text), "authenticator_app": .bool(factors.appSince != nil),
          "passkeys": .integer(factors.passkeys), "recovery_codes": .integer(factors.recoveryCodes),
        ]
      },
      Account.change("enable", "Let a disabled person sign in again.") { here, id in
        try await ChangeAccount(here)(id, disabled: false, by: nil, .commandLine)
      },
    ] + InvitationCommand.all + PasswordLinkCommand.all + [AppPasswordArguments.ofAccount]
}

extension AccountCommand {
  private static let keepServices = Option(
    switch: "--keep-services", "Leave the services connected; only sessions and app tokens end.")
}

extension SignOut.Report {
  fileprivate var json: JSONValue {
    [
      "sessions_ended": .integer(Int64(sessionsEnded)), "apps_ended": .integer(Int64(appsEnded)),
      "services": .array(
        items.map { item in
          [
            "connection": .string(item.connection.text), "outcome": .string(item.outcome.rawValue),
            "tokens_end": item.tokenEndsAt.flatMap { $0.isNever ? nil : .string(.moment($0)) } ?? .null,
            "federated_tokens_end": item.serverTokensEndAt.map { .string(.moment($0)) } ?? .null,
            "waits_for": item.missingLayer.map { .string($0.id.text) } ?? .null,
          ]
        }),
    ]
  }
}

extension Account: Entry {
  static let noun = "account"
  static let plural = "accounts"
  static let idRule = "an account's id begins with \(idPrefix)_"

  static let columns = ["ROLE", "SIGNS IN WITH", "SESSIONS", "LAST SIGN-IN"]

  static func all(of here: Installation) async throws -> [(entry: Account, texts: [String])] {
    let now = here.clock.now()
    return try await here.store.read { try $0.accounts(after: .start, limit: .max, at: now) }.map { entry in
      let account = entry.account
      let way = entry.connection.map { "\($0.name) as \($0.identity)" } ?? account.username.map { "password of \($0)" }
      return (account, [account.role.rawValue, way ?? "-", "\(entry.sessions)", .moment(entry.lastSignIn)])
    }
  }

  static func entry(_ id: AccountID, in transaction: Transaction) throws -> Account? { try transaction.account(id) }

  var json: JSONValue {
    [
      "id": .string(id.text), "name": .string(name), "username": username.map(JSONValue.string) ?? .null,
      "role": .string(role.rawValue), "disabled": .bool(isDisabled),
    ]
  }
}
