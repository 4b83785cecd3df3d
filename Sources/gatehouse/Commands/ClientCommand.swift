import Domain
import Flows
import JSON
import Storage

/// `gatehouse client …`.
enum ClientCommand {
  static let all =
    [create, Client.list, Client.show]
    + [
      (
        ChangeClient.Change.disable,
        "Refuse a client and end its tokens for good; its settings, secrets and consents are kept.",
        "A token of a service that it got before works until it ends by itself."
      ),
      (.enable, "Serve a disabled client again; people have to sign in to it anew.", nil),
      (.delete, "Delete a client with its tokens and consents.", nil),
    ].map { (change: ChangeClient.Change, summary: String, remains: String?) in
      Client.change(change.rawValue, summary, remains: remains) { here, id in
        try await ChangeClient(here)(change, id, by: nil, .commandLine)
      }
    } + [rotate]

  private static let name = Option("--name", "NAME", "What people read when the app asks for their consent.", .required)
  private static let type = Option(
    "--type", "TYPE",
    "confidential (a server, which can keep a secret) or public (runs where its user could read one).",
    .required)
  private static let grants = Option(
    "--grant", "GRANT",
    "How it may get tokens: authorization_code, refresh_token, device_code, client_credentials, token-exchange.",
    .requiredRepeatable)
  private static let redirectURIs = Option(
    "--redirect-uri", "URI",
    "Where people return to, compared letter by letter, but for the port of 127.0.0.1 and [::1]: \(RedirectURI.rule).",
    .repeatable)
  private static let scopes = Option(
    "--scope", "SCOPE",
    "What it may ask for: vend, to get upstream tokens by URL; vend:unattended, to let its jobs do so while people are "
      + "not there; openid, to learn who somebody is, profile and offline_access.", .repeatable)
  private static let connections = Option(
    "--connection", "ID", "A connection that it may use and whose raw tokens it may get.", .repeatable)
  private static let unattended = Option(
    "--unattended-connection", "ID", "One of these that its jobs may use while people are not there.", .repeatable)

  private static let create = Command(
    name: "client create", summary: "Register a client app. A confidential one's secret is shown this once.",
    options: [name, type, grants, redirectURIs, scopes, connections, unattended] + ClientOptionArguments.all + [.json],
    action: .installation { here, arguments in
      let (client, secret) = try await CreateClient(here)(try draft(arguments), by: nil, .commandLine)
      if arguments.has(.json) {
        return .json([
          "client_id": .string(client.id.text), "client_secret": secret.map { .string($0.revealedText) } ?? .null,
        ])
      }
      let note = secret.map { "\nclient_secret: \($0.revealedText)\nThe secret is shown this once only." } ?? ""
      return CommandResult(output: "client_id: \(client.id)\(note)")
    })

  private static let endOlder = Option(
    switch: "--end-older", "End a secret that was replaced less than a day ago and still works.")

  private static let rotate = Client.request(
    "rotate", "Give a confidential client a new secret; the one before works for another day.", options: [endOlder]
  ) { here, id, arguments in
    let new: ChangeClient.NewSecret
    do {
      new = try await ChangeClient(here).rotateSecret(
        of: id, endsOlder: arguments.has(endOlder), by: nil, .commandLine)
    } catch let refusal as Refusal where refusal == ChangeClient.olderWorks {
      throw UsageFailure("\(refusal.description) Add \(endOlder.name) if it is meant.")
    }
    return [
      "client_id": .string(id.text), "client_secret": .string(new.secret.revealedText),
      "old_secret_ends": new.previousEndsAt.map { .integer($0.seconds) } ?? .null,
    ]
  }

  private static func draft(_ arguments: Arguments) throws -> CreateClient.Draft {
    let scope = arguments.values(of: scopes).joined(separator: " ")
    guard let scope = Scope(scope) else {
      throw UsageFailure("--scope is \"\(scope)\", which holds a character that no scope may have.")
    }
    let allowed = try arguments.values(of: connections, ConnectionID.rule, ConnectionID.init)
    let pinned = try arguments.values(of: unattended, ConnectionID.rule, ConnectionID.init)
    if let other = pinned.first(where: { !allowed.contains($0) }) {
      throw UsageFailure("\(unattended.name) \(other) needs \(connections.name) \(other) beside it.")
    }
    var draft = CreateClient.Draft(
      name: try arguments.required(name),
      kind: try arguments.values(of: type, "public or confidential", Client.Kind.init(rawValue:))[0],
      grants: try arguments.values(
        of: grants, "authorization_code, refresh_token, device_code, client_credentials, token-exchange",
        Client.Grant.init(name:)),
      redirectURIs: try arguments.values(
        of: redirectURIs, RedirectURI.rule, RedirectURI.init),
      scope: scope,
      // A connection that an administrator names at creation may hand out its raw token (it can be unmarked later).
      permissions: allowed.map {
        Client.Permission(connection: $0, handsOutRawTokens: true, isUnattended: pinned.contains($0))
      })
    draft.options = try ClientOptionArguments.options(arguments)
    return draft
  }
}

extension Client: Entry {
  static let noun = "client"
  static let plural = "clients"
  static let idRule = "a client's id begins with \(idPrefix)_"

  static let columns = ["TYPE", "REGISTERED BY", "LAST USE", "CONNECTIONS", "GRANTS"]

  static func all(of here: Installation) async throws -> [(entry: Client, texts: [String])] {
    try await here.store.read { try $0.clients(after: .start, limit: .max) }.map { entry in
      let client = entry.client
      let connections = client.permissions.map(\.connection.text).joined(separator: ",")
      let grants = client.grants.map(\.shortName).joined(separator: ",")
      let by = entry.registration == nil ? "administrator" : client.isTrusted ? "itself, checked" : "itself"
      return (
        client, [client.kind.rawValue, by, .moment(entry.lastUse), connections.isEmpty ? "-" : connections, grants]
      )
    }
  }

  static func entry(_ id: ClientID, in transaction: Transaction) throws -> Client? { try transaction.client(id) }

  var json: JSONValue {
    [
      "client_id": .string(id.text), "name": .string(name), "type": .string(kind.rawValue),
      "redirect_uris": .array(redirectURIs.map { .string($0.text) }),
      "grants": .array(grants.map { .string($0.rawValue) }), "scope": .string(scope.text),
      "connections": .array(
        permissions.map {
          [
            "id": .string($0.connection.text), "raw_tokens": .bool($0.handsOutRawTokens),
            "unattended": .bool($0.isUnattended),
          ]
        }),
      "disabled": .bool(isDisabled), "trusted": .bool(isTrusted), "metadata": effectiveOptions.json,
    ]
  }
}
