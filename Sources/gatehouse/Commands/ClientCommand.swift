import Domain
import Flows
import JSON
import Storage

/// `gatehouse client …`.
enum ClientCommand {
  static let all =
    [create, Client.list, Client.show, edit]
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
    } + [rotate, ClientLookArguments.command]

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
      + "not there; arcgis, to name Gatehouse as its ArcGIS portal; openid, to learn who somebody is, profile and "
      + "offline_access.", .repeatable)
  private static let connections = Option(
    "--connection", "ID", "A connection that it may use and whose raw tokens it may get.", .repeatable)
  private static let proxied = Option(
    "--proxied-connection", "ID", "A connection that it may use by the proxy alone, without getting its tokens.",
    .repeatable)
  private static let unattended = Option(
    "--unattended-connection", "ID", "One of these that its jobs may use while people are not there.", .repeatable)
  private static let without = Option(
    "--without", "OPTION",
    "Take back what was given before: the name of one of these options without its hyphens, such as dpop or connection.",
    .repeatable)

  private static let create = Command(
    name: "client create", summary: "Register a client app. A confidential one's secret is shown this once.",
    options: [name, type, grants, redirectURIs, scopes, connections, proxied, unattended] + ClientOptionArguments.all
      + [.json],
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

  private static let edit = Client.request(
    "edit",
    "Change what a client was registered with: options and whole lists replace, the rest stays.",
    options: [name, grants, redirectURIs, scopes].map(\.asOptional) + [connections, proxied, unattended]
      + ClientOptionArguments.all + [without]
  ) { here, id, arguments in
    guard let before = try await here.store.read({ try $0.client(id) }) else {
      throw Refusal(.notFound, "There is no client called \(id).")
    }
    let (client, secret) = try await EditClient(here)(
      try draft(arguments, changing: before), of: id, by: nil, .commandLine)
    guard let secret else { return client.json }
    return .object((client.json.object ?? []) + [.init("client_secret", .string(secret.revealedText))])
  }

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
    var draft = CreateClient.Draft(
      name: try arguments.required(name),
      kind: try arguments.values(of: type, "public or confidential", Client.Kind.init(rawValue:))[0],
      grants: try givenGrants(arguments), redirectURIs: try givenRedirectURIs(arguments),
      scope: try givenScope(arguments), permissions: try givenPermissions(arguments))
    draft.options = try ClientOptionArguments.options(arguments)
    return draft
  }

  private static func draft(_ arguments: Arguments, changing before: Client) throws -> CreateClient.Draft {
    var draft = CreateClient.Draft(
      name: arguments.value(of: name) ?? before.name, kind: before.kind, grants: before.grants,
      redirectURIs: before.redirectURIs, scope: before.scope, permissions: before.permissions)
    draft.options = before.options
    for name in arguments.values(of: without).map({ "--\($0)" }) {
      switch name {
      case redirectURIs.name: draft.redirectURIs = []
      case scopes.name: draft.scope = .none
      case connections.name: draft.permissions = []
      default: try ClientOptionArguments.reset(name, of: &draft.options)
      }
    }
    if arguments.has(grants) { draft.grants = try givenGrants(arguments) }
    if arguments.has(redirectURIs) { draft.redirectURIs = try givenRedirectURIs(arguments) }
    if arguments.has(scopes) { draft.scope = try givenScope(arguments) }
    if [connections, proxied, unattended].contains(where: arguments.has) {
      draft.permissions = try givenPermissions(arguments)
    }
    draft.options = try ClientOptionArguments.options(arguments, changing: draft.options)
    return draft
  }

  private static func givenGrants(_ arguments: Arguments) throws -> [Client.Grant] {
    try arguments.values(
      of: grants, "authorization_code, refresh_token, device_code, client_credentials, token-exchange",
      Client.Grant.init(name:))
  }

  private static func givenRedirectURIs(_ arguments: Arguments) throws -> [RedirectURI] {
    try arguments.values(of: redirectURIs, RedirectURI.rule, RedirectURI.init)
  }

  private static func givenScope(_ arguments: Arguments) throws -> Scope {
    let scope = arguments.values(of: scopes).joined(separator: " ")
    guard let scope = Scope(scope) else {
      throw UsageFailure("--scope is \"\(scope)\", which holds a character that no scope may have.")
    }
    return scope
  }

  /// A connection that an administrator names by itself may hand out its raw token.
  private static func givenPermissions(_ arguments: Arguments) throws -> [Client.Permission] {
    let raw = try arguments.values(of: connections, ConnectionID.rule, ConnectionID.init)
    let byProxy = try arguments.values(of: proxied, ConnectionID.rule, ConnectionID.init)
    let pinned = try arguments.values(of: unattended, ConnectionID.rule, ConnectionID.init)
    if let both = raw.first(where: byProxy.contains) {
      throw UsageFailure("\(both) stands behind \(connections.name) and \(proxied.name): choose one.")
    }
    if let other = pinned.first(where: { !(raw + byProxy).contains($0) }) {
      throw UsageFailure("\(unattended.name) \(other) needs \(connections.name) \(other) beside it.")
    }
    return (raw.map { ($0, true) } + byProxy.map { ($0, false) }).map { id, isRaw in
      Client.Permission(connection: id, handsOutRawTokens: isRaw, isUnattended: pinned.contains(id))
    }
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
