import Domain
import Flows
import JSON
import Storage

/// `gatehouse connection …`.
struct ConnectionCommand {
  let here: Installation

  func run(_ arguments: inout Arguments) async throws -> CommandResult {
    let action = try arguments.word("what to do: create, list, show, disable, enable or delete")
    let isJSON = arguments.flag("--json")
    switch action {
    case "create": return try await create(&arguments, isJSON)
    case "list":
      try arguments.finish()
      let connections = try await here.store.read { try $0.connections() }
      return .listing(connections.map(Self.json), isJSON) { "\($0.string("id") ?? "")  \($0.string("name") ?? "")" }
    case "show":
      let id = try id(&arguments)
      guard let connection = try await here.store.read({ try $0.connection(id) }) else {
        throw Refusal(.notFound, "There is no connection called \(id).")
      }
      return .json(Self.json(connection))
    default:
      guard let change = ChangeConnection.Change(rawValue: action) else {
        throw Arguments.Failure("A connection cannot be \(action)d: create, list, show, disable, enable or delete it.")
      }
      let id = try id(&arguments)
      try await ChangeConnection(here)(change, id, by: nil, .commandLine)
      return CommandResult(output: "\(id): \(change.rawValue)d")
    }
  }

  private func id(_ arguments: inout Arguments) throws -> ConnectionID {
    let text = try arguments.word("the connection's id")
    try arguments.finish()
    guard let id = ConnectionID(text) else { throw Arguments.Failure("\(text) cannot be a connection's id.") }
    return id
  }

  private func create(_ arguments: inout Arguments, _ isJSON: Bool) async throws -> CommandResult {
    let draft = try draft(&arguments)
    let secret = try arguments.value(of: "--client-secret-file").map { path in
      let text = try Files.readSecret(path).revealedText
      return Secret(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    try arguments.finish()
    let connection = try await CreateConnection(here)(draft, clientSecret: secret, by: nil, .commandLine)
    if isJSON { return .json(Self.json(connection)) }
    return CommandResult(
      output: "Connection \(connection.id) was made. Register this redirect URI there: "
        + "\(here.issuer)/callback/\(connection.id)")
  }

  private func draft(_ arguments: inout Arguments) throws -> Connection {
    let idText = try arguments.required("--id")
    guard let id = ConnectionID(idText) else {
      throw Arguments.Failure("--id takes 1 to 40 of a-z, 0-9 and hyphens, beginning with a letter.")
    }
    let kindText = try arguments.required("--kind")
    guard let kind = Connection.Kind(rawValue: kindText) else {
      throw Arguments.Failure("--kind is one of \(Connection.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    let origin = try arguments.required(kind == .oauthUser ? "--portal-url" : "--issuer")
    var draft = Connection(
      id: id, name: try arguments.value(of: "--name") ?? idText, kind: kind, origin: origin,
      clientID: try arguments.required("--client-id"), createdAt: here.clock.now())
    for text in try arguments.values(of: "--resource") + arguments.values(of: "--host") {
      guard let pattern = ResourcePattern(text) else {
        throw Arguments.Failure("\(text) is neither a URL prefix nor a host pattern such as *.example.com.")
      }
      draft.resources.append(pattern)
    }
    draft.scopes = try arguments.values(of: "--scope")
    draft.reach.networks = try arguments.values(of: "--allow-network")
    draft.reach.allowsHTTP = arguments.flag("--allow-http")
    draft.allowLoopbackOrigin()
    if let text = try arguments.value(of: "--admit") {
      guard let admission = Admission(rawValue: text) else {
        throw Arguments.Failure("--admit is one of \(Admission.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      draft.admission = admission
    }
    draft.admitted = try arguments.values(of: "--admit-user")
    return draft
  }

  static func json(_ connection: Connection) -> JSONValue {
    [
      "id": .string(connection.id.text), "name": .string(connection.name), "kind": .string(connection.kind.rawValue),
      "origin": .string(connection.origin), "client_id": .string(connection.clientID),
      "has_client_secret": .bool(connection.hasClientSecret),
      "resources": .array(connection.resources.map { .string($0.text) }),
      "admission": .string(connection.admission.rawValue), "disabled": .bool(connection.isDisabled),
    ]
  }
}
