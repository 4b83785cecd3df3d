import Domain
import HTTP
import JSON
import Simulator
import Storage
import Testing

@testable import Flows
@testable import Web

@Suite("Cancelling API keys at ArcGIS") struct CancelKeyTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let admin: TestBrowser
  private let id: ConnectionID
  /// The keys of the slots 1 and 2: the one in use and the next.
  private let first: String
  private let second: String

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal(SimulatorConfiguration(clients: [.keys]))
    admin = TestBrowser(gatehouse, try await gatehouse.administrator())
    id = try #require(ConnectionID("keys"))
    (first, second) = (try await portal.key(slot: 1), try await portal.key(slot: 2))
    var draft = Connection(
      id: id, name: "Geocoding", kind: .apiKey, origin: portal.origin, clientID: "", createdAt: gatehouse.time.now)
    draft.resources = [try #require(ResourcePattern(portal.origin))]
    _ = try await CreateConnection(gatehouse.here)(
      draft, clientSecret: nil, key: typed(first), by: nil, TestInstallation.visitor)
    try await NextKey(gatehouse.here).put(typed(second), of: id, by: nil, TestInstallation.visitor)
  }

  private func typed(_ key: String) -> TypedToken {
    TypedToken(token: Secret(key), expiresAt: gatehouse.time.now + 20 * 86_400, referer: nil)
  }

  private func nameItem(secret: String = "key-secret") async throws {
    let fields: QueryItems = ["key_client_id": "key-item", "key_client_secret": secret]
    let answer = try await admin.submit(
      fields, on: "/admin/connections/keys", to: "/admin/connections/keys/key/item")
    let page = await admin.follow(answer).text
    #expect(page.contains("key-item") && !page.contains(secret), "\(page)")
  }

  /// Presses a button of the page; gives what it says then.
  private func press(_ verb: String, _ fields: QueryItems = [:]) async throws -> String {
    let answer = try await admin.submit(
      fields, on: "/admin/connections/keys", to: "/admin/connections/keys/key/\(verb)")
    return await admin.follow(answer).text
  }

  /// Which of `keys` the portal accepts.
  private func works(_ keys: [String]) async throws -> [Bool] {
    var works: [Bool] = []
    for key in keys {
      let headers: Headers = ["x-esri-authorization": try #require(FieldValue("Bearer \(key)"))]
      let answer = try await portal.answer(to: portal.origin + "/sharing/rest/portals/self", headers)
      works.append(answer["error"] == nil)
    }
    return works
  }

  private func count(_ name: AuditEvent.Name) async throws -> Int {
    try await gatehouse.store.read { try $0.auditRecords(limit: 100).count { $0.event.name == name } }
  }

  @Test("the old key dies when the next one is used and the box is ticked")
  func use() async throws {
    try await nameItem()
    #expect(try await press("use", ["cancel": "1"]).contains("It was cancelled at ArcGIS"))
    #expect(try await works([first, second]) == [false, true])
    #expect(try await count(.upstreamRevoked) == 1)
    #expect(try await gatehouse.count("revocation") == 0)
  }

  @Test("without the box, or without the secret, it works on, and the page says until when")
  func left() async throws {
    #expect(try await press("remove").contains("It cannot be cancelled from here"))
    #expect(try await works([second]) == [true])
    try await NextKey(gatehouse.here).put(typed(second), of: id, by: nil, TestInstallation.visitor)
    try await nameItem()
    #expect(try await press("use").contains("It was not cancelled: it works until"))
    let details = try await gatehouse.store.read { try $0.auditRecords(limit: 100).compactMap(\.event.detail) }
    for words in ["remove next key; the dropped key cannot be", "use next key; the dropped key is not"] {
      #expect(details.contains { $0.hasPrefix(words) }, "\(details)")
    }
    #expect(try await works([first, second]) == [true, true])
    #expect(try await gatehouse.count("revocation") == 0)
  }

  @Test("a key that is removed or replaced dies, too, and the secret stays")
  func others() async throws {
    try await nameItem()
    #expect(try await press("remove").contains("It was cancelled at ArcGIS"))
    #expect(try await works([first, second]) == [true, false])
    let third = try await portal.key(slot: 2)
    let ending = try await ReplaceKey(gatehouse.here)(
      typed(third), of: id, cancelsOld: true, by: nil, TestInstallation.visitor)
    #expect(ending == .cancelled)
    #expect(try await works([first, third]) == [false, true])
  }

  @Test("a portal that does not answer is asked again, and no key that was made meanwhile is touched")
  func retry() async throws {
    try await nameItem()
    await portal.fault("status", at: "token.client_credentials", value: 503, times: 1)
    #expect(try await press("use", ["cancel": "1"]).contains("ArcGIS has not confirmed"))
    #expect(try await count(.upstreamNotRevoked) == 1)
    #expect(try await works([first]) == [true])
    let again = try await portal.key(slot: 1)
    gatehouse.time.advance(by: 20)
    try await DeliverRevocations(gatehouse.here)()
    #expect(try await gatehouse.count("revocation") == 0)
    #expect(try await works([again]) == [true])
  }

  @Test("a wrong secret is no reason to believe that the key is dead")
  func wrongSecret() async throws {
    try await nameItem(secret: "wrong")
    #expect(try await press("use", ["cancel": "1"]).contains("ArcGIS has not confirmed"))
    #expect(try await works([first]) == [true])
    #expect(try await gatehouse.count("revocation") == 1)
  }

  @Test("deleting the connection cancels both keys")
  func deletion() async throws {
    try await nameItem()
    try await ChangeConnection(gatehouse.here)(.delete, id, by: nil, TestInstallation.visitor)
    #expect(try await works([first, second]) == [false, false])
    #expect(try await gatehouse.count("connection") == 0)
  }

  @Test("the client secret is asked for", arguments: ["key_client_id", "key_client_secret"])
  func incomplete(_ missing: String) async throws {
    var fields: QueryItems = [:]
    for name in ["key_client_id", "key_client_secret"] { fields.append(name, name == missing ? "" : "given") }
    let answer = try await admin.submit(
      fields, on: "/admin/connections/keys", to: "/admin/connections/keys/key/item")
    #expect(answer.status == 422 && answer.text.contains("Enter the client"))
  }
}
