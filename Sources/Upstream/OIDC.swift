public import Domain
internal import HTTP
internal import JOSE

/// People of an OpenID provider, found by discovery (`oidc`).
public struct OIDC: UpstreamKind {
  let dialer: Dialer
  let providers: ProviderDirectory

  public func authorizationURL(
    _ start: SignInStart, _ registration: Registration
  ) async throws(UpstreamFailure) -> String {
    let provider = try await providers.metadata(of: registration.connection)
    return QueryItems.authorization(start, registration, scopes: registration.connection.scopesWithOpenID)
      .appended(to: provider.authorizationEndpoint)
  }

  /// An `iss` must be the configured issuer, must be there when the provider announces it, and else must not unless its
  /// quirks allow that.
  public func checkIssuer(_ issuer: String?, _ registration: Registration) async throws(UpstreamFailure) {
    let provider = try await providers.metadata(of: registration.connection)
    switch issuer {
    case let issuer? where !issuer.utf8.elementsEqual(provider.issuer.utf8):
      throw .invalidAnswer("The answer comes from \(LogText.clean(issuer)) instead of \(provider.issuer).")
    case .some where !provider.announcesIssuer && !registration.connection.provider.quirks.sendsUnannouncedIssuer:
      throw .invalidAnswer("\(provider.issuer) sends iss without announcing it in its discovery document.")
    case nil where provider.announcesIssuer:
      throw .invalidAnswer("The answer lacks iss, which \(provider.issuer) announces to send.")
    default: return
    }
  }

  public func redeem(
    _ back: SignInReturn, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> RedeemedTokens {
    try await checkIssuer(back.issuer, registration)
    return try await endpoints(of: registration).redeem(back, registration, now: now)
  }

  /// Believes the ID token and nothing else (OpenID Connect Core §3.1.3.7).
  public func identify(
    _ redeemed: RedeemedTokens, nonce: String, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> SignedIn {
    let (connection, tokens) = (registration.connection, redeemed.tokens)
    let provider = try await providers.metadata(of: connection)
    guard let idToken = tokens.idToken else {
      throw .invalidAnswer(
        "\(provider.issuer) answered without id_token: is the scope openid allowed to this client?")
    }
    let issuer = try provider.issuer(of: idToken, connection.provider.quirks)
    let rule = IDTokenRule(
      issuer: issuer, clientID: connection.clientID,
      expected: .init(nonce: nonce, accessToken: tokens.accessToken.revealedText),
      algorithms: provider.knownAlgorithms)
    let claims = try await providers.keys.verify(idToken.revealedText, rule, from: provider, connection, now: now)
    let person = try await person(claims, tokens.accessToken, provider, connection)
    return SignedIn(
      tokens: tokens, identity: claims.identity(at: connection.id, issuer, named: person),
      provenName: person.verifiedEmail ?? claims.json.verifiedEmail, sessionID: claims.sessionID)
  }

  public func signOutURL(_ registration: Registration, tokens: UpstreamTokens?, returnTo: String) async -> String? {
    guard let provider = await knownProvider(of: registration.connection), let page = provider.endSessionEndpoint else {
      return nil
    }
    let items: QueryItems = [
      "id_token_hint": tokens?.idToken?.revealedText, "client_id": registration.connection.clientID,
      "post_logout_redirect_uri": returnTo,
    ]
    return items.appended(to: page)
  }

  /// `Authorization: Bearer` (RFC 6750 §2.1), only where the connection covers the resource.
  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    guard registration.connection.reachesForTokens(resource) else { return [] }
    return [("Authorization", Secret("Bearer \(token.revealedText)"))]
  }

  func endpoints(of registration: Registration) async throws(UpstreamFailure) -> ProviderEndpoints {
    try await providers.metadata(of: registration.connection)
      .endpoints(registration.connection.provider.quirks, dialer)
  }

  /// The provider's metadata, or `nil`: sign-out goes on without it, and there is then no page to name.
  private func knownProvider(of connection: Connection) async -> ProviderMetadata? {
    do { return try await providers.metadata(of: connection) } catch { return nil }
  }
}

extension Connection {
  /// The configured scopes, with `openid` first, without which there is no ID token (OpenID Connect Core §3.1.2.1).
  var scopesWithOpenID: [String] { scopes.contains("openid") ? scopes : ["openid"] + scopes }
}
