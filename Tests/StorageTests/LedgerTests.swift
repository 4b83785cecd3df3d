import Domain
import SQL
import Testing

@testable import Storage

@Suite("The ledger")
struct LedgerTests {
  private static let other = ClientID(random: "other")

  private func vend(
    _ name: AuditEvent.Name = .vended, of client: ClientID = Samples.client().id,
    for account: AccountID? = Samples.ana.id,
    connection: ConnectionID? = Samples.connection().id, after seconds: Int64 = 0
  ) -> AuditEvent {
    AuditEvent(
      name, name == .vended ? .success : .failure, at: Samples.now + seconds, origin: .system, account: account,
      client: client, connection: connection, resource: "https://gis.example.org/\(seconds)")
  }

  /// Every page of what `filter` means, as the seconds after which each row was written.
  private func pages(_ filter: AuditFilter, by limit: Int, in store: Store) async throws -> [[Int64]] {
    var (pages, position): ([[Int64]], LedgerPosition?) = ([], nil)
    while pages.count < 20 {
      let place = position
      let part = try await store.read { try $0.vends(filter, after: place, limit: limit) }
      guard let last = part.records.last else { break }
      pages.append(part.records.map { $0.event.at - Samples.now })
      position = LedgerPosition(at: last.event.at, id: last.id)
    }
    return pages
  }

  @Test(
    "is read newest first, a page at a time, for an account, an app of it, or everybody",
    arguments: TestDatabase.available)
  func paged(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let (ben, other) = (Samples.ben.id, Self.other)
    let events = [
      vend(after: 1), vend(.vendRefused, connection: nil, after: 2), vend(of: other, after: 3),
      vend(of: other, for: ben, after: 4), vend(after: 5), vend(for: nil, after: 6), vend(after: 5),
    ]
    try await store.write { tx in
      for event in events { try tx.insert(event) }
      try tx.insert(Samples.event(.tokenIssued))
    }
    var filter = AuditFilter()
    #expect(try await pages(filter, by: 3, in: store) == [[5, 6, 5], [4, 3, 2], [1]])
    filter.clients = [other]
    #expect(try await pages(filter, by: 3, in: store) == [[4, 3]])
    filter.accounts = [Samples.ana.id]
    #expect(try await pages(filter, by: 3, in: store) == [[3]])
    filter.clients = []
    #expect(try await pages(filter, by: 2, in: store) == [[5, 5], [3, 2], [1]])
    filter.connections = [Samples.connection().id]
    #expect(try await pages(filter, by: 2, in: store) == [[5, 5], [3, 1]])
    filter.names = [.vendRefused]
    #expect(try await pages(filter, by: 2, in: store).isEmpty)
    filter.connections = []
    #expect(try await pages(filter, by: 2, in: store) == [[2]])
    filter.names = []
    (filter.from, filter.until) = (Samples.now + 2, Samples.now + 5)
    #expect(try await pages(filter, by: 2, in: store) == [[3, 2]])
  }

  @Test("a search for what is rare ends, says how far it came, and goes on from there")
  func rare() async throws {
    let store = try await TestDatabase.sqlite.makeStore()
    let (first, others) = (vend(of: Self.other), vend(after: 1))
    try await store.write { tx in
      try tx.insert(first)
      for _ in 0..<10_000 { try tx.insert(others) }
    }
    var filter = AuditFilter()
    filter.clients = [Self.other]
    let part = try await store.read { [filter] in try $0.vends(filter, after: nil, limit: 10) }
    #expect(part.records.isEmpty)
    let position = try #require(part.lookedUntil)
    let rest = try await store.read { [filter] in try $0.vends(filter, after: position, limit: 10) }
    #expect(rest.records.count == 1 && rest.lookedUntil == nil)
  }

  @Test("is found by an index and not by reading the log")
  func indexed() async throws {
    let (store, database) = try await TestDatabase.sqlite.open()
    try await store.write { [event = vend()] tx in for _ in 0..<100 { try tx.insert(event) } }
    let (account, client) = (Samples.ana.id, Samples.client().id)
    let plans = try await database.read { session in
      let place = LedgerPosition(at: Samples.now, id: 5)
      let use = LedgerUse(account: account, client: client, name: .vended)
      let statements: [Statement] = [
        .places(of: use, AuditFilter(), after: place, limit: 50), .apps(of: account),
        .lowest(of: 10, from: 0, before: 1 << 60),
      ]
      return try statements.map { statement in
        try session.rows(statement.explained).map { try $0.text("detail") }
      }
    }
    let searches = [
      "INDEX audit_by_account (account_id=? AND client_id=? AND name=?", "INDEX audit_by_account", "PRIMARY KEY",
    ]
    // The few apps of an account are put in order; rows of the log never are.
    #expect(![plans[0], plans[2]].joined().contains { $0.contains("TEMP B-TREE") })
    for (plan, search) in zip(plans, searches) {
      #expect(plan.contains { $0.contains(search) }, "\(plan)")
      #expect(!plan.contains { $0.hasPrefix("SCAN audit") }, "\(plan)")
    }
  }
}

extension Statement {
  /// The same, asked how it would be carried out.
  fileprivate var explained: Statement {
    var explained = Interpolation(literalCapacity: 400, interpolationCount: 9)
    explained.appendLiteral("EXPLAIN QUERY PLAN ")
    var rest = text[...]
    for value in binds.enumerated() {
      let mark = "$\(value.offset + 1)"
      guard let place = rest.firstRange(of: mark) else { continue }
      explained.appendLiteral(String(rest[..<place.lowerBound]))
      explained.appendInterpolation(Bound(sqlValue: value.element))
      rest = rest[place.upperBound...]
    }
    explained.appendLiteral(String(rest))
    return Statement(stringInterpolation: explained)
  }
}

private struct Bound: Bindable { let sqlValue: Value }
