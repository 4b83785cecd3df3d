import Domain
import SQL
import Storage
import Testing

@Suite("API keys in the store")
struct APIKeyTests {
  private static let now = Samples.now

  private static func slot(_ number: Int64, _ byte: UInt8) -> ClientAPIKey.Slot {
    ClientAPIKey.Slot(
      number: number, code: [byte], pepperID: "p\(byte)", createdAt: now, expiresAt: now + Int64(byte))
  }

  private static func key(_ random: String = "one") throws -> ClientAPIKey {
    ClientAPIKey(
      id: APIKeyID(random: random), client: Samples.client().id, name: "Night \(random)", kind: .publishable,
      scope: APIKeyScope(
        connections: [Samples.connection().id], resources: [try #require(ResourcePattern("https://a.example/b"))],
        methods: ["GET", "HEAD"], longestAnswer: 1000),
      limits: APIKeyLimits(
        referrers: [try #require(ResourcePattern("*.example.org"))], networks: ["10.0.0.0/8", "fd00::/8"], perMinute: 5,
        perDay: 6),
      createdAt: now, slots: [slot(1, 1)])
  }

  private func store(_ kind: TestDatabase) async throws -> Store {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let key = try Self.key()
    try await store.write { try $0.insert(key) }
    return store
  }

  @Test("a key is read as it was stored, with both secrets", arguments: TestDatabase.available)
  func keys(_ kind: TestDatabase) async throws {
    let (store, key) = (try await store(kind), try Self.key())
    #expect(try await store.read { try $0.apiKey(key.id) } == key)
    #expect(try await store.read { try $0.apiKey(APIKeyID(random: "none")) } == nil)
    try await store.write { tx in
      try tx.put(Self.slot(2, 2), of: key.id)
      try tx.put(Self.slot(1, 3), of: key.id)
    }
    let both = try await store.read { try $0.apiKeys(of: key.client) }
    #expect(both.map(\.slots) == [[Self.slot(1, 3), Self.slot(2, 2)]])
    #expect(try await store.read { try $0.apiKeys() } == both)
  }

  @Test("a key is changed, and nothing but what may be", arguments: TestDatabase.available)
  func changes(_ kind: TestDatabase) async throws {
    let (store, key) = (try await store(kind), try Self.key())
    let edit = APIKeyEdit(
      name: "Day", scope: APIKeyScope(connections: [Samples.connection("other").id], methods: ["POST"]),
      limits: APIKeyLimits(perDay: 9))
    let version = store.configurationVersion
    try await store.write { try $0.update(key.applying(edit)) }
    #expect(store.configurationVersion > version, "what was read of it is read again")
    let changed = try #require(try await store.read { try $0.apiKey(key.id) })
    #expect(changed == key.applying(edit) && changed.kind == key.kind && changed.slots == key.slots)
    #expect(try await store.read { try $0.apiKeys(called: "Day") } == [key.id])
    #expect(try await store.read { try $0.apiKeys(called: "Night one") }.isEmpty)
  }

  @Test("a key and a secret end once", arguments: TestDatabase.available)
  func revocation(_ kind: TestDatabase) async throws {
    let (store, id) = (try await store(kind), try Self.key().id)
    let version = store.configurationVersion
    #expect(try await store.write { try $0.revokeAPIKeySlot(1, of: id, at: Self.now + 1) })
    #expect(store.configurationVersion > version, "what was read of it is read again")
    #expect(try await store.write { try !$0.revokeAPIKeySlot(1, of: id, at: Self.now + 2) })
    #expect(try await store.write { try !$0.revokeAPIKeySlot(2, of: id, at: Self.now + 2) })
    #expect(try await store.write { try $0.revokeAPIKey(id, at: Self.now + 3) })
    #expect(try await store.write { try !$0.revokeAPIKey(id, at: Self.now + 4) })
    let ended = try #require(try await store.read { try $0.apiKey(id) })
    #expect(ended.revokedAt == Self.now + 3 && ended.slots.map(\.revokedAt) == [Self.now + 1])
    #expect(try await store.write { try $0.deleteAPIKeys(revokedBefore: Self.now + 3) } == 0)
    try await store.write { _ = try $0.deleteClient(Samples.client().id) }
    #expect(try await store.read { try $0.apiKey(id) } == nil)
  }

  @Test("uses add up by day, and leave alone what is kept of changes", arguments: TestDatabase.available)
  func uses(_ kind: TestDatabase) async throws {
    let (store, id) = (try await store(kind), try Self.key().id)
    let version = store.changeVersion
    func use(_ day: Int64, _ calls: Int64, _ refusals: Int64, at time: Timestamp) -> APIKeyUse {
      var use = APIKeyUse(key: id, day: day)
      (use.calls, use.refusals, use.lastUses) = (calls, refusals, [1: time])
      return use
    }
    try await store.add([use(100, 2, 1, at: Self.now + 9), use(101, 5, 0, at: Self.now + 20)])
    try await store.add([use(101, 1, 1, at: Self.now + 10), APIKeyUse(key: APIKeyID(random: "gone"), day: 101)])
    #expect(store.changeVersion == version)
    let days = try await store.read { try $0.uses(of: id, from: 101) }
    #expect(days.map { [$0.day, $0.calls, $0.refusals] } == [[101, 6, 1]])
    #expect(try await store.read { try $0.apiKey(id)?.slots.first?.lastUsedAt } == Self.now + 20)
    #expect(try await store.write { try $0.deleteAPIKeyUses(before: 101) } == 1)
    #expect(try await store.write { try $0.deleteAPIKeyUses(before: 101) } == 0)
  }
}
