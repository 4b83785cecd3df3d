import Crypto
import Domain
import HTTP
import HTTPClient
import JOSE
import JSON
import Synchronization
import Testing

@testable import Upstream

/// A Microsoft Entra tenant of our own behind a real socket, which says whatever a test wants it to say.
final class TestTenant: Sendable {
  static let id = "6f0c1a52-9d3b-4a7e-8c21-5b1d7e3f9a04"
  static let person = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"

  struct Script: Sendable {
    var publishedKeys: [JSONValue] = []
    var tokenAnswer: (status: Status, body: String)?
    var idToken = ""
    var refreshToken: JSONValue = "refresh-1"
    var accessSeconds: Int64 = 4_000
  }

  private final class State: Sendable {
    let script = Mutex(Script())
  }

  let key: SigningKey
  let loopback: Loopback
  /// The tenant's name in the addresses.
  let name: String
  let proxies: IAP
  private let state: State

  init(_ name: String = TestTenant.id, algorithm: SignatureAlgorithm = .rs256) throws {
    let key = try SigningKey.generate(algorithm, bits: 2048)
    self.key = key
    self.name = name
    proxies = try Upstreams(client: OutboundClient()).proxies
    let state = State()
    self.state = state
    loopback = try Loopback { request in Self.answer(request, state.script.withLock(\.self)) }
    publish(issuer: loopback.origin + "/{tenantid}/v2.0")
  }

  var issuer: String { "\(loopback.origin)/\(Self.id)/v2.0" }

  func change(_ edit: (inout Script) -> Void) { state.script.withLock { edit(&$0) } }

  /// Publishes the key for an issuer; `nil` leaves the member out.
  func publish(issuer: String?) {
    var members = JWK(key.publicKey, keyID: "one").json.object ?? []
    if let issuer { members.append(.init("issuer", .string(issuer))) }
    change { [members] in $0.publishedKeys = [.object(members)] }
  }

  func registration(tenants: [String] = [], secret: String? = nil) throws -> Registration {
    var connection = try Samples.connection(
      .iap, origin: "\(loopback.origin)/\(name)/v2.0", resources: ["https://gis.contoso.com"],
      reach: [loopback.hostAndPort])
    let root = "\(loopback.origin)/\(name)/oauth2/v2.0"
    connection.iap = IAPOptions(
      authorizeURL: root + "/authorize", tokenURL: root + "/token", logoutURL: root + "/logout", tenants: tenants)
    connection.scopes = ["GH1a2b/.default", "offline_access", "openid", "profile"]
    return Registration(
      connection: connection, clientSecret: secret.map { Secret($0) },
      redirectURI: "https://gate.example.org/callback/maps")
  }

  /// The claims of a good ID token; `changes` replace some, `.null` takes one away.
  func claims(_ changes: [String: JSONValue] = [:]) -> JSONValue {
    let now = Samples.now.seconds
    let good: [JSONValue.Member] = [
      .init("iss", .string(issuer)), .init("sub", "pairwise-1"), .init("aud", "GH1a2b"),
      .init("exp", .integer(now + 3_600)), .init("iat", .integer(now)), .init("nbf", .integer(now)),
      .init("nonce", "n-0S6"), .init("tid", .string(Self.id)), .init("oid", .string(Self.person)),
      .init("ver", "2.0"), .init("preferred_username", "ana@contoso.com"),
    ]
    let kept = good.filter { changes[$0.name] == nil }
    let new = changes.filter { !$0.value.isNull }.map { JSONValue.Member($0.key, $0.value) }
    return .object(kept + new.sorted { $0.name < $1.name })
  }

  @discardableResult
  func give(_ changes: [String: JSONValue] = [:], keyID: String? = "one", type: String? = "JWT") throws -> String {
    let token = try JWTSigner(key: key, keyID: keyID, type: type).sign(claims(changes))
    change { $0.idToken = token }
    return token
  }

  func signIn(_ registration: Registration) async throws -> SignedIn {
    let back = SignInReturn(code: Secret("c0de"), issuer: nil, verifier: Secret("v"), nonce: "n-0S6")
    return try await proxies.signIn(back, registration)
  }

  private static func answer(_ request: Request, _ script: Script) -> Response {
    let origin = "http://" + (request.headers["host"] ?? "")
    let segments = request.path.split(separator: "/").map(String.init)
    guard let name = segments.first else { return Response(status: .notFound) }
    let isShared = ["common", "organizations"].contains(name)
    switch segments.dropFirst().joined(separator: "/") {
    case "v2.0/.well-known/openid-configuration":
      return json([
        "issuer": .string("\(origin)/\(isShared ? "{tenantid}" : id)/v2.0"),
        "authorization_endpoint": .string("\(origin)/\(name)/oauth2/v2.0/authorize"),
        "token_endpoint": .string("\(origin)/\(name)/oauth2/v2.0/token"),
        "jwks_uri": .string("\(origin)/\(name)/discovery/v2.0/keys"),
        "id_token_signing_alg_values_supported": ["RS256"],
      ])
    case "discovery/v2.0/keys": return json(["keys": .array(script.publishedKeys)])
    case "oauth2/v2.0/token":
      if let (status, body) = script.tokenAnswer { return Response(status: status, body: .bytes(Array(body.utf8))) }
      return json([
        "token_type": "Bearer", "scope": "openid profile", "expires_in": .integer(script.accessSeconds),
        "access_token": "access-1", "refresh_token": script.refreshToken,
        "id_token": script.idToken.isEmpty ? .null : .string(script.idToken),
      ])
    default: return Response(status: .notFound)
    }
  }

  private static func json(_ value: JSONValue) -> Response {
    Response(status: .ok, headers: ["content-type": "application/json"], body: .bytes(value.encoded()))
  }
}
