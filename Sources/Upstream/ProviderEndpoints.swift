internal import Crypto
internal import Domain
internal import HTTP
internal import JSON

/// Where a provider's tokens are got, renewed and cancelled, whether that was discovered or typed.
struct ProviderEndpoints: Sendable {
  let dialer: Dialer
  let token: String
  let tokenAuthentication: ClientAuthentication
  /// `nil` when the provider cannot cancel tokens.
  let revocation: String?
  let revocationAuthentication: ClientAuthentication

  /// Exchanges a code (RFC 6749 §4.1.3).
  func redeem(
    _ back: SignInReturn, _ registration: Registration, now: Timestamp
  ) async throws(UpstreamFailure) -> RedeemedTokens {
    let quirks = registration.connection.provider.quirks
    let form: QueryItems = [
      "grant_type": "authorization_code", "code": back.code.revealedText, "redirect_uri": registration.redirectURI,
      "code_verifier": quirks.usesPKCE ? back.verifier.revealedText : nil,
    ]
    var call = Dialer.Call(url: token, form: form)
    call.limit = UpstreamAnswer.maximumBytes
    call.isPrecious = true
    try call.authenticate(registration, by: tokenAuthentication)
    let reply = try await dialer.send(call, for: registration.connection)
    let answer = try TokenAnswer(try reply.providerObject(), host: reply.host)
    return RedeemedTokens(answer.tokens(askedAt: now, quirks))
  }

  /// Presents the refresh token by one POST (RFC 6749 §6).
  func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    let refreshToken = try request.refreshToken(at: registration.connection)
    let form: QueryItems = ["grant_type": "refresh_token", "refresh_token": refreshToken.revealedText]
    var call = Dialer.Call.refresh(form, at: token, request)
    try call.authenticate(registration, by: tokenAuthentication)
    return UpstreamAnswer(try await dialer.send(call, for: registration.connection), askedAt: request.now)
  }

  /// Cancels tokens in the provider's way.
  ///
  /// What the first answer says is the outcome: that an access token cannot be cancelled besides is no failure.
  func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome {
    guard let revocation else { return .unsupported }
    var outcome: RevocationOutcome?
    for (token, hint) in Self.revoked(tokens, registration.connection.provider.quirks.revocation) {
      var call = Dialer.Call(url: revocation)
      if let hint {
        call.form = ["token": token.revealedText, "token_type_hint": hint]
        try call.authenticate(registration, by: revocationAuthentication)
      } else {
        call.deletes = JSONWriter.object { $0.member("access_token", token.revealedText) }
        try call.authenticate(registration, by: .basic)
      }
      let reply = try await dialer.send(call, for: registration.connection)
      // What is not there to be deleted works no more either.
      if hint == nil, reply.status == 404 { return .revoked }
      guard outcome != nil else {
        outcome = try OIDC.outcome(of: reply)
        continue
      }
      do { _ = try OIDC.outcome(of: reply) } catch {
        if case .transient = error { throw error }
      }
    }
    return outcome ?? .unsupported
  }

  /// What is presented, with its hint; without one it is deleted.
  private static func revoked(_ tokens: UpstreamTokens, _ way: RevocationWay) -> [(Secret, hint: String?)] {
    let refresh = tokens.refreshToken.map { [($0, hint: String?.some("refresh_token"))] } ?? []
    let access = [(tokens.accessToken, hint: String?.some("access_token"))]
    return switch way {
    case .eachToken: refresh + access
    case .oneToken: refresh.isEmpty ? access : refresh
    case .refreshToken: refresh
    case .deletion: [(tokens.accessToken, hint: nil)]
    }
  }
}

extension ProviderMetadata {
  func endpoints(_ quirks: ProviderQuirks, _ dialer: Dialer) -> ProviderEndpoints {
    ProviderEndpoints(
      dialer: dialer, token: tokenEndpoint, tokenAuthentication: quirks.clientAuthentication ?? tokenAuthentication,
      revocation: revocationEndpoint,
      revocationAuthentication: quirks.clientAuthentication ?? revocationAuthentication)
  }
}

extension ClientAuthentication {
  /// Basic unless the provider offers the form alone; nothing said means Basic.
  init(offered: [String]?) {
    let offered = offered ?? []
    self = offered.contains("client_secret_post") && !offered.contains("client_secret_basic") ? .post : .basic
  }
}

extension QueryItems {
  /// The authorization request that all providers get (RFC 6749 §4.1.1, RFC 7636 §4.3), with this one's own parameters.
  static func authorization(_ start: SignInStart, _ registration: Registration, scopes: [String]) -> QueryItems {
    let quirks = registration.connection.provider.quirks
    let isOpenID = scopes.contains("openid")
    var items: QueryItems = [
      "response_type": "code", "client_id": registration.connection.clientID,
      "redirect_uri": registration.redirectURI, "scope": scopes.isEmpty ? nil : scopes.joined(separator: " "),
      "state": start.state, "nonce": isOpenID ? start.nonce : nil,
      "code_challenge": quirks.usesPKCE ? start.challenge : nil,
      "code_challenge_method": quirks.usesPKCE ? "S256" : nil,
      "prompt": quirks.prompt(forcesLogin: start.forcesLogin),
    ]
    for one in quirks.authorizationParameters where one.name != "prompt" { items.append(one.name, one.value) }
    return items
  }
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
