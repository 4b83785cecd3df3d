import Crypto
import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

/// A registered app, with the secret that only it knows.
struct TestClient: Sendable {
  static let redirectURI = "https://app.example/back"

  let client: Client
  /// Empty for a public client.
  let secret: String

  var id: String { client.id.text }
  var basic: (id: String, secret: String) { (id, secret) }
}

extension TestInstallation {
  /// Registers a confidential app with every grant, or the public one that fits best.
  func client(
    _ kind: Client.Kind = .confidential, grants: [Client.Grant]? = nil, scope: String? = nil,
    redirectURI: String = TestClient.redirectURI, connections: [ConnectionID] = [], rawTokens: Bool = true,
    options: ClientOptions = ClientOptions()
  ) async throws -> TestClient {
    let others = try await store.read { try $0.countClients() }
    var draft = CreateClient.Draft(
      name: others == 0 ? "Field app" : "Field app \(others + 1)", kind: kind,
      grants: grants ?? (kind == .public ? [.authorizationCode, .refreshToken] : Client.Grant.allCases),
      redirectURIs: [try #require(RedirectURI(redirectURI))],
      scope: try #require(Scope(scope ?? (kind == .public ? "" : "vend"))),
      permissions: connections.map { Client.Permission(connection: $0, handsOutRawTokens: rawTokens) })
    draft.options = options
    let (client, secret) = try await CreateClient(here)(draft, by: nil, Self.visitor)
    return TestClient(client: client, secret: secret?.revealedText ?? "")
  }

  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

  static var challenge: String { Base64URL.encode(SHA256.hash(verifier)) }

  /// What a well-behaved app sends to the authorization endpoint.
  func authorization(_ client: TestClient, state: String? = "a state", scope: String? = nil) -> QueryItems {
    [
      "response_type": "code", "client_id": client.id, "redirect_uri": client.client.redirectURIs[0].text,
      "code_challenge": Self.challenge, "code_challenge_method": "S256", "state": state, "scope": scope,
    ]
  }

  /// The handle of a request that waits for the person's decision; `more` are further parameters.
  func waiting(_ client: TestClient, scope: String? = nil, more: [(String, String)] = []) async throws -> String {
    var fields = authorization(client, scope: scope)
    for (name, value) in more { fields.append(name, value) }
    let answer = await send(.get, fields.appended(to: "/oauth2/authorize"))
    let location = try #require(answer.location, "\(answer.status.code) \(answer.text)")
    let start = "/consent?ticket="
    try #require(location.hasPrefix(start), "\(location)")
    return String(location.dropFirst(start.count))
  }

  /// A code that the person has allowed.
  func code(
    for client: TestClient, _ person: TestPerson, scope: String? = nil, more: [(String, String)] = []
  ) async throws -> String {
    let handle = try await waiting(client, scope: scope, more: more)
    let url = try await DecideConsent(here).allow(
      handle, connections: client.client.permissions.map(\.connection), person.signedIn, Self.visitor
    ).url
    let query = try #require(url.firstIndex(of: "?")).utf16Offset(in: url)
    let back = try Form(query: url.dropFirst(query + 1).prefix { $0 != "#" })
    return try #require(back["code"])
  }

  /// The fields that redeem a code.
  func redemption(_ code: String, verifier: String? = TestInstallation.verifier) -> QueryItems {
    ["grant_type": "authorization_code", "code": code, "code_verifier": verifier]
  }

  /// Everything that a person's allowing leads to.
  func tokens(for client: TestClient, _ person: TestPerson) async throws -> (access: String, refresh: String) {
    let code = try await code(for: client, person)
    let answer = await post("/oauth2/token", redemption(code), basic: client.basic)
    try #require(answer.status == .ok, "\(answer.text)")
    let json = try answer.json
    return (try #require(json.string("access_token")), try #require(json.string("refresh_token")))
  }
}

extension Response {
  /// The body as JSON.
  var json: JSONValue { get throws { try JSONValue(parsing: Array(text.utf8)) } }

  /// The error code of a refusal in JSON.
  var error: String? { get throws { try json.string("error") } }
}

extension TestInstallation {
  /// Does to a client what an administrator can.
  func change(_ change: ChangeClient.Change, _ client: TestClient) async throws {
    try await ChangeClient(here)(change, client.client.id, by: nil, Self.visitor)
  }
}

extension TestInstallation {
  /// What introspection tells `client` about a token.
  func introspect(_ token: String, _ client: TestClient, hint: String? = nil) async throws -> JSONValue {
    let answer = await post("/oauth2/introspect", ["token": token, "token_type_hint": hint], basic: client.basic)
    try #require(answer.status == .ok, "\(answer.text)")
    return try answer.json
  }

  /// The audit log, newest first.
  func audit() async throws -> [AuditEvent] { try await store.read { try $0.auditRecords(limit: 500).map(\.event) } }

  func auditNames() async throws -> [AuditEvent.Name] { try await audit().map(\.name) }
}

extension AuthorizationResponse {
  /// Where it redirects to; empty for one that is posted.
  var url: String { if case .redirect(let url) = self { url } else { "" } }
}
