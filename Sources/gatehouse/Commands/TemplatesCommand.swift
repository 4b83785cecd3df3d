import Flows
import JSON

/// `gatehouse connection templates`.
enum TemplatesCommand {
  static let command = Command(
    name: "connection templates", summary: "List the providers that a connection can be started from.",
    options: [.json],
    action: .program { arguments in
      let configuration = try Configuration.load(Process.environment)
      let templates = try ProviderTemplateFiles.read(configuration).all
      guard !templates.isEmpty else {
        return .failure(
          "There are no templates in \(configuration.publicDirectory)/templates/providers. Point GATEHOUSE_PUBLIC at the "
            + "Public directory of Gatehouse.")
      }
      if arguments.has(.json) { return .json(.array(templates.map(\.json))) }
      let rows = templates.map { [$0.id, $0.name, $0.placeholders.map(\.text).joined(separator: " ")] }
      return CommandResult(
        output: TextTable.lines([["TEMPLATE", "PROVIDER", "TO SET"]] + rows)
          + "\n\n'gatehouse connection create --template TEMPLATE --set NAME=VALUE' starts from one.")
    })
}

extension ProviderTemplate.Placeholder {
  fileprivate var text: String { standard.map { "\(name) (\($0) unless given)" } ?? name }
}

extension ProviderTemplate {
  fileprivate var json: JSONValue {
    [
      "id": .string(id), "name": .string(name), "issuer": issuer.map(JSONValue.string) ?? .null,
      "placeholders": .array(
        placeholders.map {
          [
            "name": .string($0.name), "meaning": .string($0.meaning),
            "standard": $0.standard.map(JSONValue.string) ?? .null,
          ]
        }),
      "scopes": .array(scopes.map(JSONValue.string)), "registration": .string(registration),
      "documentation": .string(documentation),
    ]
  }
}
