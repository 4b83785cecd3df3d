import Domain
import Storage

/// What becomes of an authorization request.
enum Decision {
  /// Granted; a client gets the code by way of the browser, a device asks for its tokens itself.
  case granted(code: Secret)
  case refused(Refusal)
}

extension Installation {
  /// Where the browser goes with a decision: back to the client, or to the page that sends the person to their device.
  func url(of decision: Decision, for request: AuthorizationRequest) -> String {
    switch (request.recipient, decision) {
    case (.client(let redirectURI, let state), .granted(let code)):
      AuthorizationResponse(issuer: issuer, redirectURI, state: state).url(code: code)
    case (.client(let redirectURI, let state), .refused(let refusal)):
      AuthorizationResponse(issuer: issuer, redirectURI, state: state).url(refusal: refusal)
    case (.device, .granted): "\(issuer)/device?answer=allowed"
    case (.device, .refused): "\(issuer)/device?answer=denied"
    }
  }
}

extension Transaction {
  /// Stores what an allowed request grants to its client: a code, or that the device may have its tokens.
  ///
  /// - Returns: `false` when the device has its answer already, or has given up.
  func grant(
    _ request: AuthorizationRequest, _ code: TokenHash, in session: BrowserSession, at now: Timestamp
  ) throws -> Bool {
    switch request.recipient {
    case .client(let redirectURI, _):
      var row = AuthorizationCode(
        hash: code, client: request.client, account: session.account, session: session.hash, redirectURI: redirectURI,
        scope: request.scope, codeChallenge: request.codeChallenge, openID: request.openID,
        authenticatedAt: session.authenticatedAt, expiresAt: now + AuthorizationCode.lifetime, family: .random())
      row.dpopKey = request.dpopKey
      row.lasts = request.lasts
      try insert(row)
      return true
    case .device(let device):
      let decider = DeviceAuthorization.Decider(
        account: session.account, session: session.hash, authenticatedAt: session.authenticatedAt)
      return try allow(device, by: decider, at: now)
    }
  }
}
