public import Domain
internal import HTTP
internal import JSON

/// People of an ArcGIS portal, by OAuth 2 with code and PKCE (`oauthUser`).
///
/// The portal is no OpenID provider: there is no ID token, and who signed in is asked with the token itself.
public struct OAuthUser: UpstreamKind {
  let dialer: Dialer
  /// Whose answers stand for the portal's when it is looked at.
  var layers = LayersInFront(hasProxy: false, hasNetwork: false)

  init(dialer: Dialer) { self.dialer = dialer }

  public func authorizationURL(
    _ start: SignInStart, _ registration: Registration
  ) async throws(UpstreamFailure) -> String {
    let connection = registration.connection
    var fields: QueryItems = [
      "client_id": connection.clientID, "response_type": "code", "redirect_uri": registration.redirectURI,
      "state": start.state, "code_challenge": start.challenge, "code_challenge_method": "S256",
      "expiration": connection.portal.refreshTokenMinutes.map(String.init),
      "locale": connection.portal.locale, "style": connection.portal.style,
    ]
    if start.forcesLogin || connection.portal.forcesLogin { fields.append("force_login", "true") }
    return fields.appended(to: connection.portalURL("oauth2/authorize"))
  }

  /// Portals send no `iss`, so one that comes belongs to another upstream (RFC 9207 §2.4).
  public func checkIssuer(_ issuer: String?, _ registration: Registration) async throws(UpstreamFailure) {
    guard let issuer else { return }
    throw .invalidAnswer("The answer names the issuer \(LogText.clean(issuer)), but the portal names none.")
  }

  public func redeem(
    _ back: SignInReturn, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> RedeemedTokens {
    try await checkIssuer(back.issuer, registration)
    let form: QueryItems = [
      "f": "json", "grant_type": "authorization_code", "client_id": registration.connection.clientID,
      "client_secret": registration.clientSecret?.revealedText, "code": back.code.revealedText,
      "redirect_uri": registration.redirectURI, "code_verifier": back.verifier.revealedText,
    ]
    let reply = try await post(form, to: "oauth2/token", registration, isPrecious: true)
    let answer = try TokenAnswer(try reply.portalObject(), host: reply.host)
    let tokens = answer.tokens(
      askedAt: now, unstatedRefreshLifetime: registration.connection.portal.unstatedRefreshLifetime)
    return RedeemedTokens(tokens, username: answer.username)
  }

  /// Asks the portal with the token itself; a nonce is nothing that portals know.
  public func identify(
    _ redeemed: RedeemedTokens, nonce: String, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn {
    let identity = try await identity(of: redeemed, registration)
    return SignedIn(tokens: redeemed.tokens, identity: identity, provenName: identity.displayName)
  }

  public func signOutURL(_ registration: Registration, tokens: UpstreamTokens?, returnTo: String) async -> String? {
    let items: QueryItems = ["client_id": registration.connection.clientID, "redirect_uri": returnTo]
    return items.appended(to: registration.connection.portalURL("oauth2/signout"))
  }

  /// `X-Esri-Authorization`, which also works where a web tier takes `Authorization` for itself.
  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    guard registration.connection.reachesForTokens(resource) else { return [] }
    return [("X-Esri-Authorization", Secret("Bearer \(token.revealedText)"))]
  }

  /// Whose the token is, by the portal's own word; it must agree with what stood beside the token.
  private func identity(
    of redeemed: RedeemedTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamIdentity {
    let connection = registration.connection
    guard let bearer = FieldValue("Bearer \(redeemed.tokens.accessToken.revealedText)") else {
      throw .invalidAnswer("\(connection.origin) issued a token that cannot be sent.")
    }
    var call = Dialer.Call(url: connection.portalURL("community/self?f=json"))
    call.headers.set("x-esri-authorization", bearer)
    try await registration.pass(&call)
    // Every group of the person stands in it.
    call.limit = PortalAnswer.longest
    let reply = try await dialer.send(call, for: connection)
    let person: JSONValue
    do { person = try reply.portalObject() } catch .refused(let text) {
      // Another sign-in would bring another such token.
      throw .misconfigured(
        "\(reply.host) refuses the token that it has just made (\(text)): its clock may be wrong, or another address in "
          + "front of it may answer.")
    }
    guard let username = person.string("username"), UpstreamText.isName(username) else {
      throw .invalidAnswer("\(reply.host) does not say whose the token is.")
    }
    guard redeemed.username == nil || redeemed.username == username else {
      throw .invalidAnswer("\(reply.host) issued the token to one person and says that it belongs to another.")
    }
    let organisation = person.string("orgId") ?? ""
    return UpstreamIdentity(
      connection: connection.id, issuer: connection.origin, subject: "\(organisation)/\(username)",
      displayName: username)
  }

  /// Posts a form to an endpoint below `/sharing/rest` that answers with tokens.
  func post(
    _ form: QueryItems, to endpoint: String, _ registration: Registration, isPrecious: Bool = false
  ) async throws(UpstreamFailure) -> Reply {
    var call = Dialer.Call(url: registration.connection.portalURL(endpoint), form: form)
    try await registration.pass(&call)
    call.limit = UpstreamAnswer.maximumBytes
    call.isPrecious = isPrecious
    return try await dialer.send(call, for: registration.connection)
  }
}

extension Reply {
  /// The JSON object of a portal's answer, or its failure (see ``PortalAnswer``).
  func portalObject() throws(UpstreamFailure) -> JSONValue {
    try PortalAnswer.object(status: status, body: body, retryAfter: retryAfter, host: host)
  }
}

extension Connection {
  /// The URL of an endpoint of the portal's sharing API.
  func portalURL(_ endpoint: String) -> String { "\(origin)/sharing/rest/\(endpoint)" }

  /// Whether tokens of this connection may go to `resource` at all: it is covered, and over https unless declared.
  func reachesForTokens(_ resource: ResourceURL) -> Bool {
    let isSafe = resource.isHTTPS || reach.allowsHTTP || reach.hosts.contains(resource.hostAndPort)
    return isSafe && isDeclared(resource)
  }

  /// Whether an administrator declared the host of `resource` for this connection.
  func isDeclared(_ resource: ResourceURL) -> Bool {
    resources.cover(resource) || reach.hosts.contains(resource.hostAndPort)
  }
}

extension PortalOptions {
  /// In minutes; the portal's default, and what a portal that does not tell lifetimes is trusted for at most.
  private static let standardMinutes: Int64 = 20_160
  /// In minutes; what -1 asks for.
  private static let longestMinutes: Int64 = 129_600

  /// Seconds that a refresh token is taken to live when the portal does not say (Enterprise before 10.9.1).
  var unstatedRefreshLifetime: Int64 {
    guard let asked = refreshTokenMinutes, asked > 0 else { return Self.standardMinutes * 60 }
    return min(asked, Self.standardMinutes) * 60
  }

  /// Whether a refresh token with `seconds` left is to be exchanged for a new one.
  ///
  /// Never when the threshold is not positive or reaches the whole lifetime: then the person signs in again at the end.
  func exchanges(atSecondsLeft seconds: Int64) -> Bool {
    let lifetime = refreshTokenMinutes.map { ($0 < 0 ? Self.longestMinutes : $0) } ?? Self.standardMinutes
    return exchangeBelowSeconds > 0 && exchangeBelowSeconds < lifetime * 60 && seconds < exchangeBelowSeconds
  }
}
