import Domain
import Flows
import HTTP
import Pages

/// The sign-in of apps that ask their person for a user name and a password themselves, which takes app passwords alone.
///
/// Programs read its page and send the form of that; a code stands on another page.
struct ArcGISPasswordSignIn: Sendable {
  private let desk: Desk

  init(_ desk: Desk) { self.desk = desk }

  /// The page for what an app asks of `oauth2/authorize`; `nil` for what a browser is to do at our own pages.
  ///
  /// - Throws: `Refusal`, with words in it that apps look for.
  func page(_ query: Form, _ face: ArcGISFace, _ call: Call) async throws -> Response? {
    guard let name = query.nonEmpty("client_id"), let redirectURI = query.nonEmpty("redirect_uri") else { return nil }
    let isFixed = ArcGISFace.fixedClients.contains(name)
    guard isFixed || redirectURI == ArcGISFace.outOfBand else { return nil }
    guard try await desk.here.appPasswordClient(named: name, at: face) != nil else {
      if isFixed { throw Refusal(.invalidClient, "Error: Invalid client_id. \(Self.off(face))") }
      return nil
    }
    guard redirectURI == ArcGISFace.outOfBand || isFixed && face.isAddress(redirectURI) else {
      throw Refusal(.invalidRequest, "Invalid redirect_uri. Apps of \(name) come back to \(face.root)")
    }
    let wish: ArcGISSignInState.Wish
    switch query["response_type"] {
    case "token" where isFixed && redirectURI != ArcGISFace.outOfBand: wish = .token
    case "token" where isFixed: throw Refusal(.invalidRequest, "Invalid redirect_uri. A token is not shown on a page.")
    case "code": wish = .code
    default: throw Refusal(.unsupportedResponseType, "Only response_type code is offered.")
    }
    let state = ArcGISSignInState(
      wish, client: name, redirectURI: redirectURI, state: try Self.state(query), challenge: try Self.challenge(query),
      lasts: try ArcGISAuthorize.lasts(query.nonEmpty("expiration")),
      expiresAt: desk.here.clock.now() + AuthorizationRequest.lifetime)
    return try page(
      state.text(at: face, desk.here), username: query["prepopulatedusername"] ?? "", face, call,
      inBrowser: redirectURI == ArcGISFace.outOfBand ? Self.inBrowser(query, face) : nil)
  }

  /// Leads to our own pages in place of a password, and from there to the page from which the code is read.
  private static func inBrowser(_ query: Form, _ face: ArcGISFace) -> String {
    var items = QueryItems()
    for field in query.fields where field.name != inBrowserField { items.append(field.name, field.value) }
    items.append(inBrowserField, "1")
    return items.appended(to: "\(face.sharing)/oauth2/authorize")
  }

  /// What the link of the page adds.
  private static let inBrowserField = "in_browser"

  /// The client of an app whose person wants to sign in at our own pages and read the code from one; `nil` for any other
  /// request.
  func clientOfReadCode(_ query: Form, _ face: ArcGISFace) async throws -> Client? {
    guard query[Self.inBrowserField] == "1", query["redirect_uri"] == ArcGISFace.outOfBand else { return nil }
    return try await desk.here.appPasswordClient(named: query.nonEmpty("client_id"), at: face)
  }

  static func off(_ face: ArcGISFace) -> String {
    "Passwords typed into apps are not taken here, unless an administrator allows app passwords for this portal. "
      + "Sign in by OAuth: \(face.sharing)/oauth2/authorize"
  }

  private static func state(_ query: Form) throws(Refusal) -> String? {
    let state = query.nonEmpty("state")
    guard state.map({ $0.utf8.count <= AuthorizationRequest.maximumStateBytes }) ?? true else {
      throw Refusal(.invalidRequest, "state is longer than \(AuthorizationRequest.maximumStateBytes) bytes.")
    }
    return state
  }

  private static func challenge(_ query: Form) throws(Refusal) -> String? {
    guard let challenge = query.nonEmpty("code_challenge") else { return nil }
    guard query["code_challenge_method"] == "S256", AuthorizationRequest.isChallenge(challenge) else {
      throw Refusal(.invalidRequest, "Only code_challenge_method S256 is offered.")
    }
    return challenge
  }

  /// What the form of the page sends: a redirect with a token or a code, or the page again.
  func signIn(_ arcGIS: ArcGISCall) async throws -> Response {
    let (face, here, form) = (arcGIS.face, desk.here, arcGIS.parameters)
    guard face.connection.appPasswordClient != nil else { throw Self.refusal(face) }
    guard arcGIS.call.request.method == .post, arcGIS.query["password"] == nil else {
      throw ArcGISError(400, "Send user name and password by POST, so that no log keeps them.")
    }
    guard let text = form["oauth_state"], let asked = ArcGISSignInState(text, at: face, here) else {
      throw ArcGISError(400, "oauth_state is missing, was changed or has expired. Begin again.")
    }
    guard let client = try await here.appPasswordClient(named: asked.client, at: face) else { throw Self.refusal(face) }
    let username = form["username"] ?? ""
    do {
      let password = try await AuthenticateAppPassword(here)(
        .init(username: username, password: Secret(form["password"] ?? "")), of: client, at: face, arcGIS.call.visitor)
      return try Self.found(try await target(asked, password, client, arcGIS))
    } catch let refusal as Refusal where [.invalidGrant, .slowDown].contains(refusal.code) {
      arcGIS.call.log(refusal, here.log)
      return try page(text, username: username, face, arcGIS.call, refusal)
    }
  }

  static func refusal(_ face: ArcGISFace) -> ArcGISError {
    ArcGISError(400, "Unable to generate token.", details: [off(face)])
  }

  private func target(
    _ asked: ArcGISSignInState, _ password: AppPassword, _ client: Client, _ arcGIS: ArcGISCall
  ) async throws -> String {
    let (face, visitor, signIn) = (arcGIS.face, arcGIS.call.visitor, SignInWithAppPassword(desk.here))
    switch asked.wish {
    case .token:
      let (token, claims) = try await signIn.token(
        password, client, boundTo: nil, lifetime: asked.lasts ?? AccessToken.longestArcGISLifetime, visitor)
      let fragment: QueryItems = [
        "access_token": token.revealedText, "expires_in": "\(claims.expiresAt - claims.issuedAt)", "state": asked.state,
        "username": try await desk.here.portalUsername(of: password.account, at: face), "ssl": "true",
        "token_type": "bearer",
      ]
      return "\(asked.redirectURI)#\(fragment.encoded)"
    case .code:
      let code = try await signIn.code(
        password, for: .init(redirectURI: asked.redirectURI, challenge: asked.challenge, lasts: asked.lasts), visitor)
      let query: QueryItems = ["code": code.revealedText, "state": asked.state]
      let isShown = asked.redirectURI == ArcGISFace.outOfBand
      return query.appended(to: isShown ? face.approval : asked.redirectURI)
    }
  }

  /// As ArcGIS redirects, which some apps look for.
  private static func found(_ target: String) throws -> Response {
    var response = try Response.seeOther(target)
    response.status = .found
    return response
  }

  private func page(
    _ state: String, username: String, _ face: ArcGISFace, _ call: Call, _ refusal: Refusal? = nil,
    inBrowser: String? = nil
  ) throws -> Response {
    let isSlowed = refusal?.code == .slowDown
    let slots: PageContext.Object = [
      "oauth_state": .text(state), "id": .text(ifAny: try call.faceID()?.text),
      "service": .text(face.connection.name), "username": .text(String(username.prefix(Self.longestShownName))),
      "app_passwords_url": .url("\(desk.here.issuer)\(AllowedAppsEndpoint.path)"),
      "refused": .flag(refusal != nil), "slowed": .flag(isSlowed),
      "in_browser_url": inBrowser.map(PageContext.url) ?? .none,
    ]
    var response = try desk.page(.arcGISSignIn, slots, call, status: isSlowed ? 429 : .ok)
    if let seconds = refusal?.retryAfter { response.headers.set("retry-after", FieldValue(seconds)) }
    return response
  }

  private static let longestShownName = 128

  /// The page from which a code is read.
  func approval(_ call: Call) async throws -> Response {
    guard let face = try await desk.here.arcGISFace(try call.faceID()) else { throw ArcGISAuthorize.noPortal }
    let query = try call.query()
    if query["error"] != nil { throw Refusal(.accessDenied, "Nothing was allowed. You can close this page.") }
    guard let code = query.nonEmpty("code"), try await desk.here.isWaiting(code: code, at: face) else {
      throw Refusal(.notFound, "The code has expired, or was used. Go back to the app and begin again.")
    }
    return try desk.page(.arcGISApproval, ["code": .text(code), "service": .text(face.connection.name)], call)
  }
}
