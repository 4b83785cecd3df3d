/// What a simulator pretends to be: who can sign in there, which apps are registered, how long tokens live.
public struct SimulatorConfiguration: Sendable, Equatable {
  public var users: [SimulatedUser]
  public var clients: [SimulatedClient]
  /// Seconds that any access token lives at most; `nil` for the documented lifetimes (1,800 after a sign-in).
  public var accessLifetime: Int?
  /// Seconds that a refresh token lives at most; `nil` for the documented lifetimes (two weeks).
  public var refreshLifetime: Int?
  /// The web adaptor's path in the portal URL that the federated server names, such as `/portal`; empty for none.
  ///
  /// The portal itself answers under any context.
  public var portalContext: String
  /// Whether token answers hold `refresh_token_expires_in`, as ArcGIS Enterprise does from 10.9.1 on.
  public var reportsRefreshLifetime: Bool
  /// Whether the federated server takes the portal's own tokens beside those made for it.
  public var serverAcceptsPortalTokens: Bool
  /// Hosts with port at which a web server of somebody else shows the simulator over https, each with the host and port
  /// of the simulator's that stands behind it.
  public var published: [String: String] = [:]

  /// A portal with the default users and the default app, and the documented lifetimes.
  public init(
    users: [SimulatedUser] = SimulatedUser.defaults, clients: [SimulatedClient] = [.demo],
    accessLifetime: Int? = nil, refreshLifetime: Int? = nil
  ) {
    self.users = users
    self.clients = clients
    self.accessLifetime = accessLifetime
    self.refreshLifetime = refreshLifetime
    portalContext = ""
    reportsRefreshLifetime = true
    serverAcceptsPortalTokens = false
  }

  func user(named name: String) -> SimulatedUser? { users.first { $0.name == name } }

  func client(_ id: String) -> SimulatedClient? { clients.first { $0.id == id } }
}

/// A member of the pretended organisation.
public struct SimulatedUser: Sendable, Equatable {
  /// The name to sign in with; case matters.
  public let name: String
  public let password: String
  /// Whether the member may read the protected traffic layer.
  public var isEntitled: Bool

  public init(name: String, password: String, isEntitled: Bool = true) {
    self.name = name
    self.password = password
    self.isEntitled = isEntitled
  }

  /// `ana`, who may read the traffic layer, and `ben`, who may not.
  public static let defaults = [
    SimulatedUser(name: "ana", password: "correct horse battery"),
    SimulatedUser(name: "ben", password: "correct horse battery", isEntitled: false),
  ]
}

/// An app registered with the pretended portal.
public struct SimulatedClient: Sendable, Equatable {
  public let id: String
  /// Where codes may be sent; compared byte for byte.
  public var redirectURIs: [String]
  /// The secret for `client_credentials`; without one that grant is refused.
  public var secret: String?
  /// Whether it is the app of an API key credential, which makes the keys of two slots.
  public let makesKeys: Bool

  public init(id: String, redirectURIs: [String], secret: String? = nil, makesKeys: Bool = false) {
    self.id = id
    self.redirectURIs = redirectURIs
    self.secret = secret
    self.makesKeys = makesKeys
  }

  /// The app that a Gatehouse on `http://localhost:8080` with a connection `demo` presents itself as.
  public static let demo = SimulatedClient(
    id: "gatehouse-demo", redirectURIs: ["http://localhost:8080/callback/demo"], secret: "gatehouse-demo-secret")
}
