import Domain
import Flows
import HTTP
import JSON

/// Gives out and takes back the tokens of a portal: `oauth2/token`, `oauth2/revokeToken` and `generateToken`.
struct ArcGISTokens: Sendable {
  private let here: Installation

  init(_ here: Installation) { self.here = here }

  func token(_ arcGIS: ArcGISCall) async throws -> Response {
    let grant = arcGIS.parameters.nonEmpty("grant_type")
    let isRefresh = grant == "refresh_token" || grant == "exchange_refresh_token"
    do {
      guard arcGIS.call.request.method == .post else {
        throw Refusal(.invalidRequest, "Send the parameters by POST, so that no log keeps what is secret.")
      }
      let standing = arcGIS.face.connection.appPasswordClient.map { (ArcGISFace.fixedClients, $0) }
      return try await token(arcGIS, try await ClientForm(arcGIS.call, here, standingFor: standing), grant)
    } catch let refusal as Refusal { throw ArcGISError(oauth: refusal, isRefresh: isRefresh) }
  }

  private func token(_ arcGIS: ArcGISCall, _ posted: ClientForm, _ grant: String?) async throws -> Response {
    let (client, visitor, portal) = (posted.client, arcGIS.call.visitor, arcGIS.face.scope)
    guard !client.requiresBoundTokens else {
      throw Refusal(
        .unauthorizedClient, "The tokens of this client are bound to a key, which ArcGIS clients do not know.")
    }
    let binding = binding(of: arcGIS, for: client)
    var tokens: IssuedTokens
    var hasNewRefreshToken = false
    switch grant {
    case "authorization_code":
      hasNewRefreshToken = true
      tokens = try await RedeemCode(here)(
        posted.required("code"), verifier: posted.form.nonEmpty("code_verifier"),
        redirectURI: posted.form.nonEmpty("redirect_uri"), client, at: portal, boundTo: binding, visitor)
    case "refresh_token":
      tokens = try await refresh(posted, portal, binding, .keep, visitor)
    case "exchange_refresh_token":
      hasNewRefreshToken = true
      guard posted.form.nonEmpty("redirect_uri") != nil else {
        throw Refusal(.invalidRequest, "redirect_uri not specified")
      }
      tokens = try await refresh(posted, portal, binding, .exchange, visitor)
    case "client_credentials":
      guard arcGIS.face.connection.kind.isServiceOwned else { throw Self.needsPerson }
      let wish = try arcGIS.seconds("expiration") ?? AccessToken.longestArcGISLifetime
      tokens = try await IssueClientToken(here)(
        portal, client, lifetime: min(wish, AccessToken.longestArcGISLifetime), visitor)
    case nil: throw Refusal(.invalidRequest, "The parameter grant_type is missing.")
    default: throw Refusal(.unsupportedGrantType, "This portal offers no such grant_type.")
    }
    guard tokens.scope == portal else {
      throw Refusal(.invalidGrant, "It was given for something else than this portal.")
    }
    return try await response(to: arcGIS, tokens, withRefreshToken: hasNewRefreshToken)
  }

  private static let needsPerson = Refusal(
    .unauthorizedClient,
    "Behind this portal are people's own sign-ins. For apps that sign in with their secret, an administrator makes a "
      + "connection of the kind oauthApplication.")

  private func refresh(
    _ posted: ClientForm, _ portal: Scope, _ binding: TokenBinding?, _ manner: RefreshTokens.Manner,
    _ visitor: Visitor
  ) async throws -> IssuedTokens {
    try await RefreshTokens(here)(
      Secret(posted.required("refresh_token")), scope: portal, posted.client, boundTo: binding, manner: manner,
      visitor)
  }

  /// Of an app that runs in a browser, its tokens are bound to its page.
  private func binding(of arcGIS: ArcGISCall, for client: Client) -> TokenBinding? {
    guard client.kind == .public, let origin = arcGIS.sender.origin, PageOrigin(origin) != nil else { return nil }
    return .referer(origin)
  }

  private func response(
    to arcGIS: ArcGISCall, _ tokens: IssuedTokens, withRefreshToken isNew: Bool
  ) async throws -> Response {
    let claims = here.verify(tokens.accessToken.revealedText, at: here.clock.now())
    var username: String?
    if let account = claims?.account { username = try await here.portalUsername(of: account, at: arcGIS.face) }
    return .json(
      .ok,
      JSONWriter.object { json in
        json.member("access_token", tokens.accessToken.revealedText)
        json.member("expires_in", tokens.expiresIn)
        json.member("username", ifPresent: username)
        json.member("ssl", true)
        guard isNew, let refreshToken = tokens.refreshToken else { return }
        json.member("refresh_token", refreshToken.revealedText)
        json.member("refresh_token_expires_in", ifPresent: tokens.refreshEnd?.ofToken)
      })
  }

  /// Whoever has a token may end it, for which ArcGIS clients show no secret.
  func revoke(_ arcGIS: ArcGISCall) async throws -> Response {
    guard let text = arcGIS.parameters.nonEmpty("auth_token"), arcGIS.query["auth_token"] == nil else {
      throw ArcGISError(400, "The parameter auth_token is missing from the form.", oauth: "invalid_request")
    }
    do {
      try await RevokeToken(here)(Secret(text), ofClient: arcGIS.parameters.nonEmpty("client_id"), arcGIS.call.visitor)
    } catch let refusal as Refusal { throw ArcGISError(oauth: refusal) }
    return ArcGISAnswer.response(["success": true], arcGIS.format)
  }

  /// A token for what was typed into an app.
  private func generateWithPassword(_ arcGIS: ArcGISCall) async throws -> Response {
    let (face, form, visitor) = (arcGIS.face, arcGIS.parameters, arcGIS.call.visitor)
    guard let client = try await here.appPasswordClient(named: nil, at: face) else {
      throw ArcGISPasswordSignIn.refusal(face)
    }
    guard arcGIS.call.request.method == .post, arcGIS.query["password"] == nil else {
      throw ArcGISError(400, "Send user name and password by POST, so that no log keeps them.")
    }
    let (wished, lifetime) = (try wishedBinding(arcGIS), try arcGIS.seconds("expiration"))
    do {
      let password = try await AuthenticateAppPassword(here)(
        .init(username: form["username"] ?? "", password: Secret(form["password"] ?? "")), of: client, at: face,
        visitor)
      let (token, claims) = try await SignInWithAppPassword(here).token(
        password, client, boundTo: wished ?? binding(of: arcGIS, for: client), lifetime: lifetime, visitor)
      return Self.generated(token, claims.expiresAt, arcGIS)
    } catch let refusal as Refusal where refusal.code == .invalidGrant {
      arcGIS.call.log(refusal, here.log)
      throw ArcGISError(
        400, "Unable to generate token.", details: ["Invalid username or password.", refusal.description])
    }
  }

  private static func generated(_ token: Secret, _ expiresAt: Timestamp, _ arcGIS: ArcGISCall) -> Response {
    ArcGISAnswer.response(
      [
        "token": .string(token.revealedText), "expires": .integer(expiresAt.seconds * 1000), "ssl": true,
      ], arcGIS.format)
  }

  /// A token for a server of the portal, got with the portal's.
  func generate(_ arcGIS: ArcGISCall) async throws -> Response {
    if arcGIS.parameters["password"] != nil { return try await generateWithPassword(arcGIS) }
    guard let text = try arcGIS.token() else { throw ArcGISError.tokenRequired }
    let caller = try await AuthenticateArcGISToken(here)(
      text, for: arcGIS.face, from: arcGIS.sender, arcGIS.call.visitor)
    guard let claims = caller.token else {
      throw ArcGISError(400, "Unable to generate token.", details: ["An API key is used as it is."])
    }
    let server = arcGIS.parameters.nonEmpty("serverUrl") ?? arcGIS.parameters.nonEmpty("serverURL")
    if let server, !arcGIS.face.coversServer(server) {
      throw ArcGISError(
        400, "Unable to generate token.", details: ["The server at serverUrl does not belong to the portal."])
    }
    let (token, expiresAt) = try await IssueArcGISToken(here)(
      insteadOf: claims, boundTo: try wishedBinding(arcGIS), lifetime: try arcGIS.seconds("expiration"),
      arcGIS.call.visitor)
    return Self.generated(token, expiresAt, arcGIS)
  }

  /// What the token is to be bound to: `client` is `referer`, `ip` or `requestip`.
  private func wishedBinding(_ arcGIS: ArcGISCall) throws(ArcGISError) -> TokenBinding? {
    switch arcGIS.parameters.nonEmpty("client") {
    case nil: return nil
    case "referer":
      guard let page = arcGIS.parameters.nonEmpty("referer"), page.utf8.count <= 512,
        page.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
      else { throw ArcGISError(400, "client=referer needs referer, a URL of at most 512 characters.") }
      return .referer(page)
    case "requestip": return .address(arcGIS.call.visitor.origin.address)
    case "ip":
      guard let text = arcGIS.parameters.nonEmpty("ip"), let address = IPAddress(text) else {
        throw ArcGISError(400, "client=ip needs ip, the address that requests will come from.")
      }
      return .address(address.description)
    default: throw ArcGISError(400, "client is referer, ip or requestip.")
    }
  }
}
