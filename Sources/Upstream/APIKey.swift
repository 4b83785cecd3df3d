public import Domain
internal import HTTP
internal import JSON

/// An API key of ArcGIS (`apiKey`): the service's own, typed in by an administrator, and charged to the key's owner.
///
/// It is tried once, never renewed but for the next key that takes its place, and goes over https alone.
public struct APIKey: ServiceKind {
  let generated: GenerateToken

  /// Finds the portal that the key is of; without resources of its own it is for the location services.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    guard let address = PortalAddress(draft.origin) else {
      throw .misconfigured(
        "\(LogText.clean(draft.origin)) is not a web address: enter the portal's, like https://www.arcgis.com.")
    }
    var connection = draft
    connection.clientID = ""
    connection.declareLoopback(address.url)
    guard address.url.isHTTPS || address.url.isLoopback else {
      throw .misconfigured("A key goes over https alone: enter the portal's https address.")
    }
    guard let root = try await generated.portal(among: address.candidates, connection) else {
      throw .misconfigured("\(address.root) answers, but not like an ArcGIS portal: enter the portal's home page.")
    }
    connection.origin = root
    guard connection.resources.isEmpty else { return connection }
    connection.resources =
      OnlineEnvironment(host: address.url.host) == .production
      ? LocationService.allCases.flatMap(\.resources) : [ResourcePattern(root)].compactMap { $0 }
    return connection
  }

  public func obtain(
    _ key: TypedToken?, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn {
    guard let key else { throw .misconfigured("The API key is missing.") }
    let connection = registration.connection
    try await check(key, connection)
    let tokens = UpstreamTokens(
      key: TypedToken(
        token: key.token, expiresAt: min(key.expiresAt, now + TokenAnswer.longestLifetime), referer: key.referer))
    let identity = UpstreamIdentity(
      connection: connection.id, issuer: connection.origin, subject: "API key", displayName: "API key")
    return SignedIn(tokens: tokens, identity: identity, provenName: nil)
  }

  /// Asks the portal about itself with the key, which one that has ended or is wrong cannot.
  ///
  /// - Throws: `refused` when the portal does not accept it.
  public func check(
    _ key: TypedToken, _ connection: Connection, sendBefore: ContinuousClock.Instant? = nil
  ) async throws(UpstreamFailure) {
    guard let bearer = FieldValue("Bearer \(key.token.revealedText)") else {
      throw .misconfigured("The key cannot be sent: copy it alone, and whole.")
    }
    var call = Dialer.Call(url: connection.portalURL("portals/self?f=json"))
    call.headers.set("x-esri-authorization", bearer)
    if let referer = key.referer.flatMap(FieldValue.init) { call.headers.set("referer", referer) }
    call.limit = PortalAnswer.longest
    call.sendBefore = sendBefore
    do { _ = try await generated.dialer.send(call, for: connection).portalObject() } catch .refused {
      throw .refused(
        "\(connection.host) does not accept the key: it has ended or is not whole, or it is bound to another referer.")
    }
  }

  /// Tries the next key, which takes the place of the one in use if the portal accepts it.
  ///
  /// The answer says no more than that, since what the portal tells about itself may be long.
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    guard let next = request.tokens.nextKey else { throw .refused("An API key cannot be renewed.") }
    var status = 200
    if next.expiresAt <= request.now {
      status = Self.refusedKey
    } else {
      do { try await check(next, registration.connection, sendBefore: request.sendBefore) } catch .refused {
        status = Self.refusedKey
      }
    }
    return UpstreamAnswer(status: status, body: Secret("{}"), askedAt: request.now)
  }

  /// What ArcGIS answers to a token that is none.
  private static let refusedKey = 498

  /// A next key that is refused breaks the connection only once the one in use has ended.
  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    guard let next = old.nextKey else { throw .refused("An API key cannot be renewed.") }
    guard answer.status != Self.refusedKey else {
      let text = "\(registration.connection.host) does not accept the next API key, or it has ended."
      throw old.accessExpiresAt > answer.askedAt ? .misconfigured(text) : .refused(text)
    }
    return UpstreamTokens(key: next, item: old.keyItem)
  }

  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    guard resource.isHTTPS || resource.isLoopback else { return [] }
    return generated.headers(with: token, for: resource, registration)
  }
}
