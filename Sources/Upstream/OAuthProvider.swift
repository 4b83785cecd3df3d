public import Domain
internal import HTTP
internal import JSON

/// People of a plain OAuth 2 provider without discovery and ID tokens (`oidc` with typed endpoints).
///
/// Who somebody is, its user endpoint says: the connection's own redirect URI keeps other providers' codes out
/// (RFC 9700 §4.4.2.2), and the access token came straight from the token endpoint.
public struct OAuthProvider: UpstreamKind {
  let dialer: Dialer

  public func authorizationURL(
    _ start: SignInStart, _ registration: Registration
  ) async throws(UpstreamFailure) -> String {
    let endpoints = try registration.connection.oauthEndpoints()
    return QueryItems.authorization(start, registration, scopes: registration.connection.scopes)
      .appended(to: endpoints.authorization)
  }

  /// An `iss` must be the connection's, as far as there is one: nobody announces it here.
  public func checkIssuer(_ issuer: String?, _ registration: Registration) async throws(UpstreamFailure) {
    let expected = registration.connection.origin
    guard let issuer, !issuer.utf8.elementsEqual(expected.utf8) else { return }
    throw .invalidAnswer("The answer comes from \(LogText.clean(issuer)) instead of \(expected).")
  }

  public func redeem(
    _ back: SignInReturn, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> RedeemedTokens {
    try await checkIssuer(back.issuer, registration)
    return try await endpoints(of: registration).redeem(back, registration, now: now)
  }

  /// Asks the user endpoint whose the access token is.
  public func identify(
    _ redeemed: RedeemedTokens, nonce: String, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn {
    let connection = registration.connection
    let endpoints = try connection.oauthEndpoints()
    guard let bearer = FieldValue("Bearer \(redeemed.tokens.accessToken.revealedText)") else {
      throw .invalidAnswer("\(connection.origin) gave an access token that cannot be sent.")
    }
    var call = Dialer.Call(url: endpoints.user)
    call.headers.set("authorization", bearer)
    let person: JSONValue
    do { person = try await dialer.send(call, for: connection).providerObject() } catch {
      // The tokens that were to be shown are good or not; nothing was asked that could have changed them.
      guard case .ambiguous = error else { throw error }
      throw error.withNothingSent
    }
    guard let subject = person.identifier(endpoints.subjectMember) else {
      throw .invalidAnswer("\(endpoints.user) answered without a usable \(LogText.clean(endpoints.subjectMember)).")
    }
    let name = person.string(endpoints.nameMember).flatMap { UpstreamText.isName($0) ? $0 : nil }
    let identity = UpstreamIdentity(
      connection: connection.id, issuer: connection.origin, subject: subject, displayName: name ?? subject)
    return SignedIn(
      tokens: redeemed.tokens, identity: identity,
      provenName: endpoints.subjectMember == OAuthEndpoints.standardSubject ? person.verifiedEmail : nil)
  }

  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    try await endpoints(of: registration).requestRefresh(request, registration)
  }

  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    try OIDC.read(answer, replacing: old, registration.connection)
  }

  public func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome {
    try await endpoints(of: registration).revoke(tokens, registration)
  }

  /// Plain OAuth 2 has no way to end the provider's own session.
  public func signOutURL(_ registration: Registration, tokens: UpstreamTokens?, returnTo: String) async -> String? {
    nil
  }

  /// `Authorization: Bearer` (RFC 6750 §2.1), only where the connection covers the resource.
  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    guard registration.connection.reachesForTokens(resource) else { return [] }
    return [("Authorization", Secret("Bearer \(token.revealedText)"))]
  }

  private func endpoints(of registration: Registration) throws(UpstreamFailure) -> ProviderEndpoints {
    let typed = try registration.connection.oauthEndpoints()
    let authentication = registration.connection.provider.quirks.clientAuthentication ?? .basic
    return ProviderEndpoints(
      dialer: dialer, token: typed.token, tokenAuthentication: authentication, revocation: typed.revocation,
      revocationAuthentication: authentication)
  }
}

extension Connection {
  func oauthEndpoints() throws(UpstreamFailure) -> OAuthEndpoints {
    guard let endpoints = provider.endpoints else {
      throw .misconfigured("\(name) has no endpoints: it is found by discovery.")
    }
    return endpoints
  }
}

extension JSONValue {
  /// A text or a whole number that can name somebody for good: 1 to 255 bytes without control characters.
  fileprivate func identifier(_ name: String) -> String? {
    let text: String? =
      switch self[name] {
      case .string(let text): text
      case .integer(let number): String(number)
      default: nil
      }
    return text.flatMap { UpstreamText.isName($0) ? $0 : nil }
  }
}
