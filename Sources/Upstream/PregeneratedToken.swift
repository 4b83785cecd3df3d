public import Domain
internal import JSON

/// People of an ArcGIS portal, by a token that was made elsewhere (`pregeneratedToken`).
///
/// It is tried once, never renewed, and goes over https alone.
public struct PregeneratedToken: FormKind {
  let generated: GenerateToken

  /// Like a portal for passwords, but never over plain http, and no stand-alone server: that does not say whose a token
  /// is.
  public func inspect(_ draft: Connection) async throws(UpstreamFailure) -> Connection {
    if let address = PortalAddress(draft.origin), !address.url.isHTTPS || draft.reach.allowsHTTP {
      guard address.url.isLoopback, !draft.reach.allowsHTTP else {
        throw .misconfigured("A token that was made elsewhere goes over https alone: enter the portal's https address.")
      }
    }
    let connection = try await generated.inspect(draft)
    guard connection.portal.tokenURL == nil else {
      throw .misconfigured(
        "\(connection.origin) is a stand-alone server, which does not say whose a token is: use the kind token.")
    }
    return connection
  }

  public func connect(
    _ typed: TypedCredential, referer: String, _ registration: Registration, now: Timestamp
  ) async throws(ConnectFailure) -> SignedIn {
    guard case .token(let typed) = typed else { throw .upstream(.misconfigured("This kind takes a token.")) }
    var tokens = UpstreamTokens(
      accessToken: typed.token,
      accessExpiresAt: min(typed.expiresAt, now + TokenAnswer.longestLifetime), refreshToken: nil)
    tokens.referer = typed.referer
    let identity = try await generated.identity(of: nil, tokens, registration)
    return SignedIn(tokens: tokens, identity: identity, provenName: nil)
  }

  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    throw .refused("A token that was made elsewhere cannot be renewed.")
  }

  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    throw .refused("A token that was made elsewhere cannot be renewed.")
  }

  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    guard resource.isHTTPS || resource.isLoopback else { return [] }
    return generated.headers(with: token, for: resource, registration)
  }
}
