/// What can be called; the raw value is its name in counters and faults.
enum Endpoint: String, Sendable, CaseIterable {
  case home
  case portalRoot = "root"
  case portalInfo = "info"
  case authorize
  case signIn = "signin"
  case token
  case revokeToken
  case signOut = "signout"
  case generateToken
  case portalsSelf = "portals.self"
  case portalServers = "portals.servers"
  case search
  case communitySelf = "community.self"
  case communityUser = "community.user"
  case userContent = "content.user"
  case groupContent = "content.group"
  case item
  case itemData = "item.data"
  case serverInfo = "server.info"
  case serverCatalog = "server.services"
  case serverService = "server.service"
  case serverLayer = "server.layer"
  case serverQuery = "server.query"
  case stranger
  case loginDiscovery = "login.discovery"
  case loginKeys = "login.keys"
  case loginAuthorize = "login.authorize"
  case loginProxyAuthorize = "login.proxy"
  case loginSignIn = "login.signin"
  case loginToken = "login.token"
  case loginLogout = "login.logout"
  case appProxy = "apps"
}

/// Where a path leads.
struct Route: Sendable, Equatable {
  let endpoint: Endpoint
  /// The web adaptor's path before `/sharing` or `/rest`, such as `/portal`; empty for none.
  var context = ""
  /// The names in the path: of a user, an item, or a service.
  var names: [String] = []

  /// Finds the endpoint; `nil` when nothing is at that path of that host.
  init?(path: String, host: CalledHost) {
    let segments = path.split(separator: "/").map(String.init)
    if host.isLogin {
      self.init(login: segments)
    } else if host.isStranger {
      self.init(.stranger, [], segments)
    } else if let route = Route(server: segments, host: host) {
      self = route
    } else if !host.isServer, let route = Route(portal: segments) {
      self = route
    } else {
      return nil
    }
  }

  private init(_ endpoint: Endpoint, _ context: ArraySlice<String>, _ names: [String] = []) {
    self.endpoint = endpoint
    self.context = context.map { "/\($0)" }.joined()
    self.names = names
  }

  /// Behind the tenant's name, which becomes ``names``.
  private init?(login segments: [String]) {
    guard let tenant = segments.first else { return nil }
    switch segments.dropFirst().map({ $0 }) {
    case ["v2.0", ".well-known", "openid-configuration"]: self.init(.loginDiscovery, [], [tenant])
    case ["discovery", "v2.0", "keys"]: self.init(.loginKeys, [], [tenant])
    case ["oauth2", "v2.0", "authorize"]: self.init(.loginAuthorize, [], [tenant])
    case ["oauth2", "authorize"]: self.init(.loginProxyAuthorize, [], [tenant])
    case ["oauth2", "v2.0", "signin"]: self.init(.loginSignIn, [], [tenant])
    case ["oauth2", "v2.0", "token"]: self.init(.loginToken, [], [tenant])
    case ["oauth2", "v2.0", "logout"]: self.init(.loginLogout, [], [tenant])
    default: return nil
    }
  }

  private init?(portal segments: [String]) {
    guard let sharing = segments.firstIndex(of: "sharing") else {
      guard segments.isEmpty || segments == ["home"] else { return nil }
      self.init(.home, [])
      return
    }
    let context = segments[..<sharing]
    let rest = Array(segments[(sharing + 1)...])
    guard rest.first == "rest" else { return nil }
    switch rest.dropFirst().map({ $0 }) {
    case []: self.init(.portalRoot, context)
    case ["info"]: self.init(.portalInfo, context)
    case ["generateToken"]: self.init(.generateToken, context)
    case ["oauth2", "authorize"]: self.init(.authorize, context)
    case ["oauth2", "signin"]: self.init(.signIn, context)
    case ["oauth2", "token"]: self.init(.token, context)
    case ["oauth2", "revokeToken"]: self.init(.revokeToken, context)
    case ["oauth2", "signout"]: self.init(.signOut, context)
    case ["portals", "self"]: self.init(.portalsSelf, context)
    case ["portals", "self", "servers"]: self.init(.portalServers, context)
    case ["search"]: self.init(.search, context)
    case ["community", "self"]: self.init(.communitySelf, context)
    case let path where path.count == 3 && path.starts(with: ["community", "users"]):
      self.init(.communityUser, context, [path[2]])
    case let path where (3...4).contains(path.count) && path.starts(with: ["content", "users"]):
      self.init(.userContent, context, Array(path[2...]))
    case let path where path.count == 3 && path.starts(with: ["content", "groups"]):
      self.init(.groupContent, context, [path[2]])
    case let path where path.count == 3 && path.starts(with: ["content", "items"]):
      self.init(.item, context, [path[2]])
    case let path where path.count == 4 && path.starts(with: ["content", "items"]) && path[3] == "data":
      self.init(.itemData, context, [path[2]])
    default: return nil
    }
  }

  /// On the portal's host only the context `server` is the federated server; on the server's own, any.
  private init?(server segments: [String], host: CalledHost) {
    guard let rest = segments.firstIndex(of: "rest") else { return nil }
    let context = segments[..<rest]
    guard host.isServer || context.last == "server", !context.contains("sharing") else { return nil }
    switch Array(segments[(rest + 1)...]) {
    case ["info"]: self.init(.serverInfo, context)
    case ["services"]: self.init(.serverCatalog, context)
    case ["services", "Utilities"]: self.init(.serverCatalog, context, ["Utilities"])
    case let path where path.count == 3 && path.first == "services" && path[2] == "FeatureServer":
      self.init(.serverService, context, [path[1]])
    case let path where path.count == 4 && path.first == "services" && path[2...] == ["FeatureServer", "0"]:
      self.init(.serverLayer, context, [path[1]])
    case let path where path.count == 5 && path.first == "services" && path[2...] == ["FeatureServer", "0", "query"]:
      self.init(.serverQuery, context, [path[1]])
    default: return nil
    }
  }
}
