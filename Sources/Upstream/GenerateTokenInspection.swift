public import Domain
internal import HTTP
internal import JSON

extension GenerateToken {
  /// Finds the portal, or else the stand-alone server, behind whatever page of it was typed.
  ///
  /// A server that belongs to a portal is refused: its portal makes the tokens for it.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    guard let address = PortalAddress(draft.origin) else {
      throw .misconfigured(
        "\(LogText.clean(draft.origin)) is not a web address: enter the portal's or server's, like "
          + "https://gis.example.org/portal.")
    }
    var connection = draft
    connection.clientID = ""
    connection.portal.tokenURL = nil
    connection.declareLoopback(address.url)
    try connection.requireSafe(address.url)
    if let root = try await portal(among: address.candidates, connection) {
      connection.origin = root
    } else {
      try await becomeServer(&connection, at: address)
    }
    connection.completePortalResources()
    return connection
  }

  /// The first candidate that describes itself as a portal.
  func portal(
    among candidates: [String], _ connection: Connection
  ) async throws(UpstreamFailure) -> String? {
    for root in candidates {
      let reply = try await dialer.send(.init(url: root + "/sharing/rest/portals/self?f=json"), for: connection)
      if try layers.hide(root, in: reply) { return root }
      if reply.status == 429 || reply.status >= 500 { _ = try reply.portalObject() }
      guard let json = PortalAnswer.json(reply.body), PortalError(in: json) == nil else { continue }
      if ["portalMode", "isPortal", "supportsOAuth"].contains(where: { json[$0] != nil }) { return root }
    }
    return nil
  }

  private func becomeServer(_ connection: inout Connection, at address: PortalAddress) async throws(UpstreamFailure) {
    guard let root = ServerRoot.of(address.url) else {
      throw .misconfigured("\(address.root) is neither an ArcGIS portal nor the address of an ArcGIS Server.")
    }
    let info: JSONValue
    do {
      info = try await dialer.send(.init(url: root + "/rest/info?f=json"), for: connection).portalObject()
    } catch .invalidAnswer(let text) { throw .misconfigured(text) } catch .refused(let text) {
      throw .misconfigured(text)
    }
    connection.origin = root
    connection.portal.tokenURL = try Self.tokenURL(in: info, root: root)
    try await completeTokenURL(&connection)
  }

  /// Pure: where the server makes tokens, which must be within its own origin.
  static func tokenURL(in info: JSONValue, root: String) throws(UpstreamFailure) -> String {
    if let owner = info.string("owningSystemUrl"), !owner.isEmpty {
      throw .misconfigured("\(root) belongs to the portal \(LogText.clean(owner)): enter that address instead.")
    }
    guard info["authInfo"]?.bool("isTokenBasedSecurity") == true else {
      throw .misconfigured("\(root) takes no tokens, or is no ArcGIS Server: enter the address before /rest.")
    }
    let places = [info["authInfo"], info].compactMap(\.self)
    let named = places.compactMap { $0.string("tokenServicesUrl") ?? $0.string("tokenServiceUrl") }.first
    let text = named ?? root + "/tokens/generateToken"
    // A password goes to the address that an administrator typed, and not to where an answer points.
    guard let url = ResourceURL(text), url.origin == ResourceURL(root)?.origin, !text.contains("?") else {
      throw .misconfigured("\(root) says that its tokens are made elsewhere, at \(LogText.clean(text)).")
    }
    return text
  }

  /// Some servers name the folder of the token service and some the service: what is not there has a name more.
  private func completeTokenURL(_ connection: inout Connection) async throws(UpstreamFailure) {
    guard let url = connection.portal.tokenURL, !url.hasSuffix("generateToken") else { return }
    let reply = try await dialer.send(.init(url: url), for: connection)
    guard reply.status == 404 else { return }
    connection.portal.tokenURL = url + (url.hasSuffix("/") ? "" : "/") + "generateToken"
  }
}
