import Domain
import Storage

/// Answering without a page for somebody who allowed all of it before.
extension DecideConsent {
  private enum Outcome: Sendable {
    case issued
    /// A page has to ask.
    case asks
    /// Another tab has answered.
    case isGone
  }

  /// The answer with the code; `nil` where a page has to ask, and then nothing was written.
  ///
  /// `handle` is that of a request that waits since `createdAt`; without one it is answered at once, before it is kept.
  ///
  /// - Throws: `Refusal` `not_found` when a waiting request has been answered already.
  func answerSilently(
    _ request: AuthorizationRequest, waitingAs handle: TokenHash? = nil, _ signedIn: SignedIn, _ visitor: Visitor,
    at now: Timestamp
  ) async throws -> AuthorizationResponse? {
    // A device is never let in without a page: whoever sent the person here may hold it (RFC 8628 §5.4).
    guard request.prompt?.asksConsent != true, let uri = request.redirectURI else { return nil }
    let code = NewToken()
    let issued = recording(.codeIssued, request, signedIn, visitor, at: now)
    let outcome: Outcome = try await here.store.write { tx in
      guard let (session, account) = try tx.session(signedIn.session.hash), !account.isDisabled,
        try isAllowedBefore(request, returningTo: uri, account, tx)
      else { return .asks }
      if let handle, try !tx.finishAuthorizationRequest(handle, at: now) { return .isGone }
      guard try tx.grant(request, code.hash, in: session, at: now) else { return .isGone }
      try issued(tx)
      return .issued
    }
    switch outcome {
    case .issued: return here.response(to: request, .granted(code: code.secret))
    case .asks: return nil
    case .isGone: throw Self.answeredAlready
    }
  }

  private func isAllowedBefore(
    _ request: AuthorizationRequest, returningTo uri: String, _ account: Account, _ tx: Transaction
  ) throws -> Bool {
    guard let consent = try tx.consent(of: account.id, for: request.client), consent.covers(request),
      let client = try tx.client(request.client), !client.isDisabled, request.isAllowed(for: client),
      client.mayGoOnSilently(to: uri)
    else { return false }
    if let portal = request.scope.arcGISConnections.first, try !tx.holds(portal, for: account.id) { return false }
    // Only services can be allowed and yet give nothing, as long as none is connected.
    guard request.scope.contains(Scope.vend), request.prompt != AuthorizationRequest.Prompt.none else { return true }
    return try !question(request, account, tx).allowsNothingConnected
  }
}
