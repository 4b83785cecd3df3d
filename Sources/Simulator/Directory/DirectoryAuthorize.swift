internal import HTTP

extension Directory {
  /// The directory's own cookie, by which a second sign-in is silent.
  static let cookieName = "ESTSAUTH"
  private static let formLifetime = 3_600
  private static let codeLifetime = 600

  /// `GET /TENANT/oauth2/v2.0/authorize`: a code at once for a browser that is signed in, else the sign-in form.
  mutating func authorize(_ call: Call, _ tenant: String) -> Response {
    let fields = call.parameters
    guard let client = fields["client_id"].flatMap(configuration.client) else { return .showing(.unknownClient) }
    guard let redirectURI = fields["redirect_uri"], client.redirectURIs.contains(redirectURI) else {
      return .showing(.wrongRedirectURI)
    }
    let state = fields["state"]
    func refuse(_ error: String, _ number: Int64, _ text: String) -> Response {
      .returning(DirectoryError(error: error, number: number, text: text), to: redirectURI, state)
    }
    guard fields["response_type"] == "code" else {
      return refuse("unsupported_response_type", 700054, "response_type must be code.")
    }
    guard let scope = fields["scope"]?.split(separator: " ").map(String.init) else {
      return refuse("invalid_request", 900144, "The request must contain the following parameter: 'scope'.")
    }
    guard fields["code_challenge_method"] == "S256", let challenge = fields["code_challenge"],
      challenge.utf8.count == 43
    else { return refuse("invalid_request", 50147, "Invalid size or method of Code_Challenge parameter.") }
    let request = DirectoryRequest(
      clientID: client.id, redirectURI: redirectURI, state: state, nonce: fields["nonce"], challenge: challenge,
      scope: scope, expiresAt: call.now.adding(seconds: Self.formLifetime))
    let user = call.directoryCookie.flatMap { browsers[$0] }
    switch (fields["prompt"], user) {
    case ("none", nil): return refuse("login_required", 50058, "Session information is not sufficient.")
    case ("login", _), ("select_account", _), (_, nil): return ask(request, tenant, fields["login_hint"])
    case (_, .some(let user)): return .redirect(to: redirectWithCode(request, for: user, at: call.now))
    }
  }

  /// `GET /TENANT/oauth2/authorize`: how App Proxy signs a browser in.
  mutating func authorizeProxy(_ call: Call) -> Response {
    let fields = call.parameters
    guard fields["client_id"] == Self.proxyClientID else { return .showing(.unknownClient) }
    let own = call.host.origin(ofHost: CalledHost.proxy)
    let origins = [own] + configuration.published.keys.map { "https://\($0)" }
    guard let target = fields["redirect_uri"],
      origins.contains(where: { URLParts(target)?.origin == URLParts($0)?.origin })
    else {
      return .showing(.wrongRedirectURI)
    }
    let request = DirectoryRequest(
      clientID: Self.proxyClientID, redirectURI: target, state: fields["state"], nonce: fields["nonce"],
      challenge: nil, scope: ["openid"], expiresAt: call.now.adding(seconds: Self.formLifetime))
    guard let user = call.directoryCookie.flatMap({ browsers[$0] }) else { return ask(request, Self.tenantID, nil) }
    return .redirect(to: redirectWithCode(request, for: user, at: call.now))
  }

  private mutating func ask(_ request: DirectoryRequest, _ tenant: String, _ hint: String?) -> Response {
    let form = Portal.randomName()
    forms[form] = request
    return .page(.signIn(Self.form(form, request, tenant, userName: hint ?? "")))
  }

  /// `POST /TENANT/oauth2/v2.0/signin`: the form comes back.
  mutating func signIn(_ call: Call) -> Response {
    guard call.request.method == .post, let form = call.parameters["oauth_state"], let request = forms[form],
      request.expiresAt > call.now
    else {
      return .showing(
        DirectoryError(error: "invalid_request", number: 50089, text: "The authentication flow has expired."))
    }
    if call.parameters["action"] == "cancel" {
      forms[form] = nil
      return .returning(
        DirectoryError(error: "access_denied", number: 65004, text: "User declined to consent to access the app."),
        to: request.redirectURI, request.state)
    }
    let name = call.parameters["username"] ?? ""
    guard let user = configuration.user(named: name), user.password == call.parameters["password"] else {
      return .page(.signIn(Self.form(form, request, Self.tenantID, userName: name, hasFailed: true)))
    }
    forms[form] = nil
    if let former = call.directoryCookie { browsers[former] = nil }
    let cookie = Portal.randomName()
    browsers[cookie] = name
    var response = Response.redirect(to: redirectWithCode(request, for: name, at: call.now))
    response.setCookie(cookie, named: Self.cookieName, isSecure: call.request.isSecure)
    return response
  }

  /// `GET /TENANT/oauth2/v2.0/logout`: forgets the browser, also at App Proxy, and sends it back to a registered place.
  ///
  /// Revokes no token, as the real one does not.
  mutating func signOut(_ call: Call) -> Response {
    if let cookie = call.directoryCookie, let user = browsers.removeValue(forKey: cookie) {
      proxyBrowsers = proxyBrowsers.filter { $0.value != user }
    }
    let target = call.parameters["post_logout_redirect_uri"]
    var response: Response
    if let target, isRegisteredOrigin(of: target) {
      let items: QueryItems = ["state": call.parameters["state"]]
      response = .redirect(to: items.appended(to: target))
    } else {
      response = .page(.signedOut)
    }
    response.setCookie(nil, named: Self.cookieName, isSecure: call.request.isSecure)
    return response
  }

  private mutating func redirectWithCode(_ request: DirectoryRequest, for user: String, at now: Moment) -> String {
    let code = Portal.randomName()
    codes = codes.filter { $0.value.expiresAt > now }
    codes[code] = DirectoryCode(
      request: request, user: user, expiresAt: now.adding(seconds: Self.codeLifetime))
    let items: QueryItems = ["code": code, "state": request.state, "session_state": Portal.randomName()]
    return items.appended(to: request.redirectURI)
  }

  private func isRegisteredOrigin(of uri: String) -> Bool {
    guard let origin = URLParts(uri)?.origin else { return false }
    return configuration.clients.contains { $0.redirectURIs.contains { URLParts($0)?.origin == origin } }
  }

  private static func form(
    _ id: String, _ request: DirectoryRequest, _ tenant: String, userName: String, hasFailed: Bool = false
  ) -> Page.SignIn {
    Page.SignIn(
      action: "/\(tenant)/oauth2/v2.0/signin", formID: id, clientID: request.clientID, userName: userName,
      hasFailed: hasFailed)
  }
}

extension Call {
  fileprivate var directoryCookie: String? { Cookies(request.headers)[Directory.cookieName] }
}

extension Response {
  /// A page: nobody may be redirected to a place that is not registered.
  fileprivate static func showing(_ error: DirectoryError) -> Response {
    .page(.refusal(error.description), status: .badRequest)
  }

  fileprivate static func returning(_ error: DirectoryError, to uri: String, _ state: String?) -> Response {
    let items: QueryItems = ["error": error.error, "error_description": error.description, "state": state]
    return .redirect(to: items.appended(to: uri))
  }
}
