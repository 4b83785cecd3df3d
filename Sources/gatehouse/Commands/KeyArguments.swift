import Domain
import Flows
import JSON

/// The options of `connection create`, `connection replace-key` and `connection next-key` that bring an ArcGIS API key.
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

  static let commands = [
    command(
      "replace-key", "Use another API key at once in the place of a connection's; the old one works until it is ended.",
      "the key was replaced", takesKey: true
    ) { here, id, arguments in try await ReplaceKey(here)(try key(arguments), of: id, by: nil, .commandLine) },
    command(
      "next-key", "Put in the API key of the other slot, which is used by itself when the one in use ends.",
      "the next key was put in", takesKey: true
    ) { here, id, arguments in try await NextKey(here).put(try key(arguments), of: id, by: nil, .commandLine) },
    command(
      "use-next-key", "Use a connection's next API key at once; the old one works until it is ended in ArcGIS.",
      "the next key is used"
    ) { here, id, _ in try await NextKey(here).use(of: id, by: nil, .commandLine) },
    command(
      "remove-next-key", "Forget a connection's next API key; it works until it is ended in ArcGIS.",
      "the next key was removed"
    ) { here, id, _ in try await NextKey(here).remove(of: id, by: nil, .commandLine) },
  ]

  private static func command(
    _ verb: String, _ summary: String, _ done: String, takesKey: Bool = false,
    _ work: @escaping @Sendable (Installation, ConnectionID, Arguments) async throws -> Void
  ) -> Command {
    Command(
      name: "connection \(verb)", summary: summary, operand: Operand(name: "ID", meaning: Connection.idRule),
      options: takesKey ? [file, expires, referer, .json] : [.json],
      action: .installation { here, arguments in
        guard let id = ConnectionID(arguments.operand) else {
          throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
        }
        try await work(here, id, arguments)
        if arguments.has(.json) { return .json(["id": .string(id.text), "done": .string(verb)]) }
        return CommandResult(output: "\(id): \(done)")
      })
  }

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

extension KeyStanding {
  var json: JSONValue {
    [
      "slot": slot.map { .integer(Int64($0)) } ?? .null, "state": .string(isNext ? "next" : "in_use"),
      "expires_at": .string(.moment(endsAt)),
    ]
  }
}
