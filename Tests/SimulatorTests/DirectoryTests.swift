import Crypto
import HTTP
import JOSE
import JSON
import Simulator
import Testing

@Suite("The Entra directory and its App Proxy")
struct DirectoryTests {
  static let tenant = "6f0c1a52-9d3b-4a7e-8c21-5b1d7e3f9a04"
  static let app = SimulatedClient(id: "web-app", redirectURIs: [Caller.redirectURI], secret: "s3cret")
  static let native = SimulatedClient(id: "native-app", redirectURIs: [Caller.redirectURI])

  let caller: Caller

  init() {
    caller = Caller(SimulatorConfiguration(clients: [Self.app, Self.native]))
  }

  private func login(
    _ method: Method, _ path: String, _ fields: QueryItems = [:], cookie: String? = nil
  ) async -> Response {
    await at("login.localhost:8090", method, "/\(Self.tenant)" + path, fields, cookie: cookie)
  }

  private func at(
    _ host: String, _ method: Method, _ path: String, _ fields: QueryItems = [:], bearer: String? = nil,
    cookie: String? = nil
  ) async -> Response {
    var caller = caller
    caller.host = host
    if let bearer, let value = FieldValue("Bearer \(bearer)") { caller.headers.set("authorization", value) }
    if let cookie, let value = FieldValue(cookie) { caller.headers.set("cookie", value) }
    return method == .post
      ? await caller.send(method, path, body: fields.body, type: "application/x-www-form-urlencoded")
      : await caller.send(method, path, fields)
  }

  private func authorize(_ changes: [String: String] = [:], cookie: String? = nil) async -> Response {
    let valid = [
      "client_id": "web-app", "response_type": "code", "redirect_uri": Caller.redirectURI, "state": "a b",
      "scope": "web-app/.default openid profile offline_access", "nonce": "n-1", "code_challenge": Caller.challenge,
      "code_challenge_method": "S256",
    ]
    var query = QueryItems()
    for (name, value) in valid.merging(changes, uniquingKeysWith: { $1 }) where !value.isEmpty {
      query.append(name, value)
    }
    return await login(.get, "/oauth2/v2.0/authorize", query, cookie: cookie)
  }

  private func submit(_ page: Response, password: String = "correct horse battery", action: String = "signin")
    async throws -> Response
  {
    let text = try page.text
    let form: QueryItems = [
      "oauth_state": text.attribute("value", after: "name=\"oauth_state\""), "username": "ana",
      "password": password, "action": action,
    ]
    return await at("login.localhost:8090", .post, try #require(text.attribute("action", after: "<form")), form)
  }

  private func token(_ form: QueryItems) async throws -> (Status, JSONValue) {
    let answer = await login(.post, "/oauth2/v2.0/token", form)
    return (answer.status, try answer.json)
  }

  private func codeForm(_ code: String, verifier: String = Caller.verifier) -> QueryItems {
    [
      "grant_type": "authorization_code", "client_id": "web-app", "client_secret": "s3cret", "code": code,
      "redirect_uri": Caller.redirectURI, "code_verifier": verifier, "scope": "openid",
    ]
  }

  private func code() async throws -> String {
    try #require(try await submit(await authorize()).query?["code"])
  }

  private func tokens() async throws -> JSONValue { try await token(codeForm(try await code())).1 }

  private func claims(_ token: String) async throws -> JSONValue {
    let keys = try JWKSet(parsing: try await login(.get, "/discovery/v2.0/keys").bytes)
    return try JSONValue(parsing: JWS(parsing: token).payload(verifiedBy: keys, allowing: [.rs256]))
  }

  @Test(
    "names its own issuer for the tenant, and a template for all of them",
    arguments: [tenant, "common", "organizations"])
  func discovery(name: String) async throws {
    let path = "/\(name)/v2.0/.well-known/openid-configuration"
    let document = try await at("login.localhost:8090", .get, path).json
    let tid = name == Self.tenant ? Self.tenant : "{tenantid}"
    #expect(document.string("issuer") == "http://login.localhost:8090/\(tid)/v2.0")
    #expect(document.string("token_endpoint") == "http://login.localhost:8090/\(name)/oauth2/v2.0/token")
    let unknown = "/nobody/v2.0/.well-known/openid-configuration"
    #expect(await at("login.localhost:8090", .get, unknown).status == .badRequest)
  }

  @Test("gives an ID token for a person, and a new refresh token each time")
  func signsIn() async throws {
    let first = try await tokens()
    let claims = try await claims(try #require(first.string("id_token")))
    #expect(claims.string("iss") == "http://login.localhost:8090/\(Self.tenant)/v2.0")
    #expect(claims.string("aud") == "web-app" && claims.string("nonce") == "n-1" && claims.string("ver") == "2.0")
    #expect(claims.string("tid") == Self.tenant && claims.string("oid")?.utf8.count == 36)
    let refresh = try #require(first.string("refresh_token"))
    let form: QueryItems = [
      "grant_type": "refresh_token", "client_id": "web-app", "client_secret": "s3cret", "refresh_token": refresh,
      "scope": "openid offline_access",
    ]
    for _ in 0..<2 {
      let second = try await token(form).1
      #expect(second.string("id_token") != nil)
      #expect(second.string("refresh_token") != refresh)
    }
  }

  @Test("a browser that is signed in is not asked again unless the app wants it")
  func prompts() async throws {
    #expect(try await authorize(["prompt": "none"]).query?["error"] == "login_required")
    let set = try #require(try await submit(await authorize()).headers["set-cookie"])
    let cookie = String(set.prefix { $0 != ";" })
    #expect(try await authorize(cookie: cookie).query?["code"] != nil)
    #expect(await authorize(["prompt": "select_account"], cookie: cookie).status == .ok)
    let back: QueryItems = ["post_logout_redirect_uri": "http://localhost:8080/signed-out", "state": "s"]
    let answer = await login(.get, "/oauth2/v2.0/logout", back, cookie: cookie)
    #expect(answer.headers["location"] == "http://localhost:8080/signed-out?state=s")
    #expect(await authorize(cookie: cookie).status == .ok)
  }

  @Test(
    "refuses apps and redirect URIs on a page, and tells the app about the rest",
    arguments: [
      ("client_id", "other", "AADSTS700016"), ("redirect_uri", "https://evil.example/", "AADSTS50011"),
    ])
  func refusesOpenly(field: String, value: String, words: String) async throws {
    let answer = await authorize([field: value])
    #expect(answer.headers["location"] == nil)
    #expect(try answer.text.contains(words))
    #expect(try await authorize(["code_challenge_method": ""]).query?["error"] == "invalid_request")
    #expect(try await submit(await authorize(), action: "cancel").query?["error"] == "access_denied")
  }

  @Test("words its errors as Entra does")
  func errors() async throws {
    let code = try await code()
    let (status, error) = try await token(codeForm(code, verifier: "wrong"))
    #expect(status == .badRequest && error.string("error") == "invalid_grant")
    #expect(error["error_codes"] == [501481])
    #expect(error.string("error_description")?.hasPrefix("AADSTS501481: ") == true)
    #expect(try await token(codeForm(code)).1["error_codes"] == [54005])
    let wrong: QueryItems = ["grant_type": "refresh_token", "client_id": "web-app", "client_secret": "no"]
    #expect(try await token(wrong).0 == .unauthorized)
    let secret: QueryItems = ["grant_type": "refresh_token", "client_id": "native-app", "client_secret": "no"]
    #expect(try await token(secret).1["error_codes"] == [700025])
    let dead: QueryItems = ["grant_type": "refresh_token", "client_id": "native-app", "refresh_token": "dead"]
    #expect(try await token(dead).1.string("error") == "invalid_grant")
  }

  @Test("signs with a new key when told to, and publishes the former one beside it")
  func rotates() async throws {
    let before = try #require(try await tokens().string("id_token"))
    try await caller.control(.post, "/_keys")
    let after = try #require(try await tokens().string("id_token"))
    #expect(try JWS(parsing: before).keyID != JWS(parsing: after).keyID)
    #expect(try await claims(before).string("ver") == "2.0")
    try await caller.control(.post, "/_keys")
    await #expect(throws: JWSFailure.unknownKey) { try await claims(before) }
  }

  @Test("App Proxy sends everybody without a person's good token to the directory")
  func proxyRefuses() async throws {
    let app: QueryItems = ["grant_type": "client_credentials", "client_id": "web-app", "client_secret": "s3cret"]
    let appToken = try #require(try await token(app).1.string("access_token"))
    for (bearer, retry) in [(nil, "null"), ("bad", "true"), (appToken, "true")] as [(String?, String)] {
      let answer = await at("apps.localhost:8090", .get, "/sharing/rest/info", ["f": "json"], bearer: bearer)
      #expect(answer.status == .found)
      let target = try #require(answer.headers["location"])
      #expect(target.hasPrefix("http://login.localhost:8090/\(Self.tenant)/oauth2/authorize?"))
      let state = try #require(try answer.query?["state"])
      #expect(state.hasPrefix("AppProxyState:{\"InvalidTokenRetry\":\(retry)"))
    }
    #expect(try await caller.control(.get, "/_counters").integer("apps") == 3)
  }

  @Test("App Proxy passes calls with an ID token on, and their ArcGIS token with them")
  func proxyForwards() async throws {
    let idToken = try #require(try await tokens().string("id_token"))
    let portal = await at("apps.localhost:8090", .get, "/sharing/rest/portals/self", ["f": "json"], bearer: idToken)
    #expect(try portal.json.bool("isPortal") == true)
    let person = await at("apps.localhost:8090", .get, "/sharing/rest/community/self", ["f": "json"], bearer: idToken)
    #expect(try person.json["error"]?.integer("code") == 499)
    try await caller.control(.post, "/_clock", ["advance": 3_601])
    #expect(await at("apps.localhost:8090", .get, "/sharing/rest/info", bearer: idToken).status == .found)
  }

  @Test("App Proxy signs a browser in by a cookie of its own")
  func proxyBrowser() async throws {
    let first = await at("apps.localhost:8090", .get, "/home", ["a": "b"])
    let target = try #require(first.headers["location"])
    let query = try #require(URLParts(target)?.query)
    var form = QueryItems()
    let fields = try Form(query: Substring(query))
    for name in ["response_type", "client_id", "scope", "redirect_uri", "state"] { form.append(name, fields[name]) }
    let back = try await submit(await login(.get, "/oauth2/authorize", form))
    var returned = QueryItems()
    for name in ["code", "state"] { returned.append(name, try back.query?[name]) }
    let welcome = await at("apps.localhost:8090", .get, "/", returned)
    #expect(welcome.headers["location"] == "http://apps.localhost:8090/home?a=b")
    let cookie = String(try #require(welcome.headers["set-cookie"]).prefix { $0 != ";" })
    #expect(await at("apps.localhost:8090", .get, "/home", cookie: cookie).status == .ok)
  }

  @Test("faults meet the directory and App Proxy by their own names")
  func faults() async throws {
    let fault: (String, String) -> JSONValue = { ["endpoint": .string($0), "kind": .string($1), "times": 1] }
    try await caller.control(.put, "/_faults", fault("login.token", "refuse"))
    let refresh = try #require(try await tokens().string("refresh_token"))
    let form: QueryItems = [
      "grant_type": "refresh_token", "client_id": "web-app", "client_secret": "s3cret", "refresh_token": refresh,
    ]
    #expect(try await token(form).1.string("error") == "invalid_grant")
    #expect(try await token(form).0 == .ok)
    try await caller.control(.put, "/_faults", fault("apps", "status"))
    #expect(await at("apps.localhost:8090", .get, "/home").status == .serviceUnavailable)
  }
}
