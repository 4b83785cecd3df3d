internal import Crypto
public import Domain
internal import HTTP
internal import JOSE
internal import JSON

/// People of an organisation whose hosts stand behind Microsoft Entra Application Proxy (`iap`).
///
/// The proxy takes the ID token, so that is what stands as the access token among the tokens that are kept.
public struct IAP: UpstreamKind {
  let dialer: Dialer
  let providers: ProviderDirectory

  public func authorizationURL(
    _ start: SignInStart, _ registration: Registration
  ) async throws(UpstreamFailure) -> String {
    let connection = registration.connection
    let options = try connection.entra
    let items: QueryItems = [
      "client_id": connection.clientID, "response_type": "code", "redirect_uri": registration.redirectURI,
      "response_mode": "query", "scope": connection.scopesWithOpenID.joined(separator: " "), "state": start.state,
      "nonce": start.nonce, "code_challenge": start.challenge, "code_challenge_method": "S256",
      "prompt": start.forcesLogin ? "login" : options.prompt,
    ]
    return items.appended(to: options.authorizeURL)
  }

  public func checkIssuer(_ issuer: String?, _ registration: Registration) async throws(UpstreamFailure) {
    try await OIDC(dialer: dialer, providers: providers).checkIssuer(issuer, registration)
  }

  public func redeem(
    _ back: SignInReturn, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> RedeemedTokens {
    try await checkIssuer(back.issuer, registration)
    let connection = registration.connection
    let form: QueryItems = [
      "grant_type": "authorization_code", "code": back.code.revealedText, "redirect_uri": registration.redirectURI,
      "code_verifier": back.verifier.revealedText, "scope": connection.scopesWithOpenID.joined(separator: " "),
    ]
    var call = Dialer.Call(url: try connection.entra.tokenURL, form: form)
    call.limit = UpstreamAnswer.maximumBytes
    call.isPrecious = true
    try call.authenticate(registration, by: .post)
    let reply = try await dialer.send(call, for: connection)
    let json = try EntraAnswer.object(
      status: reply.status, body: reply.body, retryAfter: reply.retryAfter, host: reply.host)
    return RedeemedTokens(try TokenAnswer(json, host: reply.host).tokens(askedAt: now))
  }

  /// Believes the ID token and nothing else.
  public func identify(
    _ redeemed: RedeemedTokens, nonce: String, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn {
    let (tokens, connection) = (redeemed.tokens, registration.connection)
    let person = try await person(of: tokens, nonce: nonce, connection, now: now)
    // Neither address nor user name is proven: both can be given to somebody else tomorrow.
    return SignedIn(tokens: person.presentable(tokens), identity: person.identity(at: connection.id), provenName: nil)
  }

  /// Entra revokes nothing: the tokens live until they expire.
  public func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome { .unsupported }

  public func signOutURL(_ registration: Registration, tokens: UpstreamTokens?, returnTo: String) async -> String? {
    guard let options = registration.connection.iap else { return nil }
    let items: QueryItems = [
      "post_logout_redirect_uri": returnTo, "logout_hint": tokens?.idToken.flatMap(EntraPerson.signOutHint),
    ]
    return items.appended(to: options.logoutURL)
  }

  /// `Authorization: Bearer`, the only place where App Proxy looks, and only to hosts behind it.
  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    let connection = registration.connection
    guard connection.reachesForTokens(resource),
      connection.resources.cover(resource)
    else { return [] }
    return [("Authorization", Secret("Bearer \(token.revealedText)"))]
  }
}

extension IAP {
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    let connection = registration.connection
    let refreshToken = try request.refreshToken(at: connection)
    // Without openid among the scopes no new ID token comes.
    let form: QueryItems = [
      "grant_type": "refresh_token", "refresh_token": refreshToken.revealedText,
      "scope": connection.scopesWithOpenID.joined(separator: " "),
    ]
    var call = Dialer.Call.refresh(form, at: try connection.entra.tokenURL, request)
    try call.authenticate(registration, by: .post)
    return UpstreamAnswer(try await dialer.send(call, for: connection), askedAt: request.now)
  }

  /// The new ID token is what the proxy will be shown, so it is checked as at the sign-in, but for the nonce.
  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    let connection = registration.connection
    do throws(UpstreamFailure) {
      let json = try EntraAnswer.object(
        status: answer.status, body: answer.body.revealed, retryAfter: answer.retryAfter, host: connection.origin)
      let newer = try TokenAnswer(json, host: connection.origin).tokens(askedAt: answer.askedAt)
      let person = try await person(of: newer, nonce: nil, connection, now: answer.askedAt)
      if let before = old.idToken.flatMap(EntraPerson.init(unverified:)), before.subject != person.subject {
        throw UpstreamFailure.refused("\(connection.origin) answered a refresh with another person's tokens.")
      }
      return old.replaced(by: person.presentable(newer))
    } catch .invalidAnswer(let text) {
      // The refresh token that was presented stays good.
      throw .transient(text, retryAfter: answer.retryAfter)
    }
  }
}

extension Connection {
  /// What connections of this kind always have.
  var entra: IAPOptions {
    get throws(UpstreamFailure) {
      guard let iap else { throw .misconfigured("The connection \(id) has no addresses of Microsoft Entra.") }
      return iap
    }
  }

  /// The part of an Entra origin that names the tenant.
  var tenant: String { ResourceURL(origin)?.path.split(separator: "/").first.map(String.init) ?? "" }

  /// The issuer that the discovery document has to name: a template where people of several tenants may come.
  var announcedIssuer: String {
    guard kind == .iap, IAPOptions.sharedTenants.contains(tenant), let url = ResourceURL(origin) else { return origin }
    return "\(url.origin)/{tenantid}/v2.0"
  }
}
