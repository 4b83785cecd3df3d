public import Domain
internal import HTTP
internal import JSON

extension OAuthUser {
  /// Which token `resource` takes: the portal's, perhaps a federated server's, or none.
  ///
  /// The portal's token goes to the portal alone, and nobody is asked about a host that no administrator declared.
  public func federation(for resource: ResourceURL, _ connection: Connection) -> Federation {
    if connection.portal.tokenURL != nil { return connection.isServer(resource) ? .portal : .notFederated }
    if connection.isPortal(resource) { return .portal }
    guard connection.reachesForTokens(resource) else { return .notFederated }
    if connection.isOnlineSibling(resource) { return .portal }
    return ServerRoot.of(resource).map { .server(root: $0) } ?? .notFederated
  }

  /// Asks the server at `root`, without any token of the portal, whose it is; where no ArcGIS Server is, it is nobody's.
  ///
  /// `root` comes from ``federation(for:_:)`` and from nowhere else.
  public func server(
    at root: String, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> FederatedServer {
    var call = Dialer.Call(url: root + "/rest/info?f=json")
    try await registration.pass(&call)
    let reply = try await dialer.send(call, for: registration.connection)
    if reply.isNotFound { return .absent(at: root, now: now) }
    do {
      return FederatedServer(root: root, try reply.portalObject(), at: now)
    } catch .refused(let text) { throw .invalidAnswer(text) }
  }

  /// Whether `server` takes tokens of this portal: its word counts only when it names exactly this one.
  public func isFederated(_ server: FederatedServer, _ connection: Connection) -> Bool {
    server.takesTokens && server.owningSystemURL.map(connection.isOwner) ?? false
  }

  /// A token for the federated server at `root`, made by the portal from its own.
  ///
  /// `root` comes from ``federation(for:_:)`` and from nowhere else. Only the portal is asked, at its own address, so
  /// that no server can name another place to send the portal's token to.
  ///
  /// A portal's token that is bound to a `referer` counts only beside it, and gets one that is bound to the same.
  ///
  /// - Throws: `refused` when the portal's token is dead; `misconfigured` when the portal knows no such server or the
  ///   person may not use it. Neither is a reason to make another token at once.
  public func serverToken(
    root: String, portalToken: Secret, referer: String? = nil, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> ServerToken {
    let connection = registration.connection
    let minutes = max(1, connection.portal.federatedTokenMinutes)
    let form: QueryItems = [
      "f": "json", "request": "getToken", "token": portalToken.revealedText, "serverUrl": root,
      "expiration": String(minutes), "client": referer == nil ? nil : "referer", "referer": referer,
    ]
    var call = Dialer.Call(url: connection.portalURL("generateToken"), form: form)
    try await registration.pass(&call)
    call.limit = UpstreamAnswer.maximumBytes
    if let referer = referer.flatMap(FieldValue.init) { call.headers.set("referer", referer) }
    let reply = try await dialer.send(call, for: connection)
    let error = PortalAnswer.json(reply.body).flatMap { PortalError(in: $0) }
    if let error, [400, 401, 403].contains(error.code) {
      throw .misconfigured("\(reply.host) gives no token for \(root): \(error.text)")
    }
    return try Self.serverToken(in: try reply.portalObject(), host: reply.host, now: now)
  }

  /// Pure: reads `token` and `expires`, which is in milliseconds since 1970.
  static func serverToken(
    in json: JSONValue, host: String, now: Timestamp
  ) throws(UpstreamFailure) -> ServerToken {
    guard let text = json.string("token"), (1...TokenAnswer.longestToken).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw .invalidAnswer("\(host) answered without a usable token.") }
    let expires = TokenAnswer.count("expires", in: json).map { Timestamp(seconds: $0 / 1000) }
    let expiresAt = min(expires ?? now + TokenAnswer.unstatedLifetime, now + TokenAnswer.longestLifetime)
    guard expiresAt > now else { throw .invalidAnswer("\(host) issued a token that has expired already.") }
    return ServerToken(token: Secret(text), expiresAt: expiresAt)
  }
}

extension Reply {
  /// Whether nothing is at the URL, in whichever way ArcGIS or the web server before it says so.
  fileprivate var isNotFound: Bool {
    let code = PortalAnswer.json(body).flatMap { PortalError(in: $0) }?.code
    return code == 404 || (code == nil && [404, 410].contains(status))
  }
}

extension FederatedServer {
  /// Where no server is at the moment.
  ///
  /// Nobody has answered, so that a server which starts up is soon found, and nothing is believed longer than that.
  fileprivate static func absent(at root: String, now: Timestamp) -> FederatedServer {
    FederatedServer(
      root: root, owningSystemURL: nil, takesTokens: false, answeredAt: Timestamp(seconds: 0), askAgainAt: now + pause)
  }

  /// Reads `owningSystemUrl` and `authInfo`; a member that is absent means no.
  init(root: String, _ info: JSONValue, at now: Timestamp) {
    self.init(
      root: root, owningSystemURL: info.string("owningSystemUrl"),
      takesTokens: info["authInfo"]?.bool("isTokenBasedSecurity") ?? false, answeredAt: now)
  }
}
