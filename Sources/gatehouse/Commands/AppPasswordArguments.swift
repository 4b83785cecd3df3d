import Domain
import Flows
import JSON

/// `gatehouse connection app-passwords` and `account app-passwords`.
enum AppPasswordArguments {
  private static let client = Option(
    "--client", "CLIENT-ID",
    "Take them, and let this client stand for apps that name none of Gatehouse's, such as the API for Python.")
  private static let off = Option(switch: "--off", "Take none, as at first; those that there are end.")
  private static let end = Option(
    "--end", "PASSWORD-ID", "End the one of this id, with whatever was signed in with it.")

  static let ofConnection = Command(
    name: "connection app-passwords",
    summary: "List the app passwords at an ArcGIS portal, or say whether its apps may sign people in with such.",
    operand: Operand(name: "ID", meaning: Connection.idRule), options: [client, off, end, .json],
    action: .installation { here, arguments in
      guard let id = ConnectionID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
      }
      let client = try arguments.values(of: client, "a client's id", ClientID.init).first
      guard [client != nil, arguments.has(off), arguments.has(end)].filter(\.self).count < 2 else {
        throw UsageFailure("Give --client, --off or --end, or none of them for the list.")
      }
      guard client != nil || arguments.has(off) else { return try await show(.connection(id), here, arguments) }
      try await TakeAppPasswords(here)(client, at: id, by: nil, .commandLine)
      if arguments.has(.json) {
        return .json(["id": .string(id.text), "app_password_client": client.map { .string($0.text) } ?? .null])
      }
      let words = client.map { "app passwords are taken; apps that name no client count as \($0)" }
      return CommandResult(output: "\(id): \(words ?? "no app passwords are taken")")
    })

  static let ofAccount = Command(
    name: "account app-passwords", summary: "List the app passwords of a person, or end one.",
    operand: Operand(name: "ID", meaning: "the account's id, as 'account list' shows it."), options: [end, .json],
    action: .installation { here, arguments in
      guard let id = AccountID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not the id of an account: \(Account.idRule).")
      }
      return try await show(.account(id), here, arguments)
    })

  private static func show(
    _ place: InspectAppPasswords.Place, _ here: Installation, _ arguments: Arguments
  ) async throws -> CommandResult {
    let inspect = InspectAppPasswords(here)
    if let id = try arguments.values(of: end, "the id of an app password, which begins with apw_", AppPasswordID.init)
      .first
    {
      try await inspect.end(id, at: place, .commandLine)
      if arguments.has(.json) { return .json(["id": .string(id.text), "done": "end"]) }
      return CommandResult(output: "\(id): ended")
    }
    var entries: [InspectAppPasswords.Entry] = []
    var cursor: String?
    repeat {
      let page = try await inspect(at: place, after: cursor)
      entries += page.entries
      cursor = page.next
    } while cursor != nil
    if arguments.has(.json) { return .json(.array(entries.map(\.json))) }
    let rows = entries.map { entry in
      [
        entry.password.id.text, entry.owner.name, entry.client.name, entry.connection.id.text,
        entry.isTaken ? "taken" : "not taken", .moment(entry.password.createdAt), .moment(entry.password.lastUsedAt),
      ]
    }
    let head = ["ID", "PERSON", "CLIENT", "CONNECTION", "STATE", "MADE", "LAST USE"]
    return CommandResult(output: rows.isEmpty ? "There are no app passwords." : TextTable.lines([head] + rows))
  }
}

extension InspectAppPasswords.Entry {
  fileprivate var json: JSONValue {
    [
      "id": .string(password.id.text), "account": .string(owner.id.text), "account_name": .string(owner.name),
      "client_id": .string(client.id.text), "client_name": .string(client.name),
      "connection": .string(connection.id.text), "taken": .bool(isTaken),
      "created_at": .integer(password.createdAt.seconds),
      "last_used_at": password.lastUsedAt.map { .integer($0.seconds) } ?? .null,
    ]
  }
}
