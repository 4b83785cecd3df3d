import Crypto
import Domain
import HTTP
import HTTPClient
import JOSE
import JSON
import Synchronization
import Testing

@testable import Upstream

/// An OpenID provider of our own behind a real socket, which says whatever a test wants it to say.
final class TestProvider: Sendable {
  /// What it says at the moment; each part can be replaced.
  struct Script: Sendable {
    /// Replaces members of the discovery document; `.null` takes one away.
    var discovery: [String: JSONValue] = [:]
    var publishedKeys: [JWK] = []
    /// The answer of the token endpoint; the good one when `nil`.
    var tokenAnswer: (status: Status, body: String)?
    var idToken = ""
    var userinfo: JSONValue = ["sub": "248289761001", "preferred_username": "ana from userinfo"]
    var isDown = false
  }

  private final class State: Sendable {
    let script = Mutex(Script())
  }

  let key: SigningKey
  let loopback: Loopback
  private let state: State

  init(_ algorithm: SignatureAlgorithm = .es256) throws {
    let key = try SigningKey.generate(algorithm, bits: 2048)
    self.key = key
    let state = State()
    state.script.withLock { $0.publishedKeys = [JWK(key.publicKey, keyID: "one")] }
    self.state = state
    loopback = try Loopback { request in
      let script = state.script.withLock(\.self)
      return TestProvider.answer(request, script)
    }
  }

  var issuer: String { loopback.origin }

  func change(_ edit: (inout Script) -> Void) { state.script.withLock { edit(&$0) } }

  func connection() throws -> Connection {
    var connection = try Samples.connection(.oidc, origin: issuer, resources: [issuer], reach: [loopback.hostAndPort])
    connection.scopes = ["openid", "profile"]
    return connection
  }

  /// The claims of a good ID token; `changes` replace some, `.null` takes one away.
  func claims(_ changes: [String: JSONValue] = [:]) -> JSONValue {
    let now = Samples.now.seconds
    let good: [JSONValue.Member] = [
      .init("iss", .string(issuer)), .init("sub", "248289761001"), .init("aud", "GH1a2b"),
      .init("exp", .integer(now + 300)), .init("iat", .integer(now)), .init("nonce", "n-0S6"),
      .init("preferred_username", "ana"),
    ]
    let kept = good.filter { changes[$0.name] == nil }
    let new = changes.filter { !$0.value.isNull }.map { JSONValue.Member($0.key, $0.value) }
    return .object(kept + new.sorted { $0.name < $1.name })
  }

  func sign(_ claims: JSONValue, keyID: String? = "one", type: String? = "JWT") throws -> String {
    try JWTSigner(key: key, keyID: keyID, type: type).sign(claims)
  }

  private static func answer(_ request: Request, _ script: Script) -> Response {
    guard !script.isDown else { return Response(status: .serviceUnavailable) }
    let origin = "http://" + (request.headers["host"] ?? "")
    switch request.path {
    case "/.well-known/openid-configuration": return json(discovery(origin, script))
    case "/keys": return json(JWKSet(script.publishedKeys).json)
    case "/userinfo": return json(script.userinfo)
    case "/revoke": return Response(status: .ok)
    case "/token":
      if let (status, body) = script.tokenAnswer { return Response(status: status, body: .bytes(Array(body.utf8))) }
      return json([
        "access_token": "access-1", "token_type": "Bearer", "expires_in": 120, "refresh_token": "refresh-1",
        "id_token": .string(script.idToken),
      ])
    default: return Response(status: .notFound)
    }
  }

  private static func discovery(_ origin: String, _ script: Script) -> JSONValue {
    let good: [(String, JSONValue)] = [
      ("issuer", .string(origin)), ("authorization_endpoint", .string(origin + "/authorize")),
      ("token_endpoint", .string(origin + "/token")), ("jwks_uri", .string(origin + "/keys")),
      ("revocation_endpoint", .string(origin + "/revoke")), ("end_session_endpoint", .string(origin + "/logout")),
      ("id_token_signing_alg_values_supported", ["ES256", "RS256", "PS256", "EdDSA", "HS256", "none"]),
    ]
    let kept = good.filter { script.discovery[$0.0] == nil }
    let new = script.discovery.filter { !$0.value.isNull }.map { ($0.key, $0.value) }
    return .object((kept + new).map { JSONValue.Member($0.0, $0.1) })
  }

  private static func json(_ value: JSONValue) -> Response {
    Response(status: .ok, headers: ["content-type": "application/json"], body: .bytes(value.encoded()))
  }
}
