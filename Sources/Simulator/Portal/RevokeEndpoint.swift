internal import JSON

extension Portal {
  /// `/oauth2/revokeToken`: success also for what is unknown, of another app, or not revocable.
  ///
  /// A refresh token takes its access tokens along, not the other way round.
  mutating func revokeToken(_ call: Call) throws(PortalError) -> JSONValue {
    guard let name = call.parameters["auth_token"] else { throw .invalidRequest("auth_token not specified") }
    guard let id = call.parameters["client_id"] else { throw .invalidRequest("client_id not specified") }
    guard let client = configuration.client(id) else { throw .invalidClient }
    if let token = refreshTokens[name], token.clientID == client.id {
      endRefreshToken(name)
    } else if let token = accessTokens[name], token.clientID == client.id, token.isRevocable {
      accessTokens[name] = nil
    }
    return ["success": true]
  }
}
