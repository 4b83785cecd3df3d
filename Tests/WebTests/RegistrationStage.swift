import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

/// A Gatehouse where apps register themselves.
struct RegistrationStage {
  let gatehouse: TestInstallation

  init(_ mode: RegistrationPolicy.Mode = .open) async throws {
    var policy = RegistrationPolicy()
    policy.mode = mode
    gatehouse = try await TestInstallation(registration: policy)
  }

  /// The least that an app sends.
  static let metadata: JSONValue = ["redirect_uris": ["https://app.example/back"], "client_name": "Garden"]

  /// Sends JSON, with a token if there is one.
  func send(
    _ method: HTTP.Method, _ path: String = "/oauth2/register", _ json: JSONValue? = nil, token: String? = nil,
    from address: String = "192.0.2.1"
  ) async -> Response {
    var headers: Headers = ["content-type": "application/json"]
    if let value = token.flatMap({ FieldValue("Bearer \($0)") }) { headers.set("authorization", value) }
    return await gatehouse.send(method, path, headers: headers, body: json?.encoded() ?? [], from: address)
  }

  func register(_ changes: [String: JSONValue?] = [:], token: String? = nil) async throws -> Registered {
    let answer = await send(.post, "/oauth2/register", Self.metadata.changed(changes), token: token)
    try #require(answer.status == .created, "\(answer.text)")
    return Registered(json: try answer.json)
  }

  /// An initial access token.
  func token(uses: Int64 = 1, days: Int64 = 7) async throws -> String {
    try await RegistrationTokens(gatehouse.here).create(
      "Gardeners", uses: uses, days: days, by: nil, TestInstallation.visitor
    ).text.revealedText
  }

  /// What an administrator who looks at the app says that they saw.
  func mark(_ id: ClientID) async throws -> String {
    try await gatehouse.store.read { try $0.client(id)?.mark($0.registration(of: id)) ?? "" }
  }

  func stored() async throws -> [Client] { try await gatehouse.store.read { try $0.clients() } }
}

/// What an app was told when it registered.
struct Registered {
  let json: JSONValue

  var id: String { json.string("client_id") ?? "" }
  var token: String { json.string("registration_access_token") ?? "" }
  var path: String { "/oauth2/register/\(id)" }
  var basic: (id: String, secret: String) { (id, json.string("client_secret") ?? "") }

  /// The fields of an authorization request.
  func authorization(_ more: [(String, String)] = []) -> QueryItems {
    var items: QueryItems = [
      "response_type": "code", "client_id": id, "redirect_uri": json.strings("redirect_uris")?.first,
      "code_challenge": TestInstallation.challenge, "code_challenge_method": "S256",
    ]
    for (name, value) in more { items.append(name, value) }
    return items
  }
}
