import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Testing

@testable import Web

/// A Gatehouse, an app with a DPoP key, and a person who allows it to vend.
struct DPoPStage {
  let gatehouse: TestInstallation
  let client: TestClient
  let person: TestPerson
  let key: SigningKey

  /// A public app unless told otherwise.
  init(
    _ kind: Client.Kind = .public, scope: String = "vend", _ change: (inout ClientOptions) -> Void = { _ in }
  ) async throws {
    gatehouse = try await TestInstallation()
    person = try await gatehouse.person()
    key = try .generate(.es256)
    var draft = CreateClient.Draft(
      name: "Bound app", kind: kind, grants: [.authorizationCode, .refreshToken],
      redirectURIs: [try #require(RedirectURI(TestClient.redirectURI))], scope: try #require(Scope(scope)),
      permissions: [])
    if kind == .confidential { draft.grants += [.clientCredentials, .tokenExchange] }
    draft.options.requiresDPoP = true
    change(&draft.options)
    let (made, secret) = try await CreateClient(gatehouse.here)(draft, by: nil, TestInstallation.visitor)
    client = TestClient(client: made, secret: secret?.revealedText ?? "")
  }

  static func thumbprint(_ key: SigningKey) -> String {
    Base64URL.encode(JWK.thumbprint(of: key.publicKey.parameters))
  }

  /// The claims of a proof that is right in everything.
  func claims(_ method: String = "POST", _ path: String = "/oauth2/token", token: String? = nil) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("jti", .string(Hex.encode(Random.bytes(8)))), .init("htm", .string(method)),
      .init("htu", .string(TestInstallation.external + path)), .init("iat", .integer(gatehouse.time.now.seconds)),
    ]
    if let token { members.append(.init("ath", .string(Base64URL.encode(SHA256.hash(token))))) }
    return .object(members)
  }

  func proof(
    _ claims: JSONValue, _ changes: [String: JSONValue?] = [:], key other: SigningKey? = nil,
    type: String? = "dpop+jwt", jwk: JSONValue?? = .none
  ) throws -> String {
    let key = other ?? key
    let shown = jwk ?? JWK(key.publicKey).json
    let members = shown.map { [JSONValue.Member("jwk", $0)] } ?? []
    return try JWTSigner(key: key, keyID: nil, type: type, members: members).sign(claims.changed(changes))
  }

  /// Asks the token endpoint, with these proofs.
  func ask(_ fields: [(String, String)], proofs: [String], name: FieldName = "dpop") async throws -> Response {
    var form = QueryItems()
    for (name, value) in fields + [("client_id", client.id)] { form.append(name, value) }
    if !client.secret.isEmpty { form.append("client_secret", client.secret) }
    var headers: Headers = ["content-type": "application/x-www-form-urlencoded"]
    for proof in proofs { headers.add(name, try #require(FieldValue(proof))) }
    return await gatehouse.send(.post, "/oauth2/token", headers: headers, body: form.body)
  }

  /// The fields that redeem a new code.
  func code(boundTo thumbprint: String? = nil) async throws -> [(String, String)] {
    var request = gatehouse.authorization(client)
    request.append("dpop_jkt", thumbprint)
    let location = try #require(await gatehouse.send(.get, request.appended(to: "/oauth2/authorize")).location)
    let handle = try #require(location.split(separator: "=").last.map(String.init))
    let url = try await DecideConsent(gatehouse.here).allow(
      handle, connections: [], person.signedIn, TestInstallation.visitor
    ).url
    let code = try #require(Form(query: url.split(separator: "?", maxSplits: 1)[1]).nonEmpty("code"))
    return [("grant_type", "authorization_code"), ("code", code), ("code_verifier", TestInstallation.verifier)]
  }

  /// Tokens that are bound to ``key``.
  func tokens() async throws -> (access: String, refresh: String) {
    let answer = try await ask(try await code(), proofs: [proof(claims())])
    let json = try answer.json
    try #require(json.string("token_type") == "DPoP", "\(answer.text)")
    return (try #require(json.string("access_token")), try #require(json.string("refresh_token")))
  }

  /// Presents an access token.
  func present(
    _ token: String, scheme: String = "DPoP", proofs: [String], path: String = "/v1/connections"
  ) async throws -> Response {
    var headers: Headers = ["authorization": try #require(FieldValue("\(scheme) \(token)"))]
    for proof in proofs { headers.add("dpop", try #require(FieldValue(proof))) }
    return await gatehouse.send(.get, path, headers: headers)
  }
}
