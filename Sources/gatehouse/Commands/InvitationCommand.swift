import Domain
import Flows
import JSON
import Storage

/// `gatehouse account invite`, `account invitations` and `account uninvite`.
enum InvitationCommand {
  static let all = [invite, list, withdraw]

  private static let connection = Option(
    "--connection", "ID", "The connection through which the person gets an account.", .required)
  private static let name = Option("--name", "NAME", "What the account is called; else what the service calls them.")
  private static let user = Option(
    "--user", "NAME", "Who they are at the service: then only they can accept, with or without the link.")

  private static let invite = Command(
    name: "account invite", summary: "Invite a person to get an account by a link, which is shown this once.",
    options: [connection, name, user, .json],
    action: .installation { here, arguments in
      let draft = InvitePerson.Draft(
        connection: try arguments.values(of: connection, ConnectionID.rule, ConnectionID.init)[0],
        name: arguments.value(of: name) ?? "", username: arguments.value(of: user) ?? "")
      let (invitation, link): (Invitation, Secret)
      do {
        (invitation, link) = try await InvitePerson(here)(draft, by: nil, .commandLine)
      } catch let needless as InvitePerson.Needless {
        throw UsageFailure(needless.description)
      }
      if arguments.has(.json) {
        return .json(.object(members(invitation) + [JSONValue.Member("link", .string(link.revealedText))]))
      }
      return CommandResult(
        output: "\(invitation.id)\n\(link.revealedText)\nThe link works once, for 7 days, and is shown this once only.")
    })

  private static let list = Command(
    name: "account invitations", summary: "List the invitations that nobody has accepted yet.", options: [.json],
    action: .installation { here, arguments in
      let invitations = try await here.openInvitations()
      if arguments.has(.json) { return .json(.array(invitations.map { .object(members($0)) })) }
      let lines = invitations.map { "\($0.id)  \($0.connection)  \($0.name ?? $0.username ?? "")" }
      return CommandResult(output: lines.isEmpty ? "No invitation is open." : lines.joined(separator: "\n"))
    })

  private static let withdraw = Command(
    name: "account uninvite", summary: "Withdraw an invitation that nobody has accepted yet.",
    operand: Operand(name: "ID", meaning: "the invitation's id, as 'account invitations' shows it."), options: [.json],
    action: .installation { here, arguments in
      guard let id = InvitationID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not the id of an invitation: it begins with inv_.")
      }
      try await InvitePerson(here).withdraw(id, by: nil, .commandLine)
      if arguments.has(.json) { return .json(["id": .string(id.text), "done": "uninvite"]) }
      return CommandResult(output: "\(id): withdrawn")
    })

  private static func members(_ invitation: Invitation) -> [JSONValue.Member] {
    [
      .init("id", .string(invitation.id.text)), .init("connection", .string(invitation.connection.text)),
      .init("name", invitation.name.map(JSONValue.string) ?? .null),
      .init("user", invitation.username.map(JSONValue.string) ?? .null),
      .init("expires_at", .integer(invitation.expiresAt.seconds)),
    ]
  }
}
