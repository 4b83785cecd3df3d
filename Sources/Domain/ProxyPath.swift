/// How URLs that a connection covers are named by the proxy, and back.
///
/// `/v1/proxy/{connection}/{path…}` is relative to the connection's first resource prefix; its other hosts are
/// `/v1/proxy/{connection}/~{host}/{path…}`, with the port where it is not the scheme's own.
extension Connection {
  /// The path below which the proxy's URLs lie.
  public static let proxyRoot = "/v1/proxy/"

  /// The proxy's path and query for `url`, which the connection covers.
  public func proxyPath(for url: ResourceURL) -> String {
    let query = url.query.isEmpty ? "" : "?" + url.query
    if let root = proxyBase, url.withoutQuery.hasPrefix(root) {
      let rest = url.withoutQuery.dropFirst(root.count)
      // What begins with `/~` would be read as a host.
      if rest.isEmpty || rest.hasPrefix("/") && !rest.hasPrefix("/~") { return "\(Self.proxyRoot)\(id)\(rest)\(query)" }
    }
    let host = url.origin.drop { $0 != "/" }.dropFirst(2)
    return "\(Self.proxyRoot)\(id)/~\(host)\(url.path)\(query)"
  }

  /// The URL that the proxy's `path`, without its query, means; `nil` when the connection does not cover it, or when two
  /// programs could read it differently (see ``ResourceURL``).
  ///
  /// `path` is what stands behind the connection's name, as it was sent: empty, or beginning with `/`.
  public func proxiedURL(_ path: Substring, query: Substring) -> ResourceURL? {
    proxiedCandidates(path).lazy
      .compactMap { ResourceURL(query.isEmpty ? $0 : "\($0)?\(query)") }
      .first { url in resources.cover(url) }
  }

  /// Whether what ArcGIS has at `url` makes tokens or shows secrets: through it the credential would leave all the same.
  public func yieldsSecrets(at url: ResourceURL) -> Bool {
    guard kind != .oidc else { return false }
    return url.path.split(separator: "/").contains { segment in
      // Servlet containers ignore what follows a semicolon.
      Self.isSecretEndpoint(segment.prefix { $0 != ";" && $0 != "%" })
    }
  }

  static func isSecretEndpoint(_ segment: Substring) -> Bool { secretEndpoints.contains(segment.lowercased()) }

  /// `oauth2` holds everything about tokens, registered apps and their keys; `registeredAppInfo` tells an app's secret.
  private static let secretEndpoints: Set<String> = ["generatetoken", "oauth2", "tokens", "registeredappinfo"]

  private func proxiedCandidates(_ path: Substring) -> [String] {
    guard path.hasPrefix("/~") else { return proxyBase.map { ["\($0)\(path)"] } ?? [] }
    let rest = path.dropFirst(2)
    return ["https://\(rest)", "http://\(rest)"]
  }

  /// Where the paths without a host begin.
  private var proxyBase: String? { resources.lazy.compactMap(\.base).first }
}

/// Why an app may call a URL only through the proxy.
public enum ProxyReason: String, Sendable, CaseIterable {
  /// No administrator has marked the client for raw tokens of the connection.
  case rawTokenNotAllowed = "raw_token_not_allowed"
  /// The API key is for less than the upstream's own token can do.
  case keyScope = "api_key_scope"
  /// Its credential is the person's user name and password.
  case password
  /// A Kerberos ticket is shown, which its password or keytab gets.
  case kerberos
  /// The resource asks for a client certificate, whose private key never leaves.
  case certificate
}

/// What an app gets where it is to call the proxy instead.
public struct ProxyReferral: Sendable {
  public let connection: ConnectionID
  /// The proxy's path and query for the resource.
  public let path: String
  public let reason: ProxyReason
  /// The pattern of the connection that covered the URL.
  public let matched: String

  public init(connection: ConnectionID, path: String, reason: ProxyReason, matched: String) {
    self.connection = connection
    self.path = path
    self.reason = reason
    self.matched = matched
  }
}
