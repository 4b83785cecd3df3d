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

  private static let cancel = Option(
    switch: "--cancel",
    "Cancel the old key at ArcGIS, for which 'connection key-item' must have been told the client secret.")
  private static let clientID = Option("--client-id", "ID", "The client id of the key's item in ArcGIS.", .required)
  private static let secretFile = Option(
    "--client-secret-file", "FILE", "Its client secret; the file must be readable by its owner alone.", .required)

  static let commands = [
    command(
      "replace-key", "Use another API key at once in the place of a connection's; the old one works until it is ended.",
      "the key was replaced", options: [file, expires, referer, cancel]
    ) { here, id, arguments in
      try await ReplaceKey(here)(
        try key(arguments), of: id, cancelsOld: arguments.has(cancel), by: nil, .commandLine)
    },
    command(
      "next-key", "Put in the API key of the other slot, which is used by itself when the one in use ends.",
      "the next key was put in", options: [file, expires, referer]
    ) { here, id, arguments in
      try await NextKey(here).put(try key(arguments), of: id, by: nil, .commandLine)
      return nil
    },
    command(
      "use-next-key", "Use a connection's next API key at once; the old one works until it is ended.",
      "the next key is used", options: [cancel]
    ) { here, id, arguments in
      try await NextKey(here).use(of: id, cancelsOld: arguments.has(cancel), by: nil, .commandLine)
    },
    command(
      "remove-next-key", "Forget a connection's next API key, and cancel it at ArcGIS where that is possible.",
      "the next key was removed"
    ) { here, id, _ in try await NextKey(here).remove(of: id, by: nil, .commandLine) },
    command(
      "key-item", "Keep the client secret with which a connection's API keys can be cancelled at ArcGIS.",
      "the client secret was stored", options: [clientID, secretFile]
    ) { here, id, arguments in
      let item = KeyItem(
        clientID: try arguments.required(clientID),
        clientSecret: try Files.readPassword(try arguments.required(secretFile)))
      try await NextKey(here).name(item, of: id, by: nil, .commandLine)
      return nil
    },
  ]

  private static func command(
    _ verb: String, _ summary: String, _ done: String, options: [Option] = [],
    _ work: @escaping @Sendable (Installation, ConnectionID, Arguments) async throws -> KeyEnding?
  ) -> Command {
    Command(
      name: "connection \(verb)", summary: summary, operand: Operand(name: "ID", meaning: Connection.idRule),
      options: options + [.json],
      action: .installation { here, arguments in
        guard let id = ConnectionID(arguments.operand) else {
          throw UsageFailure("\"\(arguments.operand)\" is not a connection's id: \(Connection.idRule).")
        }
        let old = try await work(here, id, arguments)
        if arguments.has(.json) {
          return .json(
            ["id": .string(id.text), "done": .string(verb), "dropped_key": old.map { .string($0.name) } ?? .null])
        }
        return CommandResult(output: "\(id): \(done)" + (old.map { "\nThe key that was dropped: \($0.text)" } ?? ""))
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

extension KeyEnding {
  fileprivate var name: String {
    switch self {
    case .cancelled: "cancelled"
    case .retrying: "retrying"
    case .cannot: "cannot_be_cancelled"
    case .left: "left"
    }
  }

  fileprivate var text: String {
    switch self {
    case .cancelled: "cancelled at ArcGIS; it no longer works"
    case .retrying(let end):
      "ArcGIS has not confirmed that it is cancelled, and is asked again for a day at most; until it is confirmed, the "
        + "key may work until \(String.moment(end))"
    case .cannot(let end):
      "it cannot be cancelled, since the client secret of its item or its slot is not known; it works until "
        + "\(String.moment(end)) unless it is ended in ArcGIS"
    case .left(let end): "not cancelled; it works until \(String.moment(end)) unless it is ended in ArcGIS"
    }
  }
}
