import Domain
import Flows
import JSON

/// The options of `connection create` and `connection replace-key` that bring an ArcGIS API key.
enum KeyArguments {
  private static let file = Option(
    "--key-file", "FILE", "For apiKey: the API key; the file must be readable by its owner alone.")
  private static let expires = Option(
    "--key-expires", "WHEN", "For apiKey: when the key ends, in UTC, such as 2026-12-31 or \"2026-12-31 14:30\".")
  private static let referer = Option(
    "--key-referer", "URL",
    "For apiKey: one of the addresses that ArcGIS takes the key from, if it takes it from some alone.")
  private static let services = Option(
    "--service", "NAME",
    "For apiKey: a service that the key is for: \(Spelling.list(LocationService.allCases.map(\.rawValue))). All unless "
      + "these or resources are given.", .repeatable)

  static let all = [file, expires, referer, services]

  static let replace = Command(
    name: "connection replace-key",
    summary: "Put another API key in the place of a connection's; the old one works until it is ended in ArcGIS.",
    operand: Operand(name: "ID", meaning: Connection.idRule), options: [file, expires, referer, .json],
    action: .installation { here, arguments in
      guard let id = ConnectionID(arguments.operand) else {
        throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
      }
      try await ReplaceKey(here)(try key(arguments), of: id, by: nil, .commandLine)
      if arguments.has(.json) { return .json(["id": .string(id.text), "done": "replace-key"]) }
      return CommandResult(output: "\(id): the key was replaced")
    })

  /// The key, for the kind that is one.
  static func read(_ arguments: Arguments, _ kind: Connection.Kind) throws -> TypedToken? {
    guard kind == .apiKey else {
      if let given = all.first(where: arguments.has) {
        throw UsageFailure("\(given.name) is not for the kind \(kind.rawValue).")
      }
      return nil
    }
    return try key(arguments)
  }

  static func resources(_ arguments: Arguments) throws(UsageFailure) -> [ResourcePattern] {
    try arguments.values(of: services, Spelling.list(LocationService.allCases.map(\.rawValue)), LocationService.init)
      .flatMap(\.resources)
  }

  private static func key(_ arguments: Arguments) throws -> TypedToken {
    let path = try arguments.required(file)
    _ = try arguments.required(expires)
    let end = try arguments.values(of: expires, "a time in UTC such as 2026-12-31 14:30", TypedToken.moment)[0]
    return TypedToken(token: try Files.readPassword(path), expiresAt: end, referer: arguments.value(of: referer))
  }
}
