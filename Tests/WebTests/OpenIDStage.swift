import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Testing

@testable import Web

/// A person and an OpenID Connect client that they allow to know them.
struct OpenIDStage {
  let gatehouse: TestInstallation
  let client: TestClient
  let person: TestPerson

  init(
    _ algorithm: SignatureAlgorithm = .es256, profile: ClientOptions.Profile = .oauth21,
    scope: String = "openid profile offline_access", signsUserInfo: Bool = false
  ) async throws {
    gatehouse = try await TestInstallation()
    var options = ClientOptions()
    options.profile = profile
    options.idTokenAlgorithm = algorithm.rawValue
    options.signsUserInfo = signsUserInfo
    client = try await gatehouse.client(
      grants: [.authorizationCode, .refreshToken], scope: scope, options: options)
    person = try await gatehouse.person()
  }

  /// The answer of the token endpoint after a sign-in with `more` parameters.
  func signIn(scope: String? = "openid", more: [(String, String)] = []) async throws -> JSONValue {
    let code = try await gatehouse.code(for: client, person, scope: scope, more: more)
    let answer = await gatehouse.post("/oauth2/token", gatehouse.redemption(code), basic: client.basic)
    try #require(answer.status == .ok, "\(answer.text)")
    return try answer.json
  }

  /// The claims of the ID token in an answer, verified by what the key endpoint publishes.
  func claims(_ answer: JSONValue, _ algorithm: SignatureAlgorithm = .es256) async throws -> JSONValue {
    try await claims(of: try #require(answer.string("id_token")), "jwt", algorithm)
  }

  /// The claims of a JWT of ours, verified by what the key endpoint publishes.
  func claims(
    of text: String, _ type: String, _ algorithm: SignatureAlgorithm = .es256
  ) async throws -> JSONValue {
    let token = try JWS(parsing: text)
    #expect(token.algorithm == algorithm && token.keyID != nil && token.hasType(type))
    let keys = try JWKSet(parsing: Array(await gatehouse.send(.get, "/oauth2/jwks").text.utf8))
    return try JSONValue(parsing: token.payload(verifiedBy: keys, allowing: [algorithm]))
  }

  /// What the userinfo endpoint says.
  func userInfo(
    _ token: String, method: HTTP.Method = .get, scheme: String = "Bearer"
  ) async throws -> Response {
    let value = try #require(FieldValue("\(scheme) \(token)"))
    return await gatehouse.send(method, "/oauth2/userinfo", headers: ["authorization": value])
  }

  /// Where the authorization endpoint sends a browser with `more` parameters, and the decision after it.
  func step(
    _ more: [(String, String)], _ person: TestPerson?, scope: String? = "openid"
  ) async throws -> DecideConsent.Step {
    let handle = try await gatehouse.waiting(client, scope: scope, more: more)
    return try await DecideConsent(gatehouse.here).step(handle, person?.signedIn, TestInstallation.visitor)
  }
}

extension DecideConsent.Step {
  var asks: Bool { if case .ask = self { true } else { false } }
  var signsIn: Bool { if case .signIn = self { true } else { false } }
  /// The URL that it leads to, if it leads away.
  var target: String? { if case .answer(let response) = self { response.url } else { nil } }
}
