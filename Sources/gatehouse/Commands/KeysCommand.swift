import Domain
import Flows
import JSON

/// `gatehouse keys …`.
enum KeysCommand {
  static let all = [status, verify, rotateSigning]

  private static let status = Command(
    name: "keys status", summary: "Say which key-encryption key is in use and how much is sealed under it.",
    options: [.json],
    action: .installation { here, arguments in
      let status = try await InspectKeys(here).status()
      if arguments.has(.json) {
        return .json(
          .array(
            status.sealed.map {
              ["table": .string($0.table), "kek": .string($0.kekID), "sealed": .integer($0.count)]
            }))
      }
      let lines = status.sealed.map { "\($0.table): \($0.count) sealed under \($0.kekID)" }
      return CommandResult(
        output: (["key-encryption key \(status.kekID)"] + lines).joined(separator: "\n"))
    })

  private static let verify = Command(
    name: "keys verify", summary: "Open every lasting sealed value; the exit code is 1 when one does not.",
    options: [.json],
    action: .installation { here, arguments in
      let result = try await InspectKeys(here).verify()
      var answer: CommandResult =
        arguments.has(.json)
        ? .json([
          "opened": .integer(result.opened), "broken": .array(result.broken.map(JSONValue.string)),
          "left_out": .array(
            result.leftOut.map { ["table": .string($0.table), "sealed": .integer($0.count)] }),
        ])
        : CommandResult(output: result.text)
      if !result.broken.isEmpty {
        answer.errors = result.broken.joined(separator: "\n")
        answer.exitCode = 1
      }
      return answer
    })
}

extension InspectKeys.Verification {
  fileprivate var text: String {
    let checked = "\(opened) sealed values open; \(broken.count) do not."
    if leftOut.isEmpty { return checked }
    let others = leftOut.map { "\($0.table): \($0.count)" }.joined(separator: ", ")
    return "\(checked) Not opened, since it ends by itself soon: \(others)."
  }
}
