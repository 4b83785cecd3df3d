import Domain
import Flows
import JSON
import Storage

/// `gatehouse client …`.
struct ClientCommand {
  let here: Installation

  func run(_ arguments: inout Arguments) async throws -> CommandResult {
    let action = try arguments.word("what to do: create, list, show, disable, enable, delete or rotate")
    let isJSON = arguments.flag("--json")
    switch action {
    case "create": return try await create(&arguments, isJSON)
    case "list":
      try arguments.finish()
      let clients = try await here.store.read { try $0.clients() }
      return .listing(clients.map(Self.json), isJSON) { "\($0.string("client_id") ?? "")  \($0.string("name") ?? "")" }
    case "show":
      let id = try id(&arguments)
      guard let client = try await here.store.read({ try $0.client(id) }) else {
        throw Refusal(.notFound, "There is no client called \(id).")
      }
      return .json(Self.json(client))
    case "rotate":
      let id = try id(&arguments)
      let new = try await ChangeClient(here).rotateSecret(of: id, by: nil, .commandLine)
      return .json([
        "client_id": .string(id.text), "client_secret": .string(new.secret.revealedText),
        "old_secret_ends": new.previousEndsAt.map { .integer($0.seconds) } ?? .null,
      ])
    default:
      guard let change = ChangeClient.Change(rawValue: action) else {
        throw Arguments.Failure(
          "A client cannot be \(action)d: create, list, show, disable, enable, delete or rotate it.")
      }
      let id = try id(&arguments)
      try await ChangeClient(here)(change, id, by: nil, .commandLine)
      return CommandResult(output: "\(id): \(change.rawValue)d")
    }
  }

  private func id(_ arguments: inout Arguments) throws -> ClientID {
    let text = try arguments.word("the client's id")
    try arguments.finish()
    guard let id = ClientID(text) else { throw Arguments.Failure("\(text) is not a client's id.") }
    return id
  }

  private func create(_ arguments: inout Arguments, _ isJSON: Bool) async throws -> CommandResult {
    let draft = try draft(&arguments)
    try arguments.finish()
    let (client, secret) = try await CreateClient(here)(draft, by: nil, .commandLine)
    if isJSON {
      return .json([
        "client_id": .string(client.id.text), "client_secret": secret.map { .string($0.revealedText) } ?? .null,
      ])
    }
    let note = secret.map { "\nclient_secret: \($0.revealedText)\nThe secret is shown this once only." } ?? ""
    return CommandResult(output: "client_id: \(client.id)\(note)")
  }

  private func draft(_ arguments: inout Arguments) throws -> CreateClient.Draft {
    let kindText = try arguments.required("--type")
    guard let kind = Client.Kind(rawValue: kindText) else {
      throw Arguments.Failure("--type is public or confidential.")
    }
    var draft = CreateClient.Draft(
      name: try arguments.required("--name"), kind: kind, grants: [], redirectURIs: [], scope: .none, permissions: [])
    for name in try arguments.values(of: "--grant") {
      guard let grant = Client.Grant(name: name) else {
        throw Arguments.Failure("--grant is one of \(Client.Grant.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      draft.grants.append(grant)
    }
    for text in try arguments.values(of: "--redirect-uri") {
      guard let uri = RedirectURI(text) else {
        throw Arguments.Failure("\(text) cannot be a redirect URI: https, or http on localhost, without fragment.")
      }
      draft.redirectURIs.append(uri)
    }
    let scopes = try arguments.values(of: "--scope").joined(separator: " ")
    guard let scope = Scope(scopes) else {
      throw Arguments.Failure("--scope holds a character that no scope may have.")
    }
    draft.scope = scope
    draft.permissions = try arguments.values(of: "--connection").map { text in
      guard let id = ConnectionID(text) else { throw Arguments.Failure("\(text) cannot be a connection's id.") }
      // A connection that an administrator names at creation may hand out its raw token (it can be unmarked later).
      return Client.Permission(connection: id, handsOutRawTokens: true)
    }
    return draft
  }

  static func json(_ client: Client) -> JSONValue {
    [
      "client_id": .string(client.id.text), "name": .string(client.name), "type": .string(client.kind.rawValue),
      "redirect_uris": .array(client.redirectURIs.map { .string($0.text) }),
      "grants": .array(client.grants.map { .string($0.rawValue) }), "scope": .string(client.scope.text),
      "connections": .array(
        client.permissions.map { ["id": .string($0.connection.text), "raw_tokens": .bool($0.handsOutRawTokens)] }),
      "disabled": .bool(client.isDisabled),
    ]
  }
}
