import Domain
import Flows
import HTTP
import Testing

@testable import Web

struct AuthorizeTests {
  /// A request of a good app in which one parameter is another, or gone.
  private func ask(
    _ gatehouse: TestInstallation, _ client: TestClient, _ name: String? = nil, _ value: String? = nil,
    method: HTTP.Method = .get
  ) async -> Response {
    var fields = QueryItems()
    let given: [(String, String?)] = [
      ("response_type", "code"), ("client_id", client.id), ("redirect_uri", client.client.redirectURIs[0].text),
      ("code_challenge", TestInstallation.challenge), ("code_challenge_method", "S256"), ("state", "st/at e"),
    ]
    for (key, original) in given { fields.append(key, key == name ? value : original) }
    if let name, !given.contains(where: { $0.0 == name }) { fields.append(name, value) }
    if method == .post { return await gatehouse.post("/oauth2/authorize", fields) }
    return await gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
  }

  @Test("A good request leads to the consent page, by GET and by POST", arguments: ["GET", "POST"])
  func good(method: String) async throws {
    let gatehouse = try await TestInstallation()
    let answer = await ask(gatehouse, try await gatehouse.client(), method: HTTP.Method(method))
    #expect(answer.status == .seeOther)
    let location = try #require(answer.location)
    #expect(location.hasPrefix("/consent?ticket=") && location.count == "/consent?ticket=".count + 43)
  }

  @Test(
    "An app or redirect URI that is not registered gives a page and never a redirect",
    arguments: [
      ("client_id", nil), ("client_id", "client_0"), ("redirect_uri", nil),
      ("redirect_uri", "https://app.example/back?a=b"),
      ("redirect_uri", "https://app.example/back/"), ("redirect_uri", "https://APP.example/back"),
      ("redirect_uri", "https://app.example/bac\u{212A}"), ("redirect_uri", "https://app.example/back#x"),
      ("redirect_uri", "http://app.example/back"), ("redirect_uri", "https://app.example:444/back"),
      ("response_mode", "fragment"), ("response_mode", "query form_post"), ("response_mode", "FORM_POST"),
    ] as [(String, String?)])
  func page(name: String, value: String?) async throws {
    let gatehouse = try await TestInstallation()
    let answer = await ask(gatehouse, try await gatehouse.client(), name, value)
    #expect(answer.status == .badRequest)
    #expect(answer.location == nil)
    #expect(answer.headers["content-type"]?.hasPrefix("text/html") == true)
  }

  @Test(
    "Other mistakes go back to the app with the code, its state and the issuer",
    arguments: [
      ("response_type", nil, "invalid_request"), ("response_type", "token", "unsupported_response_type"),
      ("code_challenge", nil, "invalid_request"), ("code_challenge", "short", "invalid_request"),
      ("code_challenge_method", nil, "invalid_request"), ("code_challenge_method", "plain", "invalid_request"),
      ("scope", "vend more", "invalid_scope"), ("scope", " ", "invalid_scope"),
      ("prompt", "none login", "invalid_request"),
      ("request", "e30.e30.", "request_not_supported"), ("request_uri", "urn:x", "request_uri_not_supported"),
      ("registration", "{}", "registration_not_supported"),
    ] as [(String, String?, String)])
  func redirect(name: String, value: String?, code: String) async throws {
    let gatehouse = try await TestInstallation()
    let answer = await ask(gatehouse, try await gatehouse.client(), name, value)
    #expect(answer.status == .seeOther)
    let location = try #require(answer.location)
    #expect(location.hasPrefix("https://app.example/back?error=\(code)&"))
    #expect(location.hasSuffix("&state=st%2Fat%20e&iss=http%3A%2F%2Flocalhost%3A8080#_"))
  }

  @Test(
    "Unknown parameters, also repeated ones, and empty values change nothing",
    arguments: [
      ("extra", "foobar"), ("scope", ""), ("prompt", ""), ("response_mode", ""), ("login_hint", "ana"),
      ("display", "page"),
      ("ui_locales", "de"), ("acr_values", "1"), ("prompt", "create"),
    ])
  func ignored(name: String, value: String) async throws {
    let gatehouse = try await TestInstallation()
    let answer = await ask(gatehouse, try await gatehouse.client(), name, value)
    #expect(answer.location?.hasPrefix("/consent?") == true)
    var fields = gatehouse.authorization(try await gatehouse.client())
    fields.append("extra", "a")
    fields.append("extra", "b")
    let repeated = await gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    #expect(repeated.location?.hasPrefix("/consent?") == true)
  }

  @Test("A repeated parameter is an invalid request", arguments: ["state", "scope", "code_challenge", "response_type"])
  func repeated(name: String) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    var fields = gatehouse.authorization(client, scope: "vend")
    fields.append(name, "again")
    let answer = await gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    #expect(answer.location?.hasPrefix("https://app.example/back?error=invalid_request&") == true)
  }

  @Test("A repeated redirect URI is not trusted", arguments: ["redirect_uri", "client_id"])
  func repeatedTrust(name: String) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    var fields = gatehouse.authorization(client)
    fields.append(name, name == "client_id" ? client.id : TestClient.redirectURI)
    let answer = await gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    #expect(answer.status == .badRequest && answer.location == nil)
  }

  @Test("A long state comes back whole; a longer one is refused, never cut", arguments: [(4096, true), (4097, false)])
  func longState(length: Int, isTaken: Bool) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    let state = String(repeating: "s", count: length)
    let answer = await ask(gatehouse, client, "state", state)
    #expect(answer.location?.hasPrefix("/consent?") == isTaken)
    #expect(answer.location?.contains("state=") == false)
    guard isTaken else { return }
    let refused = await gatehouse.send(
      .get, gatehouse.authorization(client, state: state, scope: "more").appended(to: "/oauth2/authorize"))
    #expect(refused.location?.contains("&state=\(state)&") == true)
  }

  @Test("A registered URI keeps its own query")
  func ownQuery() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client(redirectURI: "https://app.example/back?tab=1")
    let answer = await ask(gatehouse, client, "response_type", "token")
    #expect(answer.location?.hasPrefix("https://app.example/back?tab=1&error=unsupported_response_type&") == true)
  }

  @Test(
    "A native app may listen on another port of the same loopback address, and nowhere else",
    arguments: [
      ("http://127.0.0.1:9999/cb", true), ("http://127.0.0.1/cb", true), ("http://127.0.0.1:9999/other", false),
      ("http://127.0.0.2:9999/cb", false), ("http://localhost:9999/cb", false), ("https://127.0.0.1:9999/cb", false),
    ])
  func loopback(uri: String, isTaken: Bool) async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client(.public, redirectURI: "http://127.0.0.1:4711/cb")
    let answer = await ask(gatehouse, client, "redirect_uri", uri)
    #expect(answer.location?.hasPrefix("/consent?") ?? false == isTaken)
  }

  @Test("A client without the grant, or a disabled one, gets no code")
  func grants() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client(grants: [.clientCredentials])
    let answer = await ask(gatehouse, client)
    #expect(answer.location?.hasPrefix("https://app.example/back?error=unauthorized_client&") == true)
    try await gatehouse.change(.disable, client)
    #expect(await ask(gatehouse, client).status == .badRequest)
  }
}
