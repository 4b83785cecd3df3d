import Crypto
import Domain
import Flows
import HTTP
import HTTPServer
import JOSE
import JSON
import Logging
import Storage
import Synchronization
import Testing

@testable import Web

/// An OpenID provider behind a real socket, at which whoever the test names signs in.
final class OpenIDServer: Sendable {
  /// What it says at the moment.
  struct Script: Sendable {
    var subject = "248289761001"
    var sessionID: String? = "s-1"
    var scope: String?
    var nonce = ""
    var now: Int64 = 0
    var keys: [JWK] = []
    var isDown = false
    /// How often its keys were asked for.
    var looks = 0
    var revoked: [String] = []
  }

  private final class Guarded: Sendable {
    let script = Mutex(Script())
  }

  let key: SigningKey
  private let guarded = Guarded()
  private let server: Server

  init(_ algorithm: SignatureAlgorithm = .es256) throws {
    let key = try SigningKey.generate(algorithm, bits: 2048)
    self.key = key
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    let guarded = guarded
    guarded.script.withLock { $0.keys = [JWK(key.publicKey, keyID: "one")] }
    server = Server(configuration: configuration) { request in
      guarded.script.withLock { script in
        (try? Self.answer(request, key, &script)) ?? Response(status: .internalServerError)
      }
    }
    try server.start()
  }

  var issuer: String { "http://127.0.0.1:\(server.port)" }

  var script: Script { guarded.script.withLock(\.self) }

  func change(_ edit: (inout Script) -> Void) { guarded.script.withLock { edit(&$0) } }

  func connection(_ id: String = "op") throws -> Connection {
    var connection = Connection(
      id: try #require(ConnectionID(id)), name: "Provider", kind: .oidc, origin: issuer, clientID: "us",
      createdAt: Timestamp(seconds: 0))
    connection.scopes = ["openid", "profile"]
    connection.admission = .anyone
    connection.resources = [ResourcePattern(issuer)].compactMap { $0 }
    connection.reach.hosts = ["127.0.0.1:\(server.port)"]
    return connection
  }

  /// A logout token; `changes` replace claims of the good one, `.null` takes one away.
  func logoutToken(
    _ changes: [String: JSONValue] = [:], keyID: String? = "one", type: String? = "logout+jwt",
    key other: SigningKey? = nil
  ) throws -> String {
    let now = script.now
    let good: [JSONValue.Member] = [
      .init("iss", .string(issuer)), .init("aud", "us"), .init("iat", .integer(now)), .init("exp", .integer(now + 120)),
      .init("jti", .string(Hex.encode(Random.bytes(8)))), .init("sub", .string(script.subject)),
      .init("sid", script.sessionID.map(JSONValue.string) ?? .null),
      .init("events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
    ]
    let members = good.filter { changes[$0.name] == nil && !$0.value.isNull }
    let new = changes.filter { !$0.value.isNull }.map { JSONValue.Member($0.key, $0.value) }
    return try JWTSigner(key: other ?? key, keyID: keyID, type: type).sign(.object(members + new))
  }

  private static func answer(_ request: Request, _ key: SigningKey, _ script: inout Script) throws -> Response {
    guard !script.isDown else { return Response(status: .serviceUnavailable) }
    let issuer = "http://" + (request.headers["host"] ?? "")
    switch request.path {
    case "/.well-known/openid-configuration":
      return json([
        "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
        "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
        "revocation_endpoint": .string(issuer + "/revoke"),
        "id_token_signing_alg_values_supported": ["ES256", "RS256"],
      ])
    case "/keys":
      script.looks += 1
      return json(JWKSet(script.keys).json)
    case "/revoke":
      script.revoked.append(try Form(request.body)["token"] ?? "")
      return Response(status: .ok)
    case "/token":
      let claims: [JSONValue.Member] = [
        .init("iss", .string(issuer)), .init("aud", "us"), .init("sub", .string(script.subject)),
        .init("nonce", .string(script.nonce)), .init("iat", .integer(script.now)),
        .init("exp", .integer(script.now + 300)), .init("preferred_username", "ana"),
        .init("sid", script.sessionID.map(JSONValue.string) ?? .null),
      ]
      let said = claims.filter { !$0.value.isNull }
      let identity = try JWTSigner(key: key, keyID: "one", type: "JWT").sign(.object(said))
      let answer: [JSONValue.Member] = [
        .init("access_token", "access-1"), .init("token_type", "Bearer"), .init("expires_in", 1800),
        .init("refresh_token", "refresh-1"), .init("id_token", .string(identity)),
        .init("scope", script.scope.map(JSONValue.string) ?? .null),
      ]
      return json(.object(answer.filter { !$0.value.isNull }))
    default: return Response(status: .notFound)
    }
  }

  private static func json(_ value: JSONValue) -> Response {
    Response(status: .ok, headers: ["content-type": "application/json"], body: .bytes(value.encoded()))
  }
}

extension TestBrowser {
  /// Comes back from the provider as whom its script names; `start` led the browser there.
  func travel(_ start: Response, _ provider: OpenIDServer) async throws -> Response {
    let url = try #require(start.location.flatMap(URLParts.init), "\(start.status.code) \(start.text)")
    let asked = try Form(query: Substring(url.query ?? ""))
    let (nonce, now) = (asked["nonce"] ?? "", installation.time.now.seconds)
    provider.change {
      $0.nonce = nonce
      $0.now = now
    }
    return await get("/callback/op?code=c0de&state=\(try #require(asked["state"]))")
  }
}
