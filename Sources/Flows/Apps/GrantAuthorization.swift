import Domain
import Storage

/// What becomes of an authorization request.
enum Decision {
  /// Granted; a client gets the code by way of the browser, a device asks for its tokens itself.
  case granted(code: Secret)
  case refused(Refusal)
}

extension Installation {
  /// What the browser does with a decision: it goes back to the client, or to the page that sends the person to their
  /// device.
  func response(to request: AuthorizationRequest, _ decision: Decision) -> AuthorizationResponse {
    if request.isReadFromPage, let portal = request.scope.arcGISConnections.first {
      let page = ArcGISFace.approval(at: "\(issuer)/\(portal)")
      switch decision {
      case .granted(let code): return .redirect(to: "\(page)?code=\(code.revealedText)")
      case .refused(let refusal): return .redirect(to: "\(page)?error=\(refusal.code.rawValue)")
      }
    }
    switch (request.recipient, decision) {
    case (.client(let redirectURI, let state), .granted(let code)):
      return response(
        with: code, by: WayBack(redirectURI: redirectURI, mode: request.responseMode, state: state))
    case (.client(let redirectURI, let state), .refused(let refusal)):
      return response(
        with: refusal, by: WayBack(redirectURI: redirectURI, mode: request.responseMode, state: state))
    case (.device, .granted): return .redirect(to: "\(issuer)/device?answer=allowed")
    case (.device, .refused): return .redirect(to: "\(issuer)/device?answer=denied")
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
      guard try !request.isReadFromPage || isReadFromPage(request) else { return false }
      let lifetime = request.isReadFromPage ? AuthorizationCode.lifetimeOfReadCode : AuthorizationCode.lifetime
      var row = AuthorizationCode(
        hash: code, client: request.client, account: session.account, session: session.hash, redirectURI: redirectURI,
        scope: request.scope, codeChallenge: request.codeChallenge, openID: request.openID,
        authenticatedAt: session.authenticatedAt, expiresAt: now + lifetime, family: .random())
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

  /// Whether an administrator still lets apps of the client have codes that people read from a page.
  private func isReadFromPage(_ request: AuthorizationRequest) throws -> Bool {
    guard let portal = try request.scope.arcGISConnections.first.flatMap(connection),
      let client = try client(request.client)
    else { return false }
    return portal.appPasswordClient != nil && client.appPasswordObjection(at: portal) == nil
  }
}
