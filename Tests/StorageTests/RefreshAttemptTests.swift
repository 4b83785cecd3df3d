import Domain
import SQL
import Storage
import Testing

@Suite("The journal of refreshes")
struct RefreshAttemptTests {
  /// Puts in a credential and begins a refresh of it, with a lease of 30 seconds.
  static func begin(in store: Store) async throws -> RefreshAttempt {
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let id = RefreshAttemptID(random: "one")
    let isOurs = try await store.write {
      try $0.beginRefresh(id, of: credential.id, generation: 1, leaseUntil: Samples.now + 30)
    }
    #expect(isOurs)
    return try #require(try await store.read { try $0.refreshAttempt(of: credential.id) })
  }

  @Test("an attempt comes back as it was begun, and its answer as it was recorded", arguments: TestDatabase.available)
  func roundTrip(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let attempt = try await Self.begin(in: store)
    #expect(
      attempt
        == RefreshAttempt(
          id: RefreshAttemptID(random: "one"), credential: Samples.credential().id, generation: 1, posts: 1,
          leaseUntil: Samples.now + 30, answer: nil))
    try await store.write { _ = try $0.recordAnswer(Samples.sealed(5), of: attempt.id, at: Samples.now) }
    #expect(try await store.read { try $0.refreshAttempt(of: attempt.credential)?.answer } == Samples.sealed(5))
    let counts = try await store.read { try $0.sealedCounts() }
    #expect(counts.contains { $0.table == "refresh_attempt" && $0.kekID == Samples.kek && $0.count == 1 })
    #expect(try await store.write { try $0.endRefresh(attempt) })
    #expect(try await store.read { try $0.refreshAttempt(of: attempt.credential) } == nil)
  }

  @Test("a refresh begins only for an active credential of the same generation", arguments: TestDatabase.available)
  func begins(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    func begin(_ id: CredentialID, _ generation: Int64) async throws -> Bool {
      try await store.write {
        try $0.beginRefresh(RefreshAttemptID(random: "x"), of: id, generation: generation, leaseUntil: Samples.now)
      }
    }
    #expect(try await !begin(credential.id, 2))
    #expect(try await !begin(CredentialID(random: "unknown"), 1))
    try await store.write { try $0.markReauthRequired(credential.id, generation: 1) }
    #expect(try await !begin(credential.id, 2))
  }

  @Test("only attempts whose lease has run out are abandoned, the oldest first", arguments: TestDatabase.available)
  func abandoned(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let attempt = try await Self.begin(in: store)
    let second = Samples.credential("two", of: Samples.ben.id)
    try await store.write {
      try $0.put(second, tokens: Samples.sealed())
      _ = try $0.beginRefresh(
        RefreshAttemptID(random: "two"), of: second.id, generation: 1, leaseUntil: Samples.now + 10)
    }
    func abandoned(at now: Timestamp) async throws -> [CredentialID] {
      try await store.read { try $0.abandonedRefreshAttempts(at: now).map(\.credential) }
    }
    #expect(try await abandoned(at: Samples.now + 9) == [])
    #expect(try await abandoned(at: Samples.now + 10) == [second.id])
    #expect(try await abandoned(at: Samples.now + 30) == [second.id, attempt.credential])
  }

  @Test("a live lease is not taken over", arguments: TestDatabase.available)
  func live(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let attempt = try await Self.begin(in: store)
    #expect(
      try await !store.write {
        try $0.takeOver(attempt, posts: 2, leaseUntil: Samples.now + 60, at: attempt.leaseUntil - 1)
      })
    #expect(try await store.read { try $0.refreshAttempt(of: attempt.credential) } == attempt)
  }

  @Test("whoever lost the lease neither ends nor releases what another holds", arguments: TestDatabase.available)
  func fencing(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let attempt = try await Self.begin(in: store)
    let now = attempt.leaseUntil
    try await store.write { _ = try $0.takeOver(attempt, posts: 2, leaseUntil: now + 30, at: now) }
    let current = try #require(try await store.read { try $0.refreshAttempt(of: attempt.credential) })
    #expect(try await !store.write { try $0.endRefresh(attempt) })
    #expect(try await !store.write { try $0.releaseLease(of: attempt, posts: 1, at: now) })
    #expect(try await store.read { try $0.refreshAttempt(of: attempt.credential) } == current)
    #expect(try await store.write { try $0.releaseLease(of: current, posts: 1, at: now + 1) })
    let released = try #require(try await store.read { try $0.refreshAttempt(of: attempt.credential) })
    #expect(released.posts == 1 && released.leaseUntil == now + 1)
    #expect(try await store.write { try $0.endRefresh(released) })
  }

  @Test("a closing credential is shredded only after its refresh has ended", arguments: TestDatabase.available)
  func shredding(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let attempt = try await Self.begin(in: store)
    let id = attempt.credential
    #expect(try await !store.write { try $0.shredClosedCredential(id) }, "it is not closing")
    try await store.write { _ = try $0.closeCredential(id, of: Samples.ana.id) }
    #expect(try await !store.write { try $0.shredClosedCredential(id) })
    #expect(try await store.write { try $0.shredClosedCredentials() } == 0)
    try await store.write { try $0.endRefresh(attempt) }
    #expect(try await store.write { try $0.shredClosedCredential(id) })
    #expect(try await store.read { try $0.sealedCredential(id) } == nil)
  }

  @Test("the room for an answer is set aside with the intent", arguments: TestDatabase.available)
  func room(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    _ = try await Self.begin(in: store)
    let bytes = try await database.read { try $0.first("SELECT box FROM refresh_attempt")?.bytes("box").count }
    #expect(bytes == RefreshAttempt.reservedAnswerBytes)
  }
}
