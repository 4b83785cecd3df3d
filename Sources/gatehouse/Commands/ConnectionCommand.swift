import Domain
import Flows
import HTTP
import JSON
import Storage

/// `gatehouse connection …`.
enum ConnectionCommand {
  static let all =
    [create, Connection.list, Connection.show, EditConnectionCommand.command, TemplatesCommand.command]
    + KeyArguments.commands
    + [TrustArguments.command, KeepingArguments.command, AppPasswordArguments.ofConnection]
    + [
      (
        ChangeConnection.Change.disable,
        "Let nobody sign in through a connection or get its tokens; nothing is deleted."
      ),
      (.enable, "Open a disabled connection again."),
      (.delete, "Disconnect everybody from a connection, revoke what they held there, and delete it."),
    ].map { change, summary in
      Connection.change(change.rawValue, summary) { here, id in
        try await ChangeConnection(here)(change, id, by: nil, .commandLine)
      }
    }

  private static let id = Option(
    "--id", "ID", "Its short name, as in /signin/ID: \(ConnectionID.rule).", .required)
  static let kind = Option(
    "--kind", "KIND",
    "oauthUser (an ArcGIS portal), oidc (an OpenID Connect or plain OAuth 2 provider; so it is with --template), iap "
      + "(Microsoft Entra Application Proxy, in front of other services), token (an ArcGIS portal or server, by a form for "
      + "user name and password), pregeneratedToken (a portal, by a form for a token that was made elsewhere), "
      + "oauthApplication (a portal's application, for tokens of no person), apiKey (an ArcGIS API key), password (a web "
      + "server that asks for user name and password by Basic, Digest or NTLM, by a form), kerberos (a web server that asks "
      + "for Kerberos, by a form) or certificate (a server that asks for a client certificate, by a form).")
  static let name = Option("--name", "NAME", "What people read; the id unless given.")
  static let portal = Option(
    "--portal-url", "URL",
    "For ArcGIS kinds: the portal's root, such as https://maps.example.org/portal; for token also a stand-alone "
      + "server's.")
  static let address = Option(
    "--url", "URL", "For password, kerberos and certificate: an address of the server that asks for it.")
  static let issuer = Option(
    "--issuer", "URL",
    "For oidc: the issuer, exactly as the provider writes it; with typed endpoints only if its answers name it.")
  static let clientID = Option(
    "--client-id", "ID",
    "For oauthUser, oidc, iap and oauthApplication: the id that the upstream gave to Gatehouse when it was registered "
      + "there.")
  static let secretFile = Option(
    "--client-secret-file", "FILE", "The secret that belongs to it; the file must be readable by its owner alone.")
  static let resources = Option(
    "--resource", "URL-PREFIX", "Tokens are handed out for URLs below this one, too.", .repeatable)
  static let hosts = Option(
    "--host", "PATTERN", "Tokens are handed out for URLs on these hosts, too, such as *.example.com.", .repeatable)
  static let scopes = Option("--scope", "SCOPE", "A scope to ask the provider for.", .repeatable)
  static let networks = Option(
    "--allow-network", "CIDR", "A private network that Gatehouse may reach for this connection.", .repeatable)
  static let allowHTTP = Option(
    switch: "--allow-http", "Let this connection use plain http, which anybody on the way can read.")
  private static let keptDays = Option(
    "--keep-days", "DAYS",
    "How long Gatehouse keeps what a person connects at most; as long as they wish unless given.")
  static let admission = Option(
    "--admit", "WHO",
    "Who gets an account by signing in here: invited (only people who have one already, unless given), listed (also "
      + "those named by --admit-user) or anyone.")
  static let admitted = Option(
    "--admit-user", "NAME", "With --admit listed: a portal's user name; a provider's subject or verified address.",
    .repeatable)

  private static let create = Command(
    name: "connection create", summary: "Add a service that people sign in to and get tokens of.",
    options: [
      id, kind, name, portal, address, issuer, clientID, secretFile, resources, hosts, scopes, networks, allowHTTP,
      keptDays,
      admission,
      admitted, TrustArguments.creation,
    ] + ProviderOptionArguments.all + KeyArguments.all + PortalOptionArguments.all + IAPOptionArguments.all
      + KerberosOptionArguments.all + [.json],
    action: .installation { here, arguments in
      let (draft, secret) = try draft(arguments, here.providerTemplates, at: here.clock.now())
      let hint = try hint(arguments, here.providerTemplates)
      let key = try KeyArguments.read(arguments, draft.kind)
      let trusting = try await TrustArguments.trusting(draft, arguments, here)
      let connection: Connection
      do {
        connection = try await CreateConnection(here)(trusting, clientSecret: secret, key: key, by: nil, .commandLine)
      } catch let refusal as Refusal where refusal.code == .upstreamError {
        guard let sight = await TrustServer(here).untrusted(of: trusting) else { throw refusal }
        return .failure("\(refusal.description)\n\n\(sight.words(for: nil))")
      }
      var answer =
        arguments.has(.json)
        ? CommandResult.json(connection.json) : CommandResult(output: sentence(connection, here) + hint)
      let overlapping = try await here.connectionEntry(connection.id).overlapping.map(\.id.text)
      answer.errors = warnings(connection, overlapping).joined(separator: "\n")
      return answer
    })

  static func warnings(_ connection: Connection, _ overlapping: [String]) -> [String] {
    var found: [String] = []
    if !overlapping.isEmpty {
      found.append(
        "Warning: the same service or URLs are covered by \(Spelling.list(overlapping, "and")). Where that is so, a client "
          + "that may use several gets a token of none, unless it names one as the audience of a token exchange.")
    }
    if connection.leavesOutPortal {
      found.append(
        "Warning: the resources leave out the portal itself, so that apps get nothing of it, such as its items and web "
          + "maps. If they are to, name it, too: --resource \(connection.origin)")
    }
    return found
  }

  /// What was made, and what to do next.
  private static func sentence(_ connection: Connection, _ here: Installation) -> String {
    let id = connection.id
    let next =
      if connection.kind.connectsByForm {
        "People connect it at \(here.issuer)/connect/\(id)"
      } else if connection.kind.isServiceOwned {
        "Clients that are allowed it get its tokens for themselves and for everybody."
      } else {
        "Register this redirect URI there: \(here.issuer)/callback/\(id)"
          + (connection.takesLogoutTokens
            ? "\nIf it has a place for a back-channel logout URI: \(here.issuer)/backchannel-logout/\(id)" : "")
      }
    return "Connection \(id) was made. \(next)"
  }

  /// What a template says about the registration at its provider.
  private static func hint(_ arguments: Arguments, _ templates: ProviderTemplates) throws -> String {
    try ProviderOptionArguments.template(arguments, among: templates).map { "\nAt \($0.name): \($0.registration)" }
      ?? ""
  }

  private static func draft(
    _ arguments: Arguments, _ templates: ProviderTemplates, at now: Timestamp
  ) throws -> (Connection, clientSecret: Secret?) {
    let template = try ProviderOptionArguments.template(arguments, among: templates)
    let given = try arguments.values(
      of: kind, Spelling.list(Connection.Kind.allCases.map(\.rawValue)), Connection.Kind.init(rawValue:)
    ).first
    guard let kind = given ?? (template == nil ? nil : .oidc) else { throw UsageFailure("--kind is missing.") }
    let id = try arguments.values(of: id, ConnectionID.rule, ConnectionID.init)[0]
    var draft = Connection(
      id: id, name: arguments.value(of: name) ?? id.text, kind: kind, origin: try origin(arguments, kind, template),
      clientID: try registeredID(arguments, kind), createdAt: now)
    let allowsEveryHost = IAPOptionArguments.allowsEveryHost(arguments)
    for option in [resources, hosts] {
      draft.resources += try arguments.values(of: option, "a URL prefix or a host pattern such as *.example.com") {
        ResourcePattern($0, allowsEveryHost: allowsEveryHost)
      }
    }
    draft.resources += try KeyArguments.resources(arguments)
    if let template, draft.resources.isEmpty { draft.resources = template.resources.compactMap(ResourcePattern.init) }
    draft.scopes = (template?.scopes ?? []) + arguments.values(of: scopes)
    draft.provider = try ProviderOptionArguments.read(arguments, kind, template)
    let proxy = try IAPOptionArguments.read(arguments, kind, clientID: clientID, scopes: scopes)
    if let proxy {
      draft.take(proxy)
      draft.iap?.tenants = IAPOptionArguments.readTenants(arguments)
    }
    draft.reach.networks = try arguments.values(of: networks, "a network such as 10.20.0.0/16", AddressRange.init).map(
      \.description)
    draft.longestKeptDays = try arguments.values(
      of: keptDays, "a number of days, 1 to \(Keeping.longestDays.upperBound)"
    ) { Int64($0).flatMap { Keeping.longestDays.contains($0) ? $0 : nil } }.first
    draft.reach.allowsHTTP = arguments.has(allowHTTP)
    let admissions = try arguments.values(
      of: admission, Spelling.list(Admission.allCases.map(\.rawValue)), Admission.init(rawValue:))
    draft.admission = admissions.first ?? draft.admission
    draft.admitted = arguments.values(of: admitted)
    draft.portal = try PortalOptionArguments.read(arguments, kind)
    draft.network = try KerberosOptionArguments.read(arguments, kind)
    return (draft, try arguments.value(of: secretFile).map(Files.readPassword) ?? proxy?.clientSecret)
  }

  /// Our id at the upstream; kinds that are connected by a form have no registration, and admit nobody.
  private static func registeredID(_ arguments: Arguments, _ kind: Connection.Kind) throws(UsageFailure) -> String {
    if kind == .iap { return "" }
    let registration = kind.hasRegistration ? [] : [clientID, secretFile]
    let people = kind.connectsInBrowser ? [] : [scopes, admission, admitted]
    let kept = kind.isServiceOwned ? [keptDays] : []
    if let given = (registration + people + kept).first(where: arguments.has) {
      throw UsageFailure("\(given.name) is not for the kind \(kind.rawValue).")
    }
    return kind.hasRegistration ? try arguments.required(clientID) : ""
  }

  /// The address of the upstream, which has a name of its own for each kind.
  private static func origin(
    _ arguments: Arguments, _ kind: Connection.Kind, _ template: ProviderTemplate?
  ) throws(UsageFailure) -> String {
    if kind == .iap {
      if let given = [portal, issuer, address].first(where: arguments.has) {
        throw UsageFailure("\(given.name) is not for the kind iap: give --config FILE or --tenant TENANT.")
      }
      return ""
    }
    let wanted = kind.isNetwork ? address : kind == .oidc ? issuer : portal
    if let other = [portal, issuer, address].first(where: { $0.name != wanted.name && arguments.has($0) }) {
      throw UsageFailure("\(other.name) is not for the kind \(kind.rawValue): give \(wanted.form).")
    }
    if let template, !arguments.has(issuer) { return template.issuer ?? "" }
    if ProviderOptionArguments.hasEndpoints(arguments), !arguments.has(issuer) { return "" }
    return try arguments.required(wanted)
  }
}

extension ConnectionID {
  static let rule = "1 to 40 of a-z, 0-9 and hyphens, beginning with a letter"
}

extension Connection: Entry {
  static let noun = "connection"
  static let plural = "connections"
  static let idRule = "a connection's id is \(ConnectionID.rule)"

  static let columns = ["KIND", "CREDENTIALS", "BROKEN", "LAST REFRESH"]

  static func all(of here: Installation) async throws -> [(entry: Connection, texts: [String])] {
    try await here.connectionEntries().map { entry in
      let health = entry.health
      return (
        entry.connection,
        [entry.connection.kind.rawValue, "\(health.total)", "\(health.broken)", .moment(health.lastRefresh)]
      )
    }
  }

  static func entry(_ id: ConnectionID, in transaction: Transaction) throws -> Connection? {
    try transaction.connection(id)
  }

  func json(of here: Installation) async throws -> JSONValue {
    guard case .object(var members) = json else { return json }
    if kind.connectsInBrowser { members.append(.init("redirect_uri", .string("\(here.issuer)/callback/\(id)"))) }
    if takesLogoutTokens {
      members.append(.init("backchannel_logout_uri", .string("\(here.issuer)/backchannel-logout/\(id)")))
    }
    let keys = try await here.keys(of: self)
    guard !keys.isEmpty else { return .object(members) }
    let item = try await here.keyItemID(of: self).map(JSONValue.string) ?? .null
    return .object(members + [.init("keys", .array(keys.map(\.json))), .init("key_item", item)])
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", .string(id.text)), .init("name", .string(name)), .init("kind", .string(kind.rawValue)),
      .init("origin", .string(origin)), .init("client_id", .string(clientID)),
      .init("has_client_secret", .bool(hasClientSecret)),
      .init("resources", .array(resources.map { .string($0.text) })), .init("admission", .string(admission.rawValue)),
      .init("scopes", .array(scopes.map(JSONValue.string))), .init("disabled", .bool(isDisabled)),
      .init("options", (try? JSONValue(parsing: options)) ?? .null),
    ]
    if let iap {
      members += [
        .init("authorize_url", .string(iap.authorizeURL)), .init("token_url", .string(iap.tokenURL)),
        .init("logout_url", .string(iap.logoutURL)), .init("scope", .array(scopes.map { .string($0) })),
        .init("authorization_prompt_type", iap.prompt.map(JSONValue.string) ?? .null),
        .init("tenants", .array(iap.tenants.map { .string($0) })),
      ]
    }
    return .object(members)
  }
}
