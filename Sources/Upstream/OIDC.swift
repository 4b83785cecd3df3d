public import Domain
internal import Crypto
internal import HTTP
internal import JOSE
internal import JSON

/// People of an OpenID provider, found by discovery (`oidc`).
public struct OIDC: UpstreamKind {
  let dialer: Dialer
  let providers: ProviderDirectory

  public func authorizationURL(
    _ start: SignInStart, _ registration: Registration
  ) async throws(UpstreamFailure) -> String {
    let provider = try await providers.metadata(of: registration.connection)
    let items: QueryItems = [
      "response_type": "code", "client_id": registration.connection.clientID,
      "redirect_uri": registration.redirectURI,
      "scope": registration.connection.scopesWithOpenID.joined(separator: " "), "state": start.state,
      "nonce": start.nonce, "code_challenge": start.challenge, "code_challenge_method": "S256",
      "prompt": start.forcesLogin ? "login" : nil,
    ]
    return items.appended(to: provider.authorizationEndpoint)
  }

  /// An `iss` must be the configured issuer, must be there when the provider announces it, and else must not.
  public func checkIssuer(_ issuer: String?, _ registration: Registration) async throws(UpstreamFailure) {
    let provider = try await providers.metadata(of: registration.connection)
    switch issuer {
    case let issuer? where !issuer.utf8.elementsEqual(provider.issuer.utf8):
      throw .invalidAnswer("The answer comes from \(LogText.clean(issuer)) instead of \(provider.issuer).")
    case .some where !provider.announcesIssuer:
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
    let connection = registration.connection
    let provider = try await providers.metadata(of: connection)
    let form: QueryItems = [
      "grant_type": "authorization_code", "code": back.code.revealedText, "redirect_uri": registration.redirectURI,
      "code_verifier": back.verifier.revealedText,
    ]
    var call = Dialer.Call(url: provider.tokenEndpoint, form: form)
    call.limit = UpstreamAnswer.maximumBytes
    call.isPrecious = true
    try call.authenticate(registration, by: provider.tokenAuthentication)
    let reply = try await dialer.send(call, for: connection)
    return RedeemedTokens(try TokenAnswer(try reply.providerObject(), host: reply.host).tokens(askedAt: now))
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
    let rule = IDTokenRule(
      issuer: provider.issuer, clientID: connection.clientID,
      expected: .init(nonce: nonce, accessToken: tokens.accessToken.revealedText),
      algorithms: provider.knownAlgorithms)
    let claims = try await providers.keys.verify(idToken.revealedText, rule, from: provider, connection, now: now)
    let person = try await person(claims, tokens.accessToken, provider, connection)
    return SignedIn(
      tokens: tokens, identity: claims.identity(at: connection.id, provider.issuer, named: person),
      provenName: person.verifiedEmail ?? claims.json.verifiedEmail)
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

  /// The provider's metadata, or `nil`: sign-out goes on without it, and there is then no page to name.
  private func knownProvider(of connection: Connection) async -> ProviderMetadata? {
    do { return try await providers.metadata(of: connection) } catch { return nil }
  }
}

extension Connection {
  /// The configured scopes, with `openid` first, without which there is no ID token (OpenID Connect Core §3.1.2.1).
  var scopesWithOpenID: [String] { scopes.contains("openid") ? scopes : ["openid"] + scopes }
}

extension Dialer.Call {
  /// Shows who we are: by `client_id` alone without a secret, else by secret in the header or the form.
  mutating func authenticate(
    _ registration: Registration, by method: ClientAuthentication
  ) throws(UpstreamFailure) {
    let id = registration.connection.clientID
    guard let secret = registration.clientSecret?.revealedText, !secret.isEmpty else {
      form?.append("client_id", id)
      return
    }
    switch method {
    case .post:
      form?.append("client_id", id)
      form?.append("client_secret", secret)
    case .basic:
      // Both are form-encoded before they are joined (RFC 6749 §2.3.1).
      let pair = "\(PercentCoding.encode(id)):\(PercentCoding.encode(secret))"
      guard let value = FieldValue("Basic \(Base64.encode(Array(pair.utf8)))") else {
        throw .misconfigured("The client secret cannot be sent.")
      }
      headers.set("authorization", value)
    }
  }
}
