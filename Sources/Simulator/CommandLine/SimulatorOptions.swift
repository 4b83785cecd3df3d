/// What the program `upstream-simulator` is told by its command line.
public struct SimulatorOptions: Sendable {
  /// Address and port, `127.0.0.1:8090`.
  public private(set) var listen = "127.0.0.1:8090"
  /// The files of the certificate chain and its key; both or neither.
  public private(set) var tlsCertificate: String?
  public private(set) var tlsKey: String?
  public private(set) var configuration = SimulatorConfiguration()
  /// Whether only the usage is wanted.
  public private(set) var wantsHelp = false

  private var users: [SimulatedUser] = []
  private var clients: [SimulatedClient] = []
  private var keyClients: [SimulatedClient] = []
  private var unentitled: [String] = []
  private var secrets: [(client: String, secret: String)] = []

  /// Reads the arguments behind the program's name.
  ///
  /// - Throws: ``UsageFailure`` for the first argument that is unknown, incomplete or contradictory.
  public init(_ arguments: [String]) throws(UsageFailure) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard let option = Self.table.first(where: { $0.name == word || $0.short == word }) else {
        throw UsageFailure("\(word) is no option of upstream-simulator; --help lists them all")
      }
      guard option.value != nil else {
        try option.take(&self, "")
        continue
      }
      guard let value = rest.popFirst() else { throw UsageFailure("\(word) needs a value behind it") }
      try option.take(&self, value)
    }
    try complete()
  }

  /// One option: the parser and the usage both read it here.
  struct Option: Sendable {
    let name: String
    var short: String?
    /// What stands behind it; `nil` for a switch.
    let value: String?
    let meaning: String
    let take: @Sendable (inout SimulatorOptions, String) throws(UsageFailure) -> Void

    init(
      _ name: String, value: String? = nil, short: String? = nil, _ meaning: String,
      _ take: @escaping @Sendable (inout SimulatorOptions, String) throws(UsageFailure) -> Void
    ) {
      self.name = name
      self.short = short
      self.value = value
      self.meaning = meaning
      self.take = take
    }
  }

  static let table: [Option] = [
    Option("--listen", value: "ADDRESS:PORT", "where to listen; 127.0.0.1:8090 unless given, port 0 for any") {
      $0.listen = $1
    },
    Option("--tls-certificate", value: "FILE", "serve HTTPS with this PEM certificate chain") {
      $0.tlsCertificate = $1
    },
    Option("--tls-key", value: "FILE", "and this PEM key") { $0.tlsKey = $1 },
    Option("--user", value: "NAME:PASSWORD", "a member; repeat for more; ana and ben unless given") {
      options, value throws(UsageFailure) in try options.addUser(value)
    },
    Option("--unentitled", value: "NAME", "a member who may not read the traffic layer") { $0.unentitled.append($1) },
    Option("--client", value: "ID:REDIRECT-URI", "a registered app; repeat for more, or for more redirect URIs of one")
    {
      options, value throws(UsageFailure) in try options.addClient(value)
    },
    Option("--client-secret", value: "ID:SECRET", "lets that app use client_credentials") {
      options, value throws(UsageFailure) in
      options.secrets.append(try pair("--client-secret", value, "ID:SECRET"))
    },
    Option(
      "--api-key", value: "ID:SECRET",
      "the app of an API key credential with two slots; the keys are made at /oauth2/token with apiToken=1 or 2"
    ) { options, value throws(UsageFailure) in
      let (id, secret) = try pair("--api-key", value, "ID:SECRET")
      options.keyClients.append(SimulatedClient(id: id, redirectURIs: [], secret: secret, makesKeys: true))
    },
    Option("--access-ttl", value: "SECONDS", "no access token lives longer") { options, value throws(UsageFailure) in
      options.configuration.accessLifetime = try seconds("--access-ttl", value)
    },
    Option("--refresh-ttl", value: "SECONDS", "no refresh token lives longer") { options, value throws(UsageFailure) in
      options.configuration.refreshLifetime = try seconds("--refresh-ttl", value)
    },
    Option(
      "--portal-context", value: "PATH", "the web adaptor in the portal URL that the server names, such as /portal"
    ) { options, value throws(UsageFailure) in options.configuration.portalContext = try context(value) },
    Option("--hide-refresh-expiry", "leave out refresh_token_expires_in, as portals before 10.9.1 do") { options, _ in
      options.configuration.reportsRefreshLifetime = false
    },
    Option("--accept-portal-tokens", "the federated server takes the portal's tokens, too") { options, _ in
      options.configuration.serverAcceptsPortalTokens = true
    },
    Option(
      "--published", value: "HOST:PORT=OWN-HOST:PORT", "a web server shows one of these hosts over https at another"
    ) { options, value throws(UsageFailure) in
      let words = value.split(separator: "=").map(String.init)
      guard words.count == 2 else {
        throw UsageFailure("--published \(value): write localhost:8443=apps.localhost:8090")
      }
      options.configuration.published[words[0]] = words[1]
    },
    Option("--help", short: "-h", "print this") { options, _ in options.wantsHelp = true },
  ]

  private mutating func addUser(_ value: String) throws(UsageFailure) {
    let (name, password) = try Self.pair("--user", value, "NAME:PASSWORD")
    guard !users.contains(where: { $0.name == name }) else { throw UsageFailure("--user \(name): given twice") }
    users.append(SimulatedUser(name: name, password: password))
  }

  private mutating func addClient(_ value: String) throws(UsageFailure) {
    let (id, redirectURI) = try Self.pair("--client", value, "ID:REDIRECT-URI")
    guard redirectURI.contains(":") else {
      throw UsageFailure(
        "--client \(id): \(redirectURI) is no absolute URI such as http://localhost:8080/callback/demo")
    }
    if let index = clients.firstIndex(where: { $0.id == id }) {
      clients[index].redirectURIs.append(redirectURI)
    } else {
      clients.append(SimulatedClient(id: id, redirectURIs: [redirectURI]))
    }
  }

  /// Puts the repeated options together, and checks them against each other.
  private mutating func complete() throws(UsageFailure) {
    if !users.isEmpty { configuration.users = users }
    if !clients.isEmpty { configuration.clients = clients }
    configuration.clients += keyClients
    for name in unentitled {
      guard let index = configuration.users.firstIndex(where: { $0.name == name }) else {
        throw UsageFailure("--unentitled \(name): there is no user of that name; add --user \(name):PASSWORD")
      }
      configuration.users[index].isEntitled = false
    }
    for (id, secret) in secrets {
      guard let index = configuration.clients.firstIndex(where: { $0.id == id }) else {
        throw UsageFailure("--client-secret \(id): there is no app of that id; add --client \(id):REDIRECT-URI")
      }
      configuration.clients[index].secret = secret
    }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw UsageFailure("--tls-certificate and --tls-key belong together; give both")
    }
  }

  /// Both sides of the first colon; the error repeats nothing of the value, which may be a password.
  private static func pair(
    _ option: String, _ value: String, _ shape: String
  ) throws(UsageFailure) -> (String, String) {
    let parts = value.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, !value.hasPrefix(":") else { throw UsageFailure("\(option): write it as \(shape)") }
    return (String(parts[0]), String(parts[1]))
  }

  private static func seconds(_ option: String, _ value: String) throws(UsageFailure) -> Int {
    guard let seconds = Int(value), (1...100_000_000).contains(seconds) else {
      throw UsageFailure("\(option) \(value): must be a number of seconds, at least 1")
    }
    return seconds
  }

  private static func context(_ value: String) throws(UsageFailure) -> String {
    guard value.hasPrefix("/"), value.count > 1, !value.hasSuffix("/"), !value.contains("?") else {
      throw UsageFailure("--portal-context \(value): must be a path such as /portal")
    }
    return value
  }
}
