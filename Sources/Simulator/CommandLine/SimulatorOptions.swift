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
  private var unentitled: [String] = []
  private var secrets: [(client: String, secret: String)] = []

  /// Reads the arguments behind the program's name.
  ///
  /// - Throws: ``UsageFailure`` for the first argument that is unknown, incomplete or contradictory.
  public init(_ arguments: [String]) throws(UsageFailure) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      if try takeSwitch(option) { continue }
      guard Self.optionsWithValue.contains(option) else {
        throw UsageFailure("\(option) is no option of upstream-simulator; --help lists them all")
      }
      guard let value = rest.popFirst() else { throw UsageFailure("\(option) needs a value behind it") }
      try take(option, value)
    }
    try complete()
  }

  private static let optionsWithValue: Set = [
    "--listen", "--tls-certificate", "--tls-key", "--user", "--unentitled", "--client", "--client-secret",
    "--access-ttl", "--refresh-ttl", "--portal-context",
  ]

  private mutating func takeSwitch(_ option: String) throws(UsageFailure) -> Bool {
    switch option {
    case "--help", "-h": wantsHelp = true
    case "--hide-refresh-expiry": configuration.reportsRefreshLifetime = false
    case "--accept-portal-tokens": configuration.serverAcceptsPortalTokens = true
    default: return false
    }
    return true
  }

  private mutating func take(_ option: String, _ value: String) throws(UsageFailure) {
    switch option {
    case "--listen": listen = value
    case "--tls-certificate": tlsCertificate = value
    case "--tls-key": tlsKey = value
    case "--user": try addUser(value)
    case "--unentitled": unentitled.append(value)
    case "--client": try addClient(value)
    case "--client-secret": secrets.append(try Self.pair(option, value, "ID:SECRET"))
    case "--access-ttl": configuration.accessLifetime = try Self.seconds(option, value)
    case "--refresh-ttl": configuration.refreshLifetime = try Self.seconds(option, value)
    default: configuration.portalContext = try Self.context(value)
    }
  }

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
