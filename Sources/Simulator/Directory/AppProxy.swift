internal import Crypto
internal import HTTP
internal import JOSE
internal import JSON

extension Directory {
  /// App Proxy's cookie for browsers.
  static let proxyCookieName = "AzureAppProxyAccessCookie"
  private static let stateMark = (start: "AppProxyState:", end: "#EndOfStateParam#")

  /// What App Proxy answers in place of the app behind it; `nil` for a call that it lets through.
  ///
  /// It takes a person's token in `Authorization: Bearer` or a browser's cookie, and sends everybody else to the
  /// directory by 302, never 401.
  mutating func intercept(_ call: Call) -> Response? {
    if let token = call.proxyToken {
      return isGood(token, call) ? nil : askForSignIn(call, isRetry: true)
    }
    if let cookie = call.proxyCookie, proxyBrowsers[cookie] != nil { return nil }
    if let state = call.parameters["state"], state.hasPrefix(Self.stateMark.start) { return welcome(call, state) }
    return askForSignIn(call, isRetry: false)
  }

  private func isGood(_ token: String, _ call: Call) -> Bool {
    let claims: JWTClaims
    do {
      claims = try JWTClaims(JWS(parsing: token).payload(verifiedBy: JWKSet(keys.map(\.jwk)), allowing: [.rs256]))
    } catch { return false }
    let now = call.now.milliseconds / 1_000
    guard claims.timeFailure(now: now, leeway: 0, maximumAge: nil) == nil, claims.issuer == Self.issuer(call.host),
      let audience = claims.audiences?.first, configuration.client(audience) != nil
    else { return false }
    // Only people may pass.
    return claims.json.string("idtyp") != "app" && claims.json.string("oid") != nil
  }

  private func askForSignIn(_ call: Call, isRetry: Bool) -> Response {
    let original = call.host.origin + call.request.target
    let state: JSONValue = ["InvalidTokenRetry": isRetry ? true : .null, "OriginalRawUrl": .string(original)]
    let text = String(decoding: state.encoded(), as: UTF8.self)
    let items: QueryItems = [
      "response_type": "code", "client_id": Self.proxyClientID, "scope": "openid", "nonce": Portal.randomName(),
      "redirect_uri": call.host.origin + "/", "state": Self.stateMark.start + text + Self.stateMark.end,
    ]
    return .redirect(to: items.appended(to: "\(Self.base(call.host))/\(Self.tenantID)/oauth2/authorize"))
  }

  /// A browser comes back from the directory: it gets a cookie and goes on to where it wanted to go.
  private mutating func welcome(_ call: Call, _ state: String) -> Response {
    guard let name = call.parameters["code"], let code = codes[name], !code.isUsed, code.expiresAt > call.now,
      code.request.clientID == Self.proxyClientID, code.request.state == state,
      let original = Self.originalURL(in: state), URLParts(original)?.origin == URLParts(call.host.origin)?.origin
    else { return askForSignIn(call, isRetry: true) }
    codes[name]?.isUsed = true
    let cookie = Portal.randomName()
    proxyBrowsers[cookie] = code.user
    var response = Response.redirect(to: original)
    response.setCookie(cookie, named: Self.proxyCookieName, isSecure: call.request.isSecure)
    return response
  }

  private static func originalURL(in state: String) -> String? {
    guard let end = state.firstRange(of: stateMark.end)?.lowerBound else { return nil }
    let text = state[state.index(state.startIndex, offsetBy: stateMark.start.count)..<end]
    do { return try JSONValue(parsing: Array(text.utf8)).string("OriginalRawUrl") } catch { return nil }
  }
}

extension Call {
  fileprivate var proxyCookie: String? { Cookies(request.headers)[Directory.proxyCookieName] }
}
