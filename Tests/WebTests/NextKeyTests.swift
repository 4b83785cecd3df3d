import Domain
import HTTP
import JSON
import Simulator
import Storage
import Testing

@testable import Flows
@testable import Web

@Suite("The two slots of an API key credential") struct NextKeyTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let admin: TestBrowser
  private let id: ConnectionID
  private let client: TestClient
  /// The keys of the slots 1 and 2.
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
    let key = TypedToken(token: Secret(first), expiresAt: gatehouse.time.now + 20 * 86_400, referer: nil)
    _ = try await CreateConnection(gatehouse.here)(
      draft, clientSecret: nil, key: key, by: nil, TestInstallation.visitor)
    client = try await gatehouse.client(connections: [id])
  }

  /// Enters the second key as the next one, good for `days`.
  private func enter(_ key: String? = nil, days: Int64 = 60) async throws -> Response {
    let end = "\((gatehouse.time.now + days * 86_400).seconds)000"
    return try await admin.submit(
      ["use": "next", "token": key ?? second, "expires": end, "referer": ""], on: "/admin/connections/keys",
      to: "/admin/connections/keys/key")
  }

  private func vended() async throws -> String? {
    let own = await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
    var headers = Headers()
    let access = try #require(try own.json.string("access_token"))
    headers.set("authorization", try #require(FieldValue("Bearer \(access)")))
    let query: QueryItems = ["resource": portal.origin + "/sharing/rest/portals/self"]
    return try await gatehouse.send(.get, query.appended(to: "/v1/token"), headers: headers).json
      .string("access_token")
  }

  private func credential() async throws -> Credential {
    let found = try await gatehouse.here.store.read { [id] in try $0.credential(of: Account.service, for: id) }
    return try #require(found)
  }

  @Test("the next key waits while the one in use works, and takes over when that ends")
  func ends() async throws {
    let page = await admin.follow(try await enter()).text
    #expect(page.contains("Key in use") && page.contains("Next key") && page.contains("Slot 2"), "\(page)")
    #expect(!page.contains(second) && !page.contains(first))
    #expect(try await vended() == first)
    let now = gatehouse.time.now
    #expect(try await credential().endsAt == now + 60 * 86_400, "what is warned of is the last end")
    gatehouse.time.advance(by: 20 * 86_400)
    #expect(try await vended() == second)
    #expect(try await credential().canRefresh == false)
    #expect(try await credential().endsAt == now + 60 * 86_400)
  }

  @Test("the next key takes over at once when an administrator says so, and can be removed before")
  func now() async throws {
    _ = try await enter()
    let remove = try await admin.submit([:], on: "/admin/connections/keys", to: "/admin/connections/keys/key/remove")
    #expect(!(await admin.follow(remove).text.contains("Next key")))
    let none = try await admin.submit([:], on: "/admin/connections/keys", to: "/admin/connections/keys/key/use")
    #expect(none.text.contains("has no next key"))
    #expect(try await vended() == first)
    _ = try await enter()
    _ = try await admin.submit([:], on: "/admin/connections/keys", to: "/admin/connections/keys/key/use")
    #expect(try await vended() == second)
    let connection = try await gatehouse.here.store.read { [id] in try $0.connection(id) }
    let keys = try await gatehouse.here.keys(of: try #require(connection))
    #expect(keys.map(\.slot) == [2] && keys.map(\.isNext) == [false])
  }

  @Test("the next key takes over when the portal refuses the one in use, and not before")
  func refused() async throws {
    _ = try await enter()
    try await TryKeys(gatehouse.here)()
    #expect(try await vended() == first)
    _ = try await portal.key(slot: 1)
    try await TryKeys(gatehouse.here)()
    #expect(try await vended() == second)
  }

  @Test("a next key that is refused leaves the one in use alone to its end")
  func dead() async throws {
    _ = try await enter()
    _ = try await portal.key(slot: 2)
    let use = try await admin.submit([:], on: "/admin/connections/keys", to: "/admin/connections/keys/key/use")
    #expect(use.text.contains("does not accept the key"))
    gatehouse.time.advance(by: 20 * 86_400 - 30)
    #expect(try await vended() == first)
    #expect(try await credential().state == .active)
    gatehouse.time.advance(by: 60)
    #expect(try await vended() == nil)
    #expect(try await credential().state == .reauthRequired)
  }

  @Test("a key of the slot in use, or that key itself, cannot be the next")
  func sameSlot() async throws {
    let same = try await enter(first)
    #expect(same.status == 422 && same.text.contains("This is the key in use"))
    let again = try await enter(try await portal.key(slot: 1))
    #expect(again.status == 422 && again.text.contains("stands in the slot of the one in use"))
    #expect(try await credential().canRefresh == false)
  }

  @Test("replacing the key in use keeps the next one, unless it was made in that slot")
  func replace() async throws {
    _ = try await enter()
    let end = "\((gatehouse.time.now + 86_400).seconds)000"
    for (slot, isKept) in [(1, true), (2, false)] {
      let fields: QueryItems = ["use": "now", "token": try await portal.key(slot: slot), "expires": end, "referer": ""]
      let answer = try await admin.submit(
        fields, on: "/admin/connections/keys", to: "/admin/connections/keys/key")
      #expect(await admin.follow(answer).text.contains("Next key") == isKept, "slot \(slot)")
    }
  }

  @Test("keys are not renewed before their end, however near that is")
  func notEarly() async throws {
    _ = try await enter(days: 20)
    gatehouse.time.advance(by: 20 * 86_400 - 3600)
    _ = try await vended()
    gatehouse.time.advance(by: 3000)
    let due = try await gatehouse.here.store.read { [now = gatehouse.time.now] in
      try $0.dueRefreshes(at: now, limit: 10).count
    }
    #expect(due == 0)
  }
}

extension SimulatedClient {
  static let keys = SimulatedClient(id: "key-item", redirectURIs: [], secret: "key-secret", makesKeys: true)
}

extension TestPortal {
  /// A new key in a slot, which ends the one that stood there.
  func key(slot: Int) async throws -> String {
    let form: QueryItems = [
      "f": "json", "grant_type": "client_credentials", "client_id": "key-item", "client_secret": "key-secret",
      "apiToken": String(slot), "regenerateApiToken": "true",
    ]
    return try #require(try await post(form, to: "/sharing/rest/oauth2/token").string("access_token"))
  }
}
