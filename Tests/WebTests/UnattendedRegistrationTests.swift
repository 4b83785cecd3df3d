import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

@Suite("Registering unattended use")
struct UnattendedRegistrationTests {
  private static func keys(_ key: SigningKey) -> String {
    TestInstallation.keySet([JWK(key.publicKey, keyID: "jobs")])
  }

  /// What is wrong with a registration, the field to mend, and a part of the sentence.
  private static let mistakes:
    [(field: String, text: String, change: @Sendable (inout CreateClient.Draft) throws -> Void)] = [
      ("unattended_keys", "needs public keys", { $0.options.unattendedKeys = nil }),
      ("unattended_networks", "needs the networks", { $0.options.unattendedNetworks = [] }),
      (
        "unattended_networks", "50 at most",
        { $0.options.unattendedNetworks = (0...50).map { "10.0.\($0).0/24" } }
      ),
      ("unattended_networks", "is no network", { $0.options.unattendedNetworks = ["10.1.2.3/8"] }),
      ("unattended_networks", "is no network", { $0.options.unattendedNetworks = ["0.0.0.0/0"] }),
      ("unattended_networks", "is no network", { $0.options.unattendedNetworks = ["::/0"] }),
      ("unattended_networks", "is no network", { $0.options.unattendedNetworks = ["localhost"] }),
      (
        "connection", "needs the connections",
        { $0.permissions = $0.permissions.map { .init(connection: $0.connection, handsOutRawTokens: true) } }
      ),
      ("scope", "needs the scopes", { $0.scope = Scope("vend") ?? .none }),
      ("scope", "needs the scopes", { $0.scope = Scope("vend:unattended") ?? .none }),
      ("grant", "needs the grants", { $0.grants = [.authorizationCode] }),
      ("grant", "needs the grants", { $0.grants = [.tokenExchange, .clientCredentials] }),
      (
        "type", "confidential clients alone",
        { $0.kind = .public }
      ),
      ("unattended_keys", "no public key", { $0.options.unattendedKeys = "{\"keys\":[]}" }),
      (
        "unattended_keys", "private or secret",
        { draft in
          let secret = "{\"kty\":\"oct\",\"k\":\"c2VjcmV0\",\"alg\":\"HS256\"}"
          let set = keys(try UnattendedStage.key.get()).dropLast(2)
          draft.options.unattendedKeys = "\(set),\(secret)]}"
        }
      ),
      (
        "unattended_keys", "authenticates with one",
        {
          $0.options.authentication = .privateKeyJWT
          $0.options.keys = .inline(TestInstallation.keySet([JWK(try UnattendedStage.key.get().publicKey)]))
        }
      ),
    ]

  @Test("wants all of it, and says what is missing or wrong")
  func mistakes() async throws {
    let gatehouse = try await TestInstallation()
    let connection = try await gatehouse.connection(to: try TestPortal()).id
    for (field, text, change) in Self.mistakes {
      var draft = try UnattendedStage.draft(connection)
      try change(&draft)
      let found = draft.objections.first { $0.field == field && $0.text.contains(text) }
      #expect(found != nil, "\(field), \(text): \(draft.objections)")
      await #expect(throws: Refusal.self, "\(text)") {
        try await CreateClient(gatehouse.here)(draft, by: nil, TestInstallation.visitor)
      }
    }
    var proxied = try UnattendedStage.draft(connection)
    proxied.permissions = [.init(connection: connection, handsOutRawTokens: false, isUnattended: true)]
    let draft = proxied
    await #expect(throws: Refusal.self) {
      try await CreateClient(gatehouse.here)(draft, by: nil, TestInstallation.visitor)
    }
    #expect(try await gatehouse.store.read { try $0.clients() }.isEmpty)
    #expect(try UnattendedStage.draft(connection).objections.isEmpty)
  }

  @Test("by the form of the dashboard, which shows it on the client's page and lets it be taken away")
  func form() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let set = Self.keys(try UnattendedStage.key.get())
    var fields: QueryItems = [
      "name": "Night batch", "type": "confidential", "redirect_uris": "https://batch.example/back",
      "connection": "maps",
      "raw_token": "maps", "unattended": "maps", "unattended_networks": "10.20.0.0/16\r\nfd00::/8",
    ]
    for grant in ["authorization_code", "token_exchange"] { fields.append("grant", grant) }
    for scope in ["vend", "vend:unattended"] { fields.append("scope", scope) }
    let incomplete = try await browser.submit(fields, on: "/admin/clients/new")
    #expect(incomplete.status == 422 && incomplete.text.contains("id=\"unattended_keys-error\""))
    #expect(incomplete.text.contains("value=\"vend:unattended\" checked"))
    fields.append("unattended_keys", set)
    let answer = try await browser.submit(fields, on: "/admin/clients/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let made = try #require(
      try await world.installation.store.read { try $0.clients() }.first { $0.name == "Night batch" })
    #expect(made.options.unattendedNetworks == ["10.20.0.0/16", "fd00::/8"])
    #expect(made.permissions == [.init(connection: world.connection.id, handsOutRawTokens: true, isUnattended: true)])
    let page = await browser.get("/admin/clients/\(made.id)").text
    #expect(page.contains("Raw token, also unattended") && page.contains("<code>10.20.0.0/16</code>"))
    let edit = await browser.get("/admin/clients/\(made.id)/edit")
    #expect(
      edit.text.contains("name=\"unattended\" value=\"maps\" checked") && edit.text.contains("10.20.0.0/16\nfd00"))
    let less: QueryItems = [
      "name": "Night batch", "redirect_uris": "https://batch.example/back", "connection": "maps", "raw_token": "maps",
      "grant": "authorization_code", "scope": "vend",
    ]
    _ = await browser.submit(less, after: edit, to: "/admin/clients/\(made.id)/edit")
    let changed = try #require(try await world.installation.store.read { try $0.client(made.id) })
    #expect(changed.options.unattendedKeys == nil && !changed.permissions.contains(where: \.isUnattended))
  }

  @Test("is for administrators: an app that registers itself gets nothing of it")
  func selfRegistration() async throws {
    var policy = RegistrationPolicy()
    policy.mode = .open
    let gatehouse = try await TestInstallation(registration: policy)
    let json: JSONValue = [
      "client_name": "Garden", "redirect_uris": ["https://garden.example/back"],
      "scope": "vend vend:unattended openid",
      "unattended_jwks": try JSONValue(parsing: Self.keys(try UnattendedStage.key.get())),
      "unattended_networks": ["10.0.0.0/8"],
    ]
    let answer = await gatehouse.send(
      .post, "/oauth2/register", headers: ["content-type": "application/json"], body: json.encoded())
    #expect(answer.status == .created, "\(answer.text)")
    let made = try await gatehouse.store.read { try $0.clients() }
    #expect(made.count == 1 && made[0].scope.text == "openid")
    #expect(made[0].options.unattendedKeys == nil && made[0].options.unattendedNetworks.isEmpty)
  }
}
