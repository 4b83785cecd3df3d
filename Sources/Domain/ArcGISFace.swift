/// Gatehouse in the part of a connection's ArcGIS portal, for apps that can be told nothing but a portal's address.
///
/// `sharing/rest` stands below ``root``, and beside it the servers that belong to the portal:
/// `servers/{host}/{path…}`, with the port where it is not the scheme's own.
public struct ArcGISFace: Sendable {
  public let connection: Connection
  /// What apps are told as the portal's URL, without a slash at the end: our own with the connection's name, or alone for
  /// the one that stands at the root.
  public let root: String
  /// The true one; read once, since every URL of an answer is compared with it.
  private let portal: ResourceURL?

  /// `nil` when the connection's upstream is no ArcGIS portal.
  public init?(_ connection: Connection, at root: String) {
    guard connection.kind.isPortal else { return nil }
    self.connection = connection
    self.root = root
    portal = ResourceURL(connection.origin)
  }

  /// What apps name that were made by Esri and that no portal has to register.
  public static let fixedClients: Set<String> = ["pythonapi", "arcgisonline"]
  /// The redirect URI of apps to which no browser can lead: the code is read from a page.
  public static let outOfBand = "urn:ietf:wg:oauth:2.0:oob"

  /// What its tokens are granted for.
  public var scope: Scope { .arcGIS(connection.id) }

  public var sharing: String { "\(root)/sharing/rest" }

  /// The page from which a code is read.
  public var approval: String { Self.approval(at: root) }

  public static func approval(at root: String) -> String { "\(root)/sharing/rest/oauth2/approval" }

  /// Whether `address` is the portal's own, or that of its host.
  public func isAddress(_ address: String) -> Bool {
    let bare = address.hasSuffix("/") ? String(address.dropLast()) : address
    return bare == root || bare == ResourceURL(root)?.origin
  }

  /// What the portal has for everybody who signs in; never what makes tokens, tells keys or signs people in.
  private static let forwarded: Set<String> = ["content", "search", "community", "portals"]
  private static let sharingPath = "/sharing/rest"

  /// The proxy's path for what stands below `sharing/rest`, as it was sent: empty, or beginning with `/`; `nil` for what
  /// is never passed on.
  public func portalPath(_ path: Substring) -> String? {
    guard let portal, Self.isForwarded(path) else { return nil }
    return "/~\(portal.authority)\(portal.folder)\(Self.sharingPath)\(path)"
  }

  /// The same for a server: what follows `servers/`, as it was sent, is a host and a path.
  public func serverPath(_ hostAndPath: Substring) -> String? {
    let path = hostAndPath.drop { $0 != "/" }
    return Self.isServicePath(path) ? "/~\(hostAndPath)" : nil
  }

  private static func isForwarded(_ path: Substring) -> Bool {
    // Servlet containers ignore what follows a semicolon.
    if path.contains(";") { return false }
    return path.isEmpty || path == "/" || forwarded.contains(String(path.dropFirst().prefix { $0 != "/" }))
  }

  /// Whether a path of a server is among its services, and neither its administration nor what makes tokens.
  private static func isServicePath(_ path: Substring) -> Bool {
    let segments = path.split(separator: "/")
    guard let rest = segments.firstIndex(of: "rest"), !path.contains(";"),
      !segments[..<rest].contains(where: { $0 == "sharing" || $0 == "admin" })
    else { return false }
    return rest + 1 == segments.endIndex || ["services", "info"].contains(segments[rest + 1])
  }

  /// The address here of what an answer of the portal or its servers names; `nil` for what is not passed on, which apps
  /// are to call as it is.
  ///
  /// Takes URLs with places to fill in, too, such as `…/tile/{level}/{row}/{col}`; with `isServer` the root of a server,
  /// below which its services stand.
  public func address(of named: String, isServer: Bool = false) -> String? {
    let bare = named.prefix { $0 != "#" }
    guard let url = ResourceURL(Self.escaped(bare)).flatMap(covered) else { return nil }
    if let own = ownAddress(of: url) { return own }
    guard !connection.yieldsSecrets(at: url), let path = path(of: url) ?? (isServer ? serverRoot(url) : nil) else {
      return nil
    }
    // A token of theirs is of no use here.
    let query = url.query.split(separator: "&").filter { !$0.hasPrefix("token=") }.joined(separator: "&")
    let address = "\(root)\(path)\(query.isEmpty ? "" : "?")\(query)"
    let isTemplate = bare.contains("{")
    let filled = isTemplate ? address.replacing("%7B", with: "{").replacing("%7D", with: "}") : address
    return filled + named[bare.endIndex...]
  }

  /// As a URL has it: names of services hold blanks and letters of all kinds, and templates braces.
  private static func escaped(_ named: Substring) -> String {
    let isPlain = named.utf8.allSatisfy { $0 < 0x80 && $0 != 0x20 && $0 != 0x7B && $0 != 0x7D }
    if isPlain { return String(named) }
    var text = ""
    for scalar in named.unicodeScalars {
      switch scalar {
      case " ": text += "%20"
      case "{": text += "%7B"
      case "}": text += "%7D"
      case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
      default: for byte in String(scalar).utf8 { text += "%" + String(byte, radix: 16, uppercase: true) }
      }
    }
    return text
  }

  /// The portal itself, and where it makes tokens: what a client goes to for the next one.
  private func ownAddress(of url: ResourceURL) -> String? {
    guard let portal, url.origin == portal.origin, url.query.isEmpty else { return nil }
    if url.folder == portal.folder { return root }
    return url.path == "\(portal.folder)\(Self.sharingPath)/generateToken" ? "\(sharing)/generateToken" : nil
  }

  /// `text`, which an app sends on, with the true addresses in place of ours, and without `token`.
  ///
  /// What an app read here and saves is for everybody, also for those who know nothing of Gatehouse.
  public func trueText(_ text: String, without token: String) -> String {
    var text = token.isEmpty || !text.contains(token) ? text : text.replacing(token, with: "")
    for slash in ["/", "\\/"] where text.contains(root.replacing("/", with: slash)) {
      let (own, theirs) = (sharing.replacing("/", with: slash), "\(portalFolder)\(Self.sharingPath)")
      text = text.replacing(own, with: theirs.replacing("/", with: slash))
      text = withTrueServers(in: text, slash)
    }
    return text
  }

  private var portalFolder: String {
    connection.origin.hasSuffix("/") ? String(connection.origin.dropLast()) : connection.origin
  }

  private func withTrueServers(in text: String, _ slash: String) -> String {
    let mark = "\(root)/servers/".replacing("/", with: slash)
    var parts = text.split(separator: mark, omittingEmptySubsequences: false)[...]
    guard var output = parts.popFirst().map(String.init) else { return text }
    for part in parts {
      let host = part.prefix { $0.isLetter || $0.isNumber || ".-:[]".contains($0) }
      // The scheme is that of what the connection covers.
      let scheme = ["https", "http"].first { scheme in
        connection.resources.contains {
          $0.text.hasPrefix("\(scheme)://\(host)") || !$0.text.contains("://") && scheme == "https"
        }
      }
      output += scheme.map { "\($0):\(slash)\(slash)" } ?? mark
      output += part
    }
    return output
  }

  private func path(of url: ResourceURL) -> String? {
    if let portal, url.origin == portal.origin {
      let sharing = portal.folder + Self.sharingPath
      if url.isWithin(sharing) {
        let path = url.path.dropFirst(sharing.count)
        return Self.isForwarded(path) ? "\(Self.sharingPath)\(path)" : nil
      }
    }
    return Self.isServicePath(url.path[...]) ? "/servers/\(url.authority)\(url.path)" : nil
  }

  private func serverRoot(_ url: ResourceURL) -> String? {
    guard !url.path.contains("/sharing/") else { return nil }
    return "/servers/\(url.authority)\(url.folder)"
  }

  /// Whether `address` is that of a server here, or one of the connection's own.
  public func coversServer(_ address: String) -> Bool {
    if address.hasPrefix("\(root)/servers/") { return true }
    return ResourceURL(address).flatMap(covered) != nil
  }

  /// The URL, or the same by the other scheme, that the connection covers: portals that moved to https go on naming
  /// themselves by http in what was saved before.
  private func covered(_ url: ResourceURL) -> ResourceURL? {
    if covers(url) { return url }
    return url.byOtherScheme.flatMap { covers($0) ? $0 : nil }
  }

  private func covers(_ url: ResourceURL) -> Bool {
    connection.resources.cover(url)
  }
}

extension Connection {
  /// Whether it is to an ArcGIS portal that its own resources leave out: then apps get nothing of the portal itself.
  public var leavesOutPortal: Bool {
    let folder = origin.hasSuffix("/") ? String(origin.dropLast()) : origin
    guard kind.isPortal, portal.tokenURL == nil, let url = ResourceURL("\(folder)/sharing/rest") else { return false }
    return !resources.contains { $0.specificity(for: url) != nil }
  }
}

extension ResourceURL {
  /// The host, with the port where it is not the scheme's own.
  fileprivate var authority: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }

  /// The path without a slash at its end.
  fileprivate var folder: String { path.hasSuffix("/") ? String(path.dropLast()) : path }
}

extension Client {
  /// Why it is not granted `scope`; `nil` when it may be.
  ///
  /// What it is registered for, and the portals of the connections that it may use, one at a time: such a token is good
  /// for that portal and nothing else.
  public func refusal(asking scope: Scope) -> Refusal? {
    let portals = scope.arcGISConnections
    guard let portal = portals.first else {
      guard let word = scope.words.first(where: { !self.scope.contains($0) || $0 == Scope.arcGIS }) else { return nil }
      let text =
        word == Scope.arcGIS
        ? "The scope \(word) names a connection, such as \(word):maps."
        : "The scope \(word) is not one that this client is registered for."
      return Refusal(.invalidScope, text)
    }
    guard scope.words.count == 1 else {
      return Refusal(
        .invalidScope, "The scope \(Scope.arcGIS(portal).text) goes with no other: ask for each by itself.")
    }
    guard self.scope.contains(Scope.arcGIS), permission(for: portal) != nil else {
      return Refusal(
        .invalidScope, "This client is not registered for the scope \(Scope.arcGIS) and the connection \(portal).")
    }
    return nil
  }

  /// What it is granted that asks for nothing in particular.
  public var ordinaryScope: Scope { scope.without(Scope.arcGIS) }
}
