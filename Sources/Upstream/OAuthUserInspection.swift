public import Domain
internal import HTTP
internal import JSON

extension OAuthUser {
  /// Finds the portal behind whatever page of it was typed, and checks that people can sign in there by OAuth.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    var connection = draft
    connection.clientID = draft.clientID.trimmed
    guard !connection.clientID.isEmpty else {
      throw .misconfigured("The client id is missing: register an application in the portal and enter its id here.")
    }
    guard let address = PortalAddress(draft.origin) else {
      throw .misconfigured(
        "\(LogText.clean(draft.origin)) is not a web address: enter the portal's, like https://gis.example.org/portal.")
    }
    connection.declareLoopback(address.url)
    try connection.requireSafe(address.url)
    connection.origin = try await firstPortal(among: address.candidates, connection)
    connection.completePortalResources()
    return connection
  }

  /// The first candidate that answers like a portal; else the failure of the first one, which is what was typed.
  private func firstPortal(
    among candidates: [String], _ draft: Connection
  ) async throws(UpstreamFailure) -> String {
    var failure: UpstreamFailure?
    for root in candidates {
      var connection = draft
      connection.origin = root
      do {
        try await checkPortal(connection)
        return root
      } catch {
        if case .transient = error { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? .misconfigured("The portal's address is missing.")
  }

  private func checkPortal(_ connection: Connection) async throws(UpstreamFailure) {
    let call = Dialer.Call(url: connection.portalURL("portals/self?f=json"))
    let reply = try await dialer.send(call, for: connection)
    if try layers.hide(connection.origin, in: reply) { return }
    if (300...399).contains(reply.status), let target = reply.headers["location"] {
      let place = PortalAddress(target)?.root ?? LogText.clean(target)
      throw .misconfigured("\(connection.origin) redirects to \(place): enter that address if it is the portal's.")
    }
    let portal: JSONValue
    do { portal = try reply.portalObject() } catch .invalidAnswer(let text) { throw .misconfigured(text) }
    try Self.check(portal, at: connection.origin)
  }

  /// Pure: whether a redirect sends a browser to sign in for an application proxy.
  static func isAppProxy(_ target: String) -> Bool {
    let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    do { return try Form(query: query)["state"]?.hasPrefix("AppProxyState") == true } catch { return false }
  }

  /// Pure: whether the portal's description of itself allows signing in by OAuth (version 4.4 and `supportsOAuth`).
  static func check(_ portal: JSONValue, at origin: String) throws(UpstreamFailure) {
    guard portal["portalMode"] != nil || portal["isPortal"] != nil || portal["supportsOAuth"] != nil else {
      throw .misconfigured("\(origin) answers, but not like an ArcGIS portal: enter the portal's home page.")
    }
    guard portal.bool("supportsOAuth") == true else {
      throw .misconfigured("The portal \(origin) does not offer OAuth sign-in; its administrator has to allow it.")
    }
    let version = portal.string("currentVersion").flatMap { Double($0) } ?? portal.number("currentVersion")
    if let version, version < 4.4 {
      throw .misconfigured("The portal \(origin) has the version \(version), which is too old for OAuth sign-in.")
    }
  }
}

extension Connection {
  /// Allows exactly the host and port of an address on this machine, which an administrator typed.
  mutating func declareLoopback(_ url: ResourceURL) {
    guard url.isLoopback, !reach.hosts.contains(url.hostAndPort) else { return }
    reach.hosts.append(url.hostAndPort)
  }

  /// Refuses plain http to where it was not allowed: passwords and tokens would travel in the open.
  func requireSafe(_ url: ResourceURL) throws(UpstreamFailure) {
    guard url.isHTTPS || reach.allowsHTTP || reach.hosts.contains(url.hostAndPort) else {
      throw .misconfigured(
        "\(url.origin) is not encrypted: enter its https address, or allow plain http for this connection.")
    }
  }

  /// The portal itself and, for ArcGIS Online, its service hosts; an administrator's own list stays as it is.
  mutating func completePortalResources() {
    guard resources.isEmpty else { return }
    let isOnline = PortalAddress(origin).map { OnlineEnvironment(host: $0.url.host) == .production } ?? false
    resources = [ResourcePattern(origin), isOnline ? ResourcePattern("*.arcgis.com") : nil].compactMap { $0 }
  }
}
