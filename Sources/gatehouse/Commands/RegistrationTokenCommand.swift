import Domain
import Flows
import JSON

/// `gatehouse registration-token …`.
enum RegistrationTokenCommand {
  static let all = [create, list, revoke]

  private static let name = Option("--name", "NAME", "What you know it by, for example who gets it.", .required)
  private static let uses = Option("--uses", "COUNT", "How many apps may register with it; 1 unless you say otherwise.")
  private static let days = Option("--days", "DAYS", "For how long it is good; 7 days unless you say otherwise.")

  private static let create = Command(
    name: "registration-token create",
    summary: "Make a token with which apps register themselves (RFC 7591). It is shown this once.",
    options: [name, uses, days, .json],
    action: .installation { here, arguments in
      let (token, text) = try await RegistrationTokens(here).create(
        try arguments.required(name), uses: try number(uses, RegistrationToken.longestUses, arguments) ?? 1,
        days: try number(days, RegistrationToken.days, arguments) ?? 7, by: nil, .commandLine)
      if arguments.has(.json) {
        return .json(.object(members(token) + [JSONValue.Member("token", .string(text.revealedText))]))
      }
      let note =
        here.registration.mode == .off ? "\nRegistration is off: set GATEHOUSE_REGISTRATION to token or open." : ""
      return CommandResult(
        output: "\(token.id)\n\(text.revealedText)\nIt is good until \(String.moment(token.expiresAt)), for "
          + "\(token.uses) \(token.uses == 1 ? "app" : "apps"), and is shown this once only.\(note)")
    })

  private static let list = Command(
    name: "registration-token list", summary: "List the tokens with which apps register themselves.", options: [.json],
    action: .installation { here, arguments in
      let tokens = try await RegistrationTokens(here).list()
      if arguments.has(.json) { return .json(.array(tokens.map { .object(members($0)) })) }
      let rows = tokens.map { [$0.id.text, $0.name, "\($0.used) of \($0.uses)", .moment($0.expiresAt)] }
      return CommandResult(
        output: rows.isEmpty
          ? "There are no registration tokens." : TextTable.lines([["ID", "NAME", "USED", "EXPIRES"]] + rows))
    })

  private static let revoke = Command(
    name: "registration-token revoke",
    summary: "Let no more apps register with a token; those that did stay.",
    operand: Operand(name: "ID", meaning: "the token's id, as 'registration-token list' shows it."), options: [.json],
    action: .installation { here, arguments in
      guard let id = RegistrationTokenID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not the id of a registration token: it begins with reg_.")
      }
      try await RegistrationTokens(here).revoke(id, by: nil, .commandLine)
      if arguments.has(.json) { return .json(["id": .string(id.text), "done": "revoke"]) }
      return CommandResult(output: "\(id): revoked")
    })

  private static func number(
    _ option: Option, _ range: ClosedRange<Int64>, _ arguments: Arguments
  ) throws(UsageFailure) -> Int64? {
    try arguments.values(of: option, "a whole number from \(range.lowerBound) to \(range.upperBound)") {
      Int64($0).flatMap { range.contains($0) ? $0 : nil }
    }.first
  }

  private static func members(_ token: RegistrationToken) -> [JSONValue.Member] {
    [
      .init("id", .string(token.id.text)), .init("name", .string(token.name)), .init("uses", .integer(token.uses)),
      .init("used", .integer(token.used)), .init("created_at", .integer(token.createdAt.seconds)),
      .init("expires_at", .integer(token.expiresAt.seconds)),
    ]
  }
}
