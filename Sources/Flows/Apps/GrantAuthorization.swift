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
    if request.isReadFromPage, let portal = request.scope.arcGISConnections.first {
      let page = ArcGISFace.approval(at: "\(issuer)/\(portal)")
      switch decision {
      case .granted(let code): return "\(page)?code=\(code.revealedText)"
      case .refused(let refusal): return "\(page)?error=\(refusal.code.rawValue)"
      }
    }
    return ordinaryURL(of: decision, for: request)
  }

  private func ordinaryURL(of decision: Decision, for request: AuthorizationRequest) -> String {
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
