public import Domain
internal import HTTP
internal import JSON

/// An application of an ArcGIS portal, by its client id and secret (`oauthApplication`): no person is behind its tokens.
///
/// Its tokens cannot be revoked; what they cost is charged to the application's owner.
public struct OAuthApplication: ServiceKind {
  let portals: OAuthUser

  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    try await portals.inspect(draft)
  }

  /// The first token, which proves that the registration is right.
  public func obtain(
    _ key: TypedToken?, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn {
    let connection = registration.connection
    let reply = try await portals.post(try Self.form(registration), to: "oauth2/token", registration)
    _ = try LayersInFront.impassable.hide(connection.origin, in: reply)
    let tokens = try Self.tokens(in: try reply.portalObject(), host: reply.host, askedAt: now)
    let identity = UpstreamIdentity(
      connection: connection.id, issuer: connection.origin, subject: connection.clientID,
      displayName: connection.clientID)
    return SignedIn(tokens: tokens, identity: identity, provenName: nil)
  }

  /// Asks for another token with the registration alone: the one before goes on working, so that a lost answer loses
  /// nothing.
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    let connection = registration.connection
    let call = Dialer.Call.refresh(try Self.form(registration), at: connection.portalURL("oauth2/token"), request)
    return UpstreamAnswer(try await portals.dialer.send(call, for: connection), askedAt: request.now)
  }

  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    let host = registration.connection.origin
    return try answer.read { () throws(UpstreamFailure) in
      let json = try PortalAnswer.object(
        status: answer.status, body: answer.body.revealed, retryAfter: answer.retryAfter, host: host)
      return try Self.tokens(in: json, host: host, askedAt: answer.askedAt)
    }
  }

  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    portals.headers(with: token, for: resource, registration)
  }

  private static func form(_ registration: Registration) throws(UpstreamFailure) -> QueryItems {
    guard let secret = registration.clientSecret else {
      throw .misconfigured("The client secret is missing: without it the portal gives an application no token.")
    }
    return [
      "f": "json", "grant_type": "client_credentials", "client_id": registration.connection.clientID,
      "client_secret": secret.revealedText, "expiration": String(max(1, registration.connection.portal.tokenMinutes)),
    ]
  }

  private static func tokens(
    in json: JSONValue, host: String, askedAt: Timestamp
  ) throws(UpstreamFailure) -> UpstreamTokens {
    var tokens = try TokenAnswer(json, host: host).tokens(askedAt: askedAt)
    tokens.isOfRegistration = true
    return tokens
  }
}
