public import Domain
internal import HTTP
internal import JSON

extension OAuthUser {
  /// Refreshes, or exchanges the refresh token itself when it is near its end.
  ///
  /// After a lost answer the plain refresh is tried even then: an exchange that took effect has killed the old token,
  /// and only one that did not may be repeated.
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    let refreshToken = try request.refreshToken(at: registration.connection)
    let secondsLeft = request.tokens.refreshExpiresAt.map { $0 - request.now } ?? .max
    let exchanges = !request.isRepeated && registration.connection.portal.exchanges(atSecondsLeft: secondsLeft)
    let form: QueryItems = [
      "f": "json", "grant_type": exchanges ? "exchange_refresh_token" : "refresh_token",
      "client_id": registration.connection.clientID, "client_secret": registration.clientSecret?.revealedText,
      "refresh_token": refreshToken.revealedText, "redirect_uri": exchanges ? registration.redirectURI : nil,
    ]
    var call = Dialer.Call.refresh(form, at: registration.connection.portalURL("oauth2/token"), request)
    try await registration.pass(&call)
    let reply = try await dialer.send(call, for: registration.connection)
    return UpstreamAnswer(reply, askedAt: request.now)
  }

  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    try Self.read(answer, replacing: old, registration.connection)
  }

  /// Pure: what the answer of a refresh means (reference: error shapes E1 to E7).
  static func read(
    _ answer: UpstreamAnswer, replacing old: UpstreamTokens, _ connection: Connection
  ) throws(UpstreamFailure) -> UpstreamTokens {
    try answer.read { () throws(UpstreamFailure) in
      let json = try PortalAnswer.object(
        status: answer.status, body: answer.body.revealed, retryAfter: answer.retryAfter, host: connection.origin)
      let newer = try TokenAnswer(json, host: connection.origin)
      return old.replaced(
        by: newer.tokens(
          askedAt: answer.askedAt, unstatedRefreshLifetime: connection.portal.unstatedRefreshLifetime))
    }
  }

  /// Revokes the refresh token, which ends its access tokens; without one, the access token.
  public func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome {
    let connection = registration.connection
    let form: QueryItems = [
      "f": "json", "client_id": connection.clientID,
      "auth_token": (tokens.refreshToken ?? tokens.accessToken).revealedText,
      "token_type_hint": tokens.refreshToken == nil ? "access_token" : "refresh_token",
    ]
    let reply = try await post(form, to: "oauth2/revokeToken", registration)
    if Self.cannotRevoke(reply) { return .unsupported }
    guard try reply.portalObject().bool("success") == true else {
      throw .transient("\(reply.host) did not confirm the revocation.", retryAfter: reply.retryAfter)
    }
    return .revoked
  }

  /// Pure: whether the answer says that the portal has no such endpoint, or none for such tokens.
  static func cannotRevoke(_ reply: Reply) -> Bool {
    let error = PortalAnswer.json(reply.body).flatMap { PortalError(in: $0) }
    if let error, PortalAnswer.isAboutRegistration(error) { return false }
    return [400, 404, 405].contains(error?.code ?? Int64(reply.status))
  }
}
