public import Domain
internal import HTTP
internal import JSON

extension OIDC {
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    let refreshToken = try request.refreshToken(at: registration.connection)
    let provider = try await providers.metadata(of: registration.connection)
    let form: QueryItems = ["grant_type": "refresh_token", "refresh_token": refreshToken.revealedText]
    var call = Dialer.Call.refresh(form, at: provider.tokenEndpoint, request)
    try call.authenticate(registration, by: provider.tokenAuthentication)
    return UpstreamAnswer(try await dialer.send(call, for: registration.connection), askedAt: request.now)
  }

  /// Reads the answer; an ID token in it must belong to the same person (OpenID Connect Core §12.2).
  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    try Self.read(answer, replacing: old, registration.connection)
  }

  /// Pure: what the answer of a refresh means.
  static func read(
    _ answer: UpstreamAnswer, replacing old: UpstreamTokens, _ connection: Connection
  ) throws(UpstreamFailure) -> UpstreamTokens {
    try answer.read { () throws(UpstreamFailure) in
      let json = try ProviderAnswer.object(
        status: answer.status, body: answer.body.revealed, retryAfter: answer.retryAfter, host: connection.origin)
      let newer = try TokenAnswer(json, host: connection.origin)
      if let before = old.idToken, let after = newer.idToken, IDTokenContinuity.isBroken(from: before, to: after) {
        throw .refused("\(connection.origin) answered a refresh with another person's tokens.")
      }
      return old.replaced(by: newer.tokens(askedAt: answer.askedAt))
    }
  }

  /// Revokes the refresh token, then the access token (RFC 7009 §2.1).
  ///
  /// A provider that cannot revoke access tokens lets them expire; that alone does not make the outcome `unsupported`.
  public func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome {
    let provider = try await providers.metadata(of: registration.connection)
    guard let endpoint = provider.revocationEndpoint else { return .unsupported }
    var outcomes: [RevocationOutcome] = []
    for (token, hint) in [(tokens.refreshToken, "refresh_token"), (tokens.accessToken, "access_token")] {
      guard let token else { continue }
      let form: QueryItems = ["token": token.revealedText, "token_type_hint": hint]
      var call = Dialer.Call(url: endpoint, form: form)
      try call.authenticate(registration, by: provider.revocationAuthentication)
      outcomes.append(try Self.outcome(of: try await dialer.send(call, for: registration.connection)))
    }
    return outcomes.first ?? .unsupported
  }

  /// Pure: what a revocation endpoint's answer means (RFC 7009 §2.2).
  static func outcome(of reply: Reply) throws(UpstreamFailure) -> RevocationOutcome {
    if (200...299).contains(reply.status) { return .revoked }
    let failure = ProviderAnswer.failure(
      status: reply.status, body: reply.body, retryAfter: reply.retryAfter, host: reply.host)
    switch failure {
    case .refused: return .unsupported
    default: throw failure
    }
  }
}
