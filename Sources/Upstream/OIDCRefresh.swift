public import Domain
internal import JSON

extension OIDC {
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    try await endpoints(of: registration).requestRefresh(request, registration)
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
      return old.replaced(by: newer.tokens(askedAt: answer.askedAt, connection.provider.quirks))
    }
  }

  public func revoke(
    _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> RevocationOutcome {
    try await endpoints(of: registration).revoke(tokens, registration)
  }

  /// Pure: what a revocation endpoint's answer means (RFC 7009 §2.2).
  ///
  /// A token that the provider does not know any more is as dead as a revoked one, although some call that an error.
  static func outcome(of reply: Reply) throws(UpstreamFailure) -> RevocationOutcome {
    if (200...299).contains(reply.status) { return .revoked }
    let failure = ProviderAnswer.failure(
      status: reply.status, body: reply.body, retryAfter: reply.retryAfter, host: reply.host)
    switch failure {
    case .refused where ProviderAnswer.errorName(reply.body) == "invalid_token": return .revoked
    case .refused: return .unsupported
    default: throw failure
    }
  }
}
