internal import Crypto
internal import JSON

extension Portal {
  /// `/oauth2/token`: every grant the portal offers.
  mutating func token(_ call: Call) throws(PortalError) -> JSONValue {
    let fields = call.parameters
    guard let grant = fields["grant_type"] else { throw .invalidRequest("grant_type not specified") }
    guard let id = fields["client_id"] else { throw .invalidRequest("client_id not specified") }
    guard let client = configuration.client(id) else { throw .invalidClient }
    // Only client_credentials needs the secret; one that is sent must fit all the same.
    if let secret = fields["client_secret"], secret != client.secret { throw .invalidRequest("Invalid client_secret") }
    switch grant {
    case "authorization_code": return try redeemCode(call, client)
    case "refresh_token": return try refresh(call, client)
    case "exchange_refresh_token": return try exchange(call, client)
    case "client_credentials": return try mintForApp(call, client)
    default: throw .oauth("unsupported_grant_type", "Invalid grant_type")
    }
  }

  private mutating func redeemCode(_ call: Call, _ client: SimulatedClient) throws(PortalError) -> JSONValue {
    let fields = call.parameters
    guard let name = fields["code"] else { throw .invalidRequest("code not specified") }
    guard let redirectURI = fields["redirect_uri"] else { throw .invalidRequest("redirect_uri not specified") }
    // Whoever presents a code uses it up, also in vain.
    guard let code = codes.removeValue(forKey: name), code.expiresAt > call.now, code.request.clientID == client.id
    else { throw .invalidRequest("Invalid authorization code") }
    guard code.request.redirectURI == redirectURI else { throw .invalidRequest("Invalid redirect_uri") }
    let challenge = fields["code_verifier"].map { Base64URL.encode(SHA256.hash($0)) }
    guard challenge == code.request.challenge else { throw .oauth("invalid_grant", "Invalid code_verifier") }
    let refreshToken = mintRefreshToken(
      user: code.user, clientID: client.id, lifetime: code.request.refreshLifetime, at: call.now)
    return userTokens(from: refreshToken, showsRefreshToken: true, at: call.now)
  }

  private mutating func refresh(_ call: Call, _ client: SimulatedClient) throws(PortalError) -> JSONValue {
    userTokens(from: try refreshToken(call, client), showsRefreshToken: false, at: call.now)
  }

  /// The old refresh token and all its access tokens die; the new one lives as long as the old one was issued for.
  private mutating func exchange(_ call: Call, _ client: SimulatedClient) throws(PortalError) -> JSONValue {
    guard let redirectURI = call.parameters["redirect_uri"] else { throw .invalidRequest("redirect_uri not specified") }
    guard client.redirectURIs.contains(redirectURI) else { throw .invalidRequest("Invalid redirect_uri") }
    let old = try refreshToken(call, client)
    guard let record = refreshTokens[old] else { throw .refreshTokenUnknown }
    endRefreshToken(old)
    let new = mintRefreshToken(user: record.user, clientID: client.id, lifetime: record.lifetime, at: call.now)
    return userTokens(from: new, showsRefreshToken: true, at: call.now)
  }

  private mutating func mintForApp(_ call: Call, _ client: SimulatedClient) throws(PortalError) -> JSONValue {
    guard let secret = call.parameters["client_secret"] else { throw .invalidRequest("client_secret not specified") }
    guard secret == client.secret else { throw .invalidRequest("Invalid client_secret") }
    if call.parameters["apiToken"] != nil { return try regenerateKey(call, client) }
    let asked = Lifetime.clamp(
      call.parameters["expiration"], default: Lifetime.access, longest: Lifetime.longestAccess)
    guard let asked else { throw .invalidRequest("Invalid expiration") }
    let lifetime = accessLifetime(asked)
    let token = mint({ AccessToken(user: nil, clientID: client.id, expiresAt: $0) }, for: lifetime, at: call.now)
    return ["access_token": .string(token), "expires_in": .integer(Int64(lifetime))]
  }

  /// The name of the refresh token presented, which is alive and the app's own.
  private func refreshToken(_ call: Call, _ client: SimulatedClient) throws(PortalError) -> String {
    guard let name = call.parameters["refresh_token"] else { throw .invalidRequest("refresh_token not specified") }
    guard let token = refreshTokens[name], token.clientID == client.id else { throw .refreshTokenUnknown }
    guard token.expiresAt > call.now else { throw .refreshTokenExpired }
    return name
  }

  private mutating func userTokens(from name: String, showsRefreshToken: Bool, at now: Moment) -> JSONValue {
    guard let refreshToken = refreshTokens[name] else { return PortalError.refreshTokenUnknown.json }
    let lifetime = accessLifetime(Lifetime.userAccess)
    let access = mint(
      {
        AccessToken(user: refreshToken.user, clientID: refreshToken.clientID, expiresAt: $0, refreshToken: name)
      }, for: lifetime, at: now)
    var members: [JSONValue.Member] = [
      .init("access_token", .string(access)), .init("expires_in", .integer(Int64(lifetime))),
      .init("username", .string(refreshToken.user)), .init("ssl", true),
    ]
    if showsRefreshToken {
      members.append(.init("refresh_token", .string(name)))
      if configuration.reportsRefreshLifetime {
        let remaining = refreshToken.expiresAt.seconds(since: now)
        members.append(.init("refresh_token_expires_in", .integer(Int64(remaining))))
      }
    }
    return .object(members)
  }
}
