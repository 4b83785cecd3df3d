import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

/// An app that proves who it is with a key of its own.
struct KeyClient: Sendable {
  static let key = Result { try SigningKey.generate(.es256) }
  static let keyID = "one"
  static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  let client: Client
  let key: SigningKey
  let now: Timestamp

  var id: String { client.id.text }

  /// The claims of an assertion that is right in everything.
  var claims: JSONValue {
    [
      "iss": .string(id), "sub": .string(id), "aud": .string(TestInstallation.external), "iat": .integer(now.seconds),
      "exp": .integer(now.seconds + 60), "jti": .string(Hex.encode(Random.bytes(8))),
    ]
  }

  func assertion(
    _ changes: [String: JSONValue?] = [:], key other: SigningKey? = nil, keyID: String? = Self.keyID,
    type: String? = nil, header: [JSONValue.Member] = []
  ) throws -> String {
    try JWTSigner(key: other ?? key, keyID: keyID, type: type, members: header).sign(claims.changed(changes))
  }

  /// The fields that present an assertion, or something in its place.
  func proof(_ assertion: String? = nil) throws -> [(String, String)] {
    [("client_assertion_type", Self.assertionType), ("client_assertion", try assertion ?? self.assertion())]
  }
}

extension JSONValue {
  /// The object with some members set to other values, or left out.
  func changed(_ changes: [String: JSONValue?]) -> JSONValue {
    var members = (object ?? []).filter { changes[$0.name] == nil }
    for (name, value) in changes { if let value { members.append(Member(name, value)) } }
    return .object(members)
  }
}

extension TestInstallation {
  /// Registers an app with `options`, private_key_jwt and the key of ``KeyClient`` unless they say otherwise.
  func keyClient(_ change: (inout CreateClient.Draft) -> Void = { _ in }) async throws -> KeyClient {
    let key = try KeyClient.key.get()
    let others = try await store.read { try $0.countClients() }
    var draft = CreateClient.Draft(
      name: "Key app \(others)", kind: .confidential, grants: [.authorizationCode, .refreshToken, .clientCredentials],
      redirectURIs: [try #require(RedirectURI(TestClient.redirectURI))], scope: try #require(Scope("vend")),
      permissions: [])
    draft.options.authentication = .privateKeyJWT
    draft.options.keys = .inline(Self.keySet([JWK(key.publicKey, keyID: KeyClient.keyID)]))
    change(&draft)
    let (client, secret) = try await CreateClient(here)(draft, by: nil, Self.visitor)
    #expect(secret == nil || client.authentication.usesSecret)
    return KeyClient(client: client, key: key, now: time.now)
  }

  static func keySet(_ keys: [JWK]) -> String { String(decoding: JWKSet(keys).json.encoded(), as: UTF8.self) }

  /// What the token endpoint says to an app that asks for a token for itself.
  func token(_ proof: [(String, String)], path: String = "/oauth2/token") async -> Response {
    var form: QueryItems = ["grant_type": "client_credentials", "token": "x"]
    for (name, value) in proof { form.append(name, value) }
    return await post(path, form)
  }
}
