internal import HTTP

extension Portal {
  /// The portal's own cookie, by which a second sign-in is silent.
  static let cookieName = "esri_aopc"

  /// `GET /oauth2/authorize`: a code at once for a browser that is signed in, else the sign-in form.
  mutating func authorize(_ call: Call, _ route: Route) -> Response {
    if let refusal = Response.refusingSharedCookies(at: call.host) { return refusal }
    do throws(AuthorizeRefusal) {
      let request = try authorizeRequest(call)
      let isForced = call.parameters["force_login"]?.lowercased() == "true"
      if !isForced, let user = call.cookie.flatMap({ browsers[$0] }) {
        return .redirect(to: redirectWithCode(request, for: user, at: call.now))
      }
      let form = randomName()
      forms[form] = request
      sweepNowAndThen(at: call.now)
      return .page(
        .signIn(
          Page.SignIn(
            action: route.context + "/sharing/rest/oauth2/signin", formID: form, clientID: request.clientID,
            userName: call.parameters["prepopulatedusername"] ?? "")))
    } catch {
      return .refusing(error)
    }
  }

  /// `POST /oauth2/signin`: the form comes back.
  mutating func signIn(_ call: Call, _ route: Route) -> Response {
    if let refusal = Response.refusingSharedCookies(at: call.host) { return refusal }
    guard call.request.method == .post, let form = call.parameters["oauth_state"], let request = forms[form],
      request.expiresAt > call.now
    else { return .page(.refusal("This sign-in form is no longer valid."), status: .badRequest) }
    if call.parameters["action"] == "cancel" {
      forms[form] = nil
      return .refusing(
        .redirected(
          to: request.redirectURI, error: "access_denied",
          description: "The user denied your request.", state: request.state))
    }
    let name = call.parameters["username"] ?? ""
    guard checkPassword(call.parameters["password"] ?? "", of: name, at: call.now) else {
      return .page(
        .signIn(
          Page.SignIn(
            action: route.context + "/sharing/rest/oauth2/signin", formID: form, clientID: request.clientID,
            userName: name, hasFailed: true)))
    }
    forms[form] = nil
    return remember(name, in: .redirect(to: redirectWithCode(request, for: name, at: call.now)), call)
  }

  /// `GET /oauth2/signout`: forgets the browser, and sends it on to a place of the app's or a page.
  ///
  /// Revokes no token, as the real one does not.
  mutating func signOut(_ call: Call) -> Response {
    if let refusal = Response.refusingSharedCookies(at: call.host) { return refusal }
    if let cookie = call.cookie { browsers[cookie] = nil }
    let target = call.parameters["redirect_uri"]
    var response: Response
    if let target, isRegisteredOrigin(of: target, for: call.parameters["client_id"]) {
      response = .redirect(to: target)
    } else {
      response = .page(.signedOut)
    }
    response.setCookie(nil, isSecure: call.request.isSecure)
    return response
  }

  private mutating func redirectWithCode(_ request: AuthorizeRequest, for user: String, at now: Moment) -> String {
    let code = randomName()
    codes[code] = IssuedCode(request: request, user: user, expiresAt: now.adding(seconds: Lifetime.code))
    let items: QueryItems = ["code": code, "state": request.state]
    return items.appended(to: request.redirectURI)
  }

  private mutating func remember(_ user: String, in response: Response, _ call: Call) -> Response {
    if let former = call.cookie { browsers[former] = nil }
    let cookie = randomName()
    browsers[cookie] = user
    var response = response
    response.setCookie(cookie, isSecure: call.request.isSecure)
    return response
  }

  /// Whether an app, or any when none is named, has a redirect URI at the same scheme, host and port.
  private func isRegisteredOrigin(of uri: String, for clientID: String?) -> Bool {
    let clients = clientID.map { id in configuration.clients.filter { $0.id == id } } ?? configuration.clients
    guard let origin = URLParts(uri)?.origin else { return false }
    return clients.contains { $0.redirectURIs.contains { URLParts($0)?.origin == origin } }
  }
}

extension Response {
  static func refusing(_ refusal: AuthorizeRefusal) -> Response {
    switch refusal {
    case .shown(let reason): .page(.refusal(reason), status: .badRequest)
    case .redirected(let uri, let error, let description, let state):
      .redirect(to: errorItems(error, description, state).appended(to: uri))
    }
  }

  private static func errorItems(_ error: String, _ description: String, _ state: String?) -> QueryItems {
    ["error": error, "error_description": description, "state": state]
  }

  /// The refusal of a browser that came by the host `localhost`.
  ///
  /// Cookies know no ports: there the browser would mix this portal's with those of a Gatehouse beside it.
  static func refusingSharedCookies(at host: CalledHost) -> Response? {
    guard host.name == "localhost" else { return nil }
    let page = Page(
      title: "Another host name is needed",
      content: """
        <p class="error" role="alert">The simulator does not sign anyone in on the host <code>localhost</code>, \
        because a browser would share its cookies with other programs there.</p>
        <p>Call it <code>\(host.origin(ofHost: "127.0.0.1"))</code> or \
        <code>\(host.origin(ofHost: CalledHost.portal))</code> instead.</p>
        """)
    return .page(page, status: 421)
  }

  /// Sets a cookie, the portal's unless another is named, or ends it when `value` is `nil`.
  mutating func setCookie(_ value: String?, named name: String = Portal.cookieName, isSecure: Bool) {
    var attributes = SetCookie.Attributes()
    attributes.isSecure = isSecure
    if value == nil { attributes.maxAge = 0 }
    if let cookie = SetCookie(name, value ?? "", attributes) { headers.add(cookie) }
  }
}

extension Call {
  /// The portal's cookie, if the browser has it.
  fileprivate var cookie: String? { Cookies(request.headers)[Portal.cookieName] }
}
