import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

/// A person connected to a simulated portal, and an app whose jobs they let use it while they are away.
struct UnattendedStage {
  static let key = Result { try SigningKey.generate(.es256) }
  static let keyID = "jobs"
  static let reason = "Nightly sync of the parcels"

  let gatehouse: TestInstallation
  let portal: TestPortal
  let connection: Connection
  let client: TestClient
  let person: TestPerson

  /// `allows` is what the person answers; `nil` where they are never asked.
  ///
  /// - Throws: Whatever keeps the stage from being set.
  init(
    allows: Bool? = true, connects: Bool = true, change: (inout CreateClient.Draft) throws -> Void = { _ in }
  ) async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    connection = try await gatehouse.connection(to: portal)
    var draft = try Self.draft(connection.id)
    try change(&draft)
    let (made, secret) = try await CreateClient(gatehouse.here)(draft, by: nil, TestInstallation.visitor)
    client = TestClient(client: made, secret: secret?.revealedText ?? "")
    person = try await gatehouse.person()
    if connects { try await gatehouse.connect(person, to: connection, at: portal) }
    if let allows { try await allow(unattended: allows ? [connection.id] : []) }
  }

  /// An app that is registered for unattended use of `connection`.
  static func draft(_ connection: ConnectionID) throws -> CreateClient.Draft {
    var draft = CreateClient.Draft(
      name: "Field app", kind: .confidential, grants: Client.Grant.allCases,
      redirectURIs: [try #require(RedirectURI(TestClient.redirectURI))],
      scope: try #require(Scope("vend vend:unattended openid")),
      permissions: [.init(connection: connection, handsOutRawTokens: true, isUnattended: true)])
    draft.options.unattendedKeys = TestInstallation.keySet([JWK(try key.get().publicKey, keyID: keyID)])
    draft.options.unattendedNetworks = ["127.0.0.0/8", "fd00::/8"]
    return draft
  }

  /// The person's answer to what the app asks.
  func allow(unattended: [ConnectionID], scope: String? = nil) async throws {
    let handle = try await gatehouse.waiting(client, scope: scope, more: [("prompt", "consent")])
    _ = try await DecideConsent(gatehouse.here).allow(
      handle, connections: [connection.id], unattended: unattended, person.signedIn, TestInstallation.visitor)
  }

  var resource: String { portal.origin + "/sharing/rest/portals/self" }

  /// The claims of a request that is right in everything.
  var claims: JSONValue {
    let now = gatehouse.time.now.seconds
    return [
      "iss": .string(client.id), "sub": .string(person.account.id.text), "aud": .string(TestInstallation.external),
      "iat": .integer(now), "exp": .integer(now + 120), "jti": .string(Hex.encode(Random.bytes(8))),
      "reason": .string(Self.reason),
    ]
  }

  func token(
    _ changes: [String: JSONValue?] = [:], key: SigningKey? = nil, keyID: String? = Self.keyID,
    type: String? = "gatehouse-vend-req+jwt", header: [JSONValue.Member] = []
  ) throws -> String {
    try JWTSigner(key: key ?? Self.key.get(), keyID: keyID, type: type, members: header).sign(claims.changed(changes))
  }

  /// What the token endpoint answers to `token`; `nil` is one that is right in everything.
  func exchange(
    _ token: String? = nil, resource: String? = nil, more: [(String, String)] = [], as other: TestClient? = nil,
    from address: String = "127.0.0.1"
  ) async throws -> Response {
    var form: QueryItems = [
      "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": try token ?? self.token(),
      "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "resource": resource ?? self.resource,
    ]
    for (name, value) in more { form.append(name, value) }
    return await gatehouse.post("/oauth2/token", form, basic: (other ?? client).basic, from: address)
  }
}
