import Domain
import Storage
import Testing

@Suite("What was vended, counted by day")
struct VendUseTests {
  private static let (ana, ben) = (Samples.ana.id, Samples.ben.id)
  private static let (one, two) = (ClientID(random: "one"), ClientID(random: "two"))
  private static let (roads, plans) = ("https://a.example/roads", "https://a.example/roads/plans")

  private func counted(
    _ id: Int64, _ client: ClientID, _ account: AccountID?, _ resource: String?, day: Int64, _ calls: Int64,
    _ refusals: Int64 = 0
  ) -> CountedVends {
    let use = VendUse(
      client: client, key: id == 1 ? APIKeyID(random: "key") : nil, connection: Samples.connection().id,
      account: account, resource: resource)
    return CountedVends(id: id, use: use, day: day, calls: calls, refusals: refusals)
  }

  private func store(_ kind: TestDatabase) async throws -> Store {
    let store = try await kind.makeStore()
    try await store.add([
      counted(1, Self.one, Self.ana, Self.roads, day: 100, 5),
      counted(2, Self.one, Self.ben, Self.plans, day: 100, 2, 1),
      counted(3, Self.two, Self.ana, nil, day: 101, 1),
    ])
    try await store.add([
      counted(1, Self.one, Self.ana, Self.roads, day: 100, 1, 3),
      counted(1, Self.one, Self.ana, Self.roads, day: 102, 4),
    ])
    return store
  }

  private func read(
    _ dimension: UsageDimension, _ filter: UsageFilter, in store: Store
  ) async throws -> [String] {
    try await store.read { tx in
      let subjects = try tx.usageSubjects(by: dimension, filter, limit: 10)
      let figures = try tx.usage(by: dimension, of: subjects, filter)
      return subjects.flatMap { subject in
        figures.filter { $0.subject == subject }.map { "\(subject) \($0.day) \($0.count.calls) \($0.count.refusals)" }
      }
    }
  }

  @Test("adds up, and is told apart by each thing, the most first", arguments: TestDatabase.available)
  func figures(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    let version = store.changeVersion
    let all = UsageFilter(days: 100...102)
    #expect(
      try await read(.client, all, in: store) == [
        "\(Self.one) 100 8 4", "\(Self.one) 102 4 0", "\(Self.two) 101 1 0",
      ])
    #expect(
      try await read(.resource, all, in: store) == [
        "\(Self.roads) 100 6 3", "\(Self.roads) 102 4 0", "\(Self.plans) 100 2 1", " 101 1 0",
      ])
    #expect(try await read(.account, all, in: store).first == "\(Self.ana) 100 6 3")
    #expect(try await read(.key, UsageFilter(days: 101...101), in: store) == [" 101 1 0"])
    let days = try await store.read { try $0.usage(all).map { "\($0.day) \($0.count.calls) \($0.count.refusals)" } }
    #expect(days == ["100 8 4", "101 1 0", "102 4 0"])
    let first = try await store.read { try $0.usageSubjects(by: .client, all, limit: 1) }
    #expect(first == [Self.one.text])
    #expect(store.changeVersion == version)
  }

  @Test("is narrowed to what is meant", arguments: TestDatabase.available)
  func narrowed(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    var filter = UsageFilter(days: 100...102)
    filter.accounts = [Self.ben]
    #expect(try await read(.client, filter, in: store) == ["\(Self.one) 100 2 1"])
    filter.accounts = []
    (filter.clients, filter.connections) = ([Self.two], [Samples.connection().id])
    #expect(try await read(.account, filter, in: store) == ["\(Self.ana) 101 1 0"])
    filter.clients = []
    filter.keys = [APIKeyID(random: "key")]
    #expect(try await read(.connection, filter, in: store).count == 2)
    filter.keys = []
    filter.resource = Self.roads
    #expect(try await read(.resource, filter, in: store).count == 3)
    filter.resource = "https://a.example/road"
    #expect(try await read(.resource, filter, in: store).isEmpty)
  }

  @Test("is forgotten by the day", arguments: TestDatabase.available)
  func forgotten(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    #expect(try await store.write { try $0.deleteVendUseDays(before: 102) } == 2)
    #expect(try await store.write { try $0.deleteVendUseDays(before: 102) } == 1)
    #expect(try await store.write { try $0.deleteVendUseDays(before: 102) } == 0)
    #expect(try await store.write { try $0.deleteVendUses(before: 102) } == 2)
    #expect(try await read(.client, UsageFilter(days: 0...200), in: store) == ["\(Self.one) 102 4 0"])
  }
}
