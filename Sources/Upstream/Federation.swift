public import Domain

/// Which of a portal's tokens a resource takes, as far as its URL tells.
public enum Federation: Sendable, Equatable {
  /// The portal's own token.
  case portal
  /// A token that the portal issues for the server with this root, such as `https://maps.example.org/server`, provided
  /// that the server says it belongs to the portal.
  case server(root: String)
  /// None: nobody declared the host, or it is no ArcGIS Server. Sending one would give it away.
  case notFederated
}

/// A token for one federated server.
public struct ServerToken: Sendable, Equatable {
  public let token: Secret
  public let expiresAt: Timestamp

  public init(token: Secret, expiresAt: Timestamp) {
    self.token = token
    self.expiresAt = expiresAt
  }
}

/// Where one ArcGIS Server begins within its URLs.
enum ServerRoot {
  /// The root of the server that `resource` belongs to: everything before `/rest`, `/admin` or `/tokens`.
  ///
  /// The path keeps its case. A path without such a mark is a root when it has at most one segment, as web adaptors do;
  /// `nil` for any other.
  static func of(_ resource: ResourceURL) -> String? {
    let segments = resource.path.split(separator: "/").map(String.init)
    let end = segments.indices.first { isMark(segments[$0], before: segments.dropFirst($0 + 1).first) }
    guard let end = end ?? (segments.count <= 1 ? segments.count : nil) else { return nil }
    return ([resource.origin] + segments[..<end]).joined(separator: "/")
  }

  /// What follows decides, because a web adaptor may be called `rest` or `admin` itself.
  private static func isMark(_ segment: String, before next: String?) -> Bool {
    switch segment {
    case "rest": next.map { ["services", "info", "admin", "login", "self"].contains($0) } ?? true
    case "admin": next != "rest" && next != "admin"
    case "tokens": next == nil || next == "generateToken"
    default: false
    }
  }
}

extension Connection {
  /// Whether `resource` lies within the portal itself, compared by host, port and whole path segments.
  ///
  /// A portal at the root of its host shares it with servers: there, only its own paths count.
  func isPortal(_ resource: ResourceURL) -> Bool {
    // The portal's URL is kept in canonical form, without a slash at its end.
    guard origin.hasPrefix(resource.origin) else { return false }
    let path = String(Substring(origin.utf8.dropFirst(resource.origin.utf8.count)))
    if path.isEmpty { return resource.isWithin("/sharing") || resource.isWithin("/home") }
    return path.hasPrefix("/") && resource.isWithin(path)
  }

  /// Whether `resource` lies within the stand-alone server that the connection is for.
  func isServer(_ resource: ResourceURL) -> Bool {
    guard let server = ResourceURL(origin), server.origin == resource.origin else { return false }
    return server.path == "/" || resource.isWithin(server.path)
  }

  /// Whether the portal and `resource` belong to the same installation of ArcGIS Online.
  func isOnlineSibling(_ resource: ResourceURL) -> Bool {
    guard resource.isHTTPS, resource.port == 443, let portal = ResourceURL(origin),
      let environment = OnlineEnvironment(host: portal.host)
    else { return false }
    return OnlineEnvironment(host: resource.host) == environment
  }

  /// Whether the `owningSystemUrl` that a server names is this portal: host, port and path exactly, whatever the scheme.
  func isOwner(_ owningSystemURL: String) -> Bool {
    guard let owner = ResourceURL(owningSystemURL), let portal = ResourceURL(origin) else { return false }
    if let environment = OnlineEnvironment(host: portal.host) {
      return OnlineEnvironment(host: owner.host) == environment
    }
    let usesDefaultPorts = (owner.isHTTPS ? 443 : 80) == owner.port && (portal.isHTTPS ? 443 : 80) == portal.port
    return owner.host == portal.host && (usesDefaultPorts || owner.port == portal.port)
      && owner.path.split(separator: "/") == portal.path.split(separator: "/")
  }
}
