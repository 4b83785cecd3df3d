import HTTP
import JSON
import Simulator
import Testing

/// One browser or app that calls a simulator without a socket.
struct Caller {
  let simulator: UpstreamSimulator
  var host = "portal.localhost:8090"
  /// The web adaptor's path before `/sharing`.
  var context = ""
  var headers: Headers = []
  var isSecure = false

  init(_ configuration: SimulatorConfiguration = SimulatorConfiguration()) {
    simulator = UpstreamSimulator(configuration)
  }

  func send(_ method: Method, _ path: String, _ query: QueryItems = [:], body: [UInt8] = [], type: FieldValue? = nil)
    async -> Response
  {
    var headers = headers
    if let host = FieldValue(host) { headers.set("host", host) }
    if let type { headers.set("content-type", type) }
    let target = query.appended(to: path)
    return await simulator.respond(
      to: Request(method: method, target: target, path: path, headers: headers, body: body, isSecure: isSecure))
  }

  /// Calls `path` below the portal's `/sharing/rest` and reads its JSON.
  func portal(_ path: String, _ form: QueryItems = [:], _ method: Method = .post) async throws -> JSONValue {
    var form = form
    form.append("f", "json")
    let path = context + "/sharing/rest" + path
    let answer =
      method == .post
      ? await send(method, path, body: form.body, type: "application/x-www-form-urlencoded")
      : await send(method, path, form)
    #expect(answer.status == .ok)
    return try answer.json
  }

  /// Calls `path` below the federated server's `/server/rest`.
  func server(_ path: String, token: String? = nil) async throws -> JSONValue {
    var caller = self
    caller.host = "server.localhost:8090"
    if let token, let value = FieldValue("Bearer \(token)") { caller.headers.set("x-esri-authorization", value) }
    return try await caller.send(.get, "/server/rest" + path, ["f": "json"]).json
  }

  /// Calls one of the simulator's switches.
  @discardableResult
  func control(_ method: Method, _ path: String, _ json: JSONValue? = nil) async throws -> JSONValue {
    try await send(method, path, body: json?.encoded() ?? [], type: "application/json").json
  }

  // MARK: Signing in

  static let redirectURI = "http://localhost:8080/callback/demo"
  /// The pair of RFC 7636 appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  /// Opens the sign-in page; `changes` replace fields of a valid request, an empty value removes one.
  func authorize(_ changes: [String: String] = [:]) async -> Response {
    let valid = [
      "client_id": "gatehouse-demo", "response_type": "code", "redirect_uri": Self.redirectURI, "state": "a b&c",
      "code_challenge": Self.challenge, "code_challenge_method": "S256",
    ]
    var query = QueryItems()
    for (name, value) in valid.merging(changes, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key })
    where !value.isEmpty {
      query.append(name, value)
    }
    return await send(.get, context + "/sharing/rest/oauth2/authorize", query)
  }

  /// Sends the form on `page` back.
  func submit(
    _ page: Response, user: String = "ana", password: String = "correct horse battery", action: String = "signin"
  )
    async throws -> Response
  {
    let page = try page.text
    let formID = try #require(page.attribute("value", after: "name=\"oauth_state\""))
    let form: QueryItems = [
      "oauth_state": formID, "username": user,
      "password": password, "action": action,
    ]
    return await send(
      .post, try #require(page.attribute("action", after: "<form")), body: form.body,
      type: "application/x-www-form-urlencoded")
  }

  /// A fresh code for `user`.
  func code(for user: String = "ana", _ changes: [String: String] = [:]) async throws -> String {
    try #require(try await submit(await authorize(changes), user: user).query?["code"])
  }

  /// The answer to a code, right unless `changes` says otherwise.
  func redeem(
    _ code: String, verifier: String? = verifier, redirectURI: String? = redirectURI, client: String = "gatehouse-demo"
  )
    async throws -> JSONValue
  {
    try await portal(
      "/oauth2/token",
      [
        "grant_type": "authorization_code", "client_id": client, "code": code, "redirect_uri": redirectURI,
        "code_verifier": verifier,
      ])
  }

  /// The tokens of a fresh sign-in.
  func tokens(for user: String = "ana", _ changes: [String: String] = [:]) async throws -> Tokens {
    try Tokens(try await redeem(try await code(for: user, changes)))
  }

  func refresh(_ token: String, client: String = "gatehouse-demo") async throws -> JSONValue {
    try await portal("/oauth2/token", ["grant_type": "refresh_token", "client_id": client, "refresh_token": token])
  }

  func exchange(_ token: String, redirectURI: String? = redirectURI) async throws -> JSONValue {
    try await portal(
      "/oauth2/token",
      [
        "grant_type": "exchange_refresh_token", "client_id": "gatehouse-demo", "refresh_token": token,
        "redirect_uri": redirectURI,
      ])
  }

  /// A token for the federated server.
  func serverToken(_ token: String, for url: String = "http://server.localhost:8090/server") async throws -> JSONValue {
    try await portal("/generateToken", ["request": "getToken", "token": token, "serverUrl": url])
  }

  /// The code of the error with which `token` is met at the portal; `nil` when it is good.
  func refusal(of token: String) async throws -> Int64? {
    try await portal("/community/self", ["token": token])["error"]?.integer("code")
  }
}

/// An access and a refresh token.
struct Tokens: Sendable {
  let access: String
  let refresh: String

  init(_ json: JSONValue) throws {
    access = try #require(json.string("access_token"))
    refresh = try #require(json.string("refresh_token"))
  }
}
