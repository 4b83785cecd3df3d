internal import HTTP
internal import JSON

extension Portal {
  /// `POST /generateToken`: a portal token for a name and password, or a server token for a portal token.
  mutating func generateToken(_ call: Call) throws(PortalError) -> JSONValue {
    guard call.request.method == .post else {
      throw PortalError(code: 405, message: "This method is not supported.", details: ["Only POST is supported."])
    }
    let asked = Lifetime.clamp(
      call.parameters["expiration"], default: Lifetime.access, longest: Lifetime.longestAccess)
    guard let asked else { throw .noToken("'expiration' must be a number of minutes.") }
    let lifetime = accessLifetime(asked)
    let serverURL = call.parameters["serverUrl"] ?? call.parameters["serverURL"]
    if let serverURL { return try serverToken(call, for: serverURL, lifetime: lifetime) }
    let binding = try binding(call)
    let user = try userWithPassword(call)
    return answer(
      mint({ AccessToken(user: user, clientID: nil, expiresAt: $0, binding: binding) }, for: lifetime, at: call.now),
      until: call.now.adding(seconds: lifetime))
  }

  private mutating func userWithPassword(_ call: Call) throws(PortalError) -> String {
    guard let user = call.parameters["username"] else { throw .noToken("'username' must be specified.") }
    guard let password = call.parameters["password"] else { throw .noToken("'password' must be specified.") }
    guard checkPassword(password, of: user, at: call.now) else { throw .noToken("Invalid username or password.") }
    return user
  }

  private mutating func serverToken(
    _ call: Call, for url: String, lifetime: Int
  ) throws(PortalError) -> JSONValue {
    guard call.parameters["token"] != nil || call.token != nil else {
      throw .noToken("Unable to get token from request or cookie.")
    }
    guard let holder = try holder(of: call, at: .portal) else { throw .invalidToken }
    guard let root = call.host.federatedRoot(of: url) else {
      throw .noToken("'serverUrl' does not belong to a server federated with this portal.")
    }
    let binding = try binding(call)
    let token = mint(
      {
        AccessToken(
          audience: .server(root), user: holder.user, clientID: holder.clientID, expiresAt: $0,
          refreshToken: holder.refreshToken, binding: binding)
      }, for: lifetime, at: call.now)
    return answer(token, until: call.now.adding(seconds: lifetime))
  }

  /// What `client`, `referer` and `ip` bind the token to.
  private func binding(_ call: Call) throws(PortalError) -> AccessToken.Binding {
    switch call.parameters["client"] {
    case nil: return .none
    case "referer":
      guard let referer = call.parameters["referer"] else { throw .noToken("'referer' must be specified.") }
      return .referer(referer)
    case "ip":
      guard let address = call.parameters["ip"] else { throw .noToken("'ip' must be specified.") }
      return .address(address)
    case "requestip": return .address(call.request.remoteAddress)
    default: throw .noToken("'client' must be referer, ip or requestip.")
    }
  }

  private func answer(_ token: String, until expiry: Moment) -> JSONValue {
    ["token": .string(token), "expires": .integer(expiry.milliseconds), "ssl": true]
  }
}
