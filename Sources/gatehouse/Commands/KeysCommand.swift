import Domain
import Flows
import JSON

/// `gatehouse keys …`.
struct KeysCommand {
  let here: Installation

  func run(_ arguments: inout Arguments) async throws -> CommandResult {
    let action = try arguments.word("what to do: status or verify")
    let isJSON = arguments.flag("--json")
    try arguments.finish()
    switch action {
    case "status":
      let status = try await InspectKeys(here).status()
      return .listing(
        status.sealed.map { ["table": .string($0.table), "kek": .string($0.kekID), "sealed": .integer($0.count)] },
        isJSON,
        heading: "key-encryption key \(status.kekID)"
      ) { "\($0.string("table") ?? ""): \($0.integer("sealed") ?? 0) sealed under \($0.string("kek") ?? "")" }
    case "verify":
      let result = try await InspectKeys(here).verify()
      let json: JSONValue = ["opened": .integer(result.opened), "broken": .array(result.broken.map(JSONValue.string))]
      var answer: CommandResult =
        isJSON
        ? .json(json)
        : CommandResult(output: "\(result.opened) sealed values open; \(result.broken.count) do not.")
      if !result.broken.isEmpty {
        answer.errors = result.broken.joined(separator: "\n")
        answer.exitCode = 1
      }
      return answer
    default: throw Arguments.Failure("keys status or keys verify.")
    }
  }
}
