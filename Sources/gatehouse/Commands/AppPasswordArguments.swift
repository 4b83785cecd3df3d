import Domain
import Flows
import JSON

/// `gatehouse connection app-passwords`.
enum AppPasswordArguments {
  private static let client = Option(
    "--client", "CLIENT-ID",
    "Take them, and let this client stand for apps that name none of Gatehouse's, such as the API for Python.")
  private static let off = Option(switch: "--off", "Take none, as at first; those that there are end.")

  static let command = Command(
    name: "connection app-passwords",
    summary: "Say whether apps at an ArcGIS portal may sign people in with app passwords.",
    operand: Operand(name: "ID", meaning: Connection.idRule), options: [client, off, .json],
    action: .installation { here, arguments in
      guard let id = ConnectionID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
      }
      let client = try arguments.values(of: client, "a client's id", ClientID.init).first
      guard (client == nil) == arguments.has(off) else { throw UsageFailure("Give --client or --off.") }
      try await TakeAppPasswords(here)(client, at: id, by: nil, .commandLine)
      if arguments.has(.json) {
        return .json(["id": .string(id.text), "app_password_client": client.map { .string($0.text) } ?? .null])
      }
      let words = client.map { "app passwords are taken; apps that name no client count as \($0)" }
      return CommandResult(output: "\(id): \(words ?? "no app passwords are taken")")
    })
}
