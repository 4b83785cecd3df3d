public import Domain
internal import HTTP
internal import JSON

/// People of an ArcGIS portal or a stand-alone ArcGIS Server, by `generateToken` with their user name and password
/// (`token`).
///
/// Nothing that it gives can be revoked. Tokens are bound to a `Referer`, so that one that leaks alone is of no use.
public struct GenerateToken: FormKind {
  let dialer: Dialer
  /// Whose answers stand for the portal's when it is looked at.
  var layers = LayersInFront(hasProxy: false, hasNetwork: false)

  init(dialer: Dialer) { self.dialer = dialer }

  public func connect(
    _ typed: TypedCredential, referer: String, _ registration: Registration, now: Timestamp
  ) async throws(ConnectFailure) -> SignedIn {
    guard case .login(let login, let isKept) = typed else {
      throw .upstream(.misconfigured("This kind takes a user name and password."))
    }
    let connection = registration.connection
    var call = Dialer.Call(url: connection.tokenURL, form: Self.form(login, referer: referer, connection))
    call.limit = UpstreamAnswer.maximumBytes
    // A second copy of a wrong password would count as a second one.
    call.isPrecious = true
    var tokens: UpstreamTokens
    do {
      try await registration.pass(&call)
      let reply = try await dialer.send(call, for: connection)
      if let failure = Self.refusal(in: reply) { throw failure }
      tokens = try Self.tokens(in: try reply.portalObject(), host: reply.host, now: now)
    } catch let failure as ConnectFailure {
      throw failure
    } catch let failure as UpstreamFailure {
      throw .upstream(failure)
    } catch { throw .upstream(.invalidAnswer("The answer could not be read.")) }
    tokens.referer = referer
    if isKept { tokens.login = login }
    let identity = try await identity(of: login.username, tokens, registration)
    return SignedIn(tokens: tokens, identity: identity, provenName: nil)
  }

  /// Makes another token with the login that the person let us keep; never with any other, and never twice.
  public func requestRefresh(
    _ request: RefreshRequest, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamAnswer {
    let connection = registration.connection
    guard let login = request.tokens.login, let referer = request.tokens.referer else {
      throw .refused("No password is kept for \(connection.origin).")
    }
    let form = Self.form(login, referer: referer, connection)
    var call = Dialer.Call.refresh(form, at: connection.tokenURL, request)
    try await registration.pass(&call)
    let reply = try await dialer.send(call, for: connection)
    return UpstreamAnswer(reply, askedAt: request.now)
  }

  public func tokens(
    from answer: UpstreamAnswer, replacing old: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> UpstreamTokens {
    let host = registration.connection.origin
    return try answer.read { () throws(UpstreamFailure) in
      let json = try PortalAnswer.object(
        status: answer.status, body: answer.body.revealed, retryAfter: answer.retryAfter, host: host)
      return old.replaced(by: try Self.tokens(in: json, host: host, now: answer.askedAt))
    }
  }

  /// `X-Esri-Authorization`, as for tokens got by OAuth; the `Referer` stands beside it.
  public func headers(
    with token: Secret, for resource: ResourceURL, _ registration: Registration
  ) -> [(name: String, value: Secret)] {
    guard registration.connection.reachesForTokens(resource) else { return [] }
    return [("X-Esri-Authorization", Secret("Bearer \(token.revealedText)"))]
  }

  private static func form(_ login: TypedLogin, referer: String, _ connection: Connection) -> QueryItems {
    [
      "f": "json", "username": login.username, "password": login.password.revealedText, "client": "referer",
      "referer": referer, "expiration": String(max(1, connection.portal.tokenMinutes)),
    ]
  }

  private static func tokens(
    in json: JSONValue, host: String, now: Timestamp
  ) throws(UpstreamFailure) -> UpstreamTokens {
    let made = try OAuthUser.serverToken(in: json, host: host, now: now)
    return UpstreamTokens(accessToken: made.token, accessExpiresAt: made.expiresAt, refreshToken: nil)
  }

  /// Pure: what a refused login means; `nil` for an answer that is something else.
  ///
  /// By known words, since ArcGIS answers everything with 400 and most with the same sentence.
  static func refusal(in reply: Reply) -> ConnectFailure? {
    guard let error = PortalAnswer.json(reply.body).flatMap({ PortalError(in: $0) }), reply.status < 500,
      reply.status != 429, [400, 401, 403].contains(error.code), !PortalAnswer.isAboutRegistration(error)
    else { return nil }
    let words = error.text.lowercased()
    let text = "\(reply.host) answered error \(error.code ?? 0): \(error.text)"
    func says(_ marks: [String]) -> Bool { marks.contains { words.contains($0) } }
    if says(["locked", "lockout", "too many"]) { return .accountLocked(text) }
    if says([
      "saml", "enterprise login", "organization-specific", "openid connect", "social", "oauth", "multifactor",
      "multi-factor", "two-factor", "mfa", "built-in login",
    ]) {
      return .needsOAuth(text)
    }
    return says(["password", "username", "user name", "credentials"]) ? .wrongPassword(text) : nil
  }
}

// MARK: - Whose the token is

extension GenerateToken {
  /// Uses the token once, which proves that it works and says whose it is: `username`'s, if somebody typed one.
  func identity(
    of username: String?, _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(ConnectFailure) -> UpstreamIdentity {
    let connection = registration.connection
    do {
      guard connection.portal.tokenURL == nil else {
        let username = username ?? ""
        _ = try await ask(connection.origin + "/rest/services?f=json", tokens, registration)
        return UpstreamIdentity(
          connection: connection.id, issuer: connection.origin, subject: "/\(username)", displayName: username)
      }
      let person = try await ask(connection.portalURL("community/self?f=json"), tokens, registration)
      guard let name = person.string("username"), UpstreamText.isName(name),
        username.map({ $0.lowercased() == name.lowercased() }) ?? true
      else {
        throw UpstreamFailure.invalidAnswer("\(connection.origin) does not say that the token is its owner's.")
      }
      return UpstreamIdentity(
        connection: connection.id, issuer: connection.origin, subject: "\(person.string("orgId") ?? "")/\(name)",
        displayName: name)
    } catch let failure as UpstreamFailure {
      guard case .refused(let text) = failure else { throw .upstream(failure) }
      throw .freshTokenRefused(text)
    } catch { throw .upstream(.invalidAnswer("The answer could not be read.")) }
  }

  private func ask(
    _ url: String, _ tokens: UpstreamTokens, _ registration: Registration
  ) async throws(UpstreamFailure) -> JSONValue {
    let connection = registration.connection
    guard let bearer = FieldValue("Bearer \(tokens.accessToken.revealedText)") else {
      throw .invalidAnswer("\(connection.origin) issued a token that cannot be sent.")
    }
    var call = Dialer.Call(url: url)
    call.headers.set("x-esri-authorization", bearer)
    if let referer = tokens.referer.flatMap(FieldValue.init) { call.headers.set("referer", referer) }
    call.limit = PortalAnswer.longest
    try await registration.pass(&call)
    return try await dialer.send(call, for: connection).portalObject()
  }
}

extension Connection {
  /// Where tokens are made with a password.
  var tokenURL: String { portal.tokenURL ?? portalURL("generateToken") }
}
