import Domain
import SQL
import Storage
import Testing

@Suite("What goes with what")
struct CascadeTests {
  @Test("the rows of an account go with it; the audit log and the outbox stay", arguments: TestDatabase.available)
  func account(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    _ = try await RefreshAttemptTests.begin(in: store)
    let credential = Samples.credential()
    let identity = UpstreamIdentity(connection: credential.connection, issuer: "i", subject: "s", displayName: "n")
    try await store.write { tx in
      _ = try tx.putServerToken(Samples.sealed(), of: credential, root: "r", expiresAt: Samples.now + 1)
      try tx.link(identity, to: Samples.ana.id, at: Samples.now)
      try tx.setPasswordHash("hash", of: Samples.ana.id, at: Samples.now)
      try tx.insert(StoreTests.session)
      try tx.insert(Samples.family())
      try tx.insert(Samples.refreshChain())
      try tx.insert(Samples.code())
      try tx.insert(Samples.attempt(1, purpose: .connect(Samples.ana.id)), secrets: Samples.sealed())
      try tx.put(
        Consent(
          account: Samples.ana.id, client: Samples.client().id, scope: .none, connections: [], givenAt: Samples.now))
      try tx.insert(Samples.revocation("r"), tokens: Samples.sealed())
      try tx.insert(Samples.event())
    }
    try await database.write { try $0.run("DELETE FROM account WHERE id = \(Samples.ana.id.text)") }
    let gone: [Statement] = [
      "SELECT count(*) AS n FROM credential", "SELECT count(*) AS n FROM refresh_attempt",
      "SELECT count(*) AS n FROM server_token", "SELECT count(*) AS n FROM identity",
      "SELECT count(*) AS n FROM local_password", "SELECT count(*) AS n FROM session",
      "SELECT count(*) AS n FROM token_family", "SELECT count(*) AS n FROM refresh_chain",
      "SELECT count(*) AS n FROM authorization_code", "SELECT count(*) AS n FROM sign_in_attempt",
      "SELECT count(*) AS n FROM consent",
    ]
    let kept: [Statement] = ["SELECT count(*) AS n FROM revocation", "SELECT count(*) AS n FROM audit"]
    try await database.read { session throws in
      for statement in gone { #expect(try session.first(statement)?.integer("n") == 0, "\(statement.text)") }
      for statement in kept { #expect(try session.first(statement)?.integer("n") == 1, "\(statement.text)") }
    }
  }

  @Test("nothing can be stored for an account, connection or key that is not there", arguments: TestDatabase.available)
  func references(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let nobody = AccountID(random: "nobody")
    let attempts: [@Sendable (Transaction) throws -> Void] = [
      { try $0.put(Samples.credential(of: nobody), tokens: Samples.sealed()) },
      { try $0.put(Samples.credential(for: Samples.connection("none")), tokens: Samples.sealed()) },
      { try $0.put(Samples.credential(), tokens: Sealed(kekID: "none", wrappedKey: [], box: [])) },
      { try $0.insert(Samples.refreshChain(family: "none")) },
      { try $0.setPasswordHash("hash", of: nobody, at: Samples.now) },
    ]
    for attempt in attempts { await #expect(throws: DatabaseError.self) { try await store.write(attempt) } }
  }

  @Test("a throw undoes everything that its body wrote, and only that", arguments: TestDatabase.available)
  func rollBack(_ kind: TestDatabase) async throws {
    struct Stop: Error {}
    let store = try await kind.makeStore()
    let before = store.configurationVersion
    await #expect(throws: Stop.self) {
      try await store.write { tx in
        try tx.insert(Samples.ana)
        throw Stop()
      }
    }
    try await store.write { try $0.insert(Samples.ben) }
    #expect(try await store.read { try $0.accounts() } == [Samples.ben])
    #expect(store.configurationVersion > before, "a failed write may have happened")
  }

  @Test("a place set aside in the queue takes a write", arguments: TestDatabase.available)
  func reservation(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let room = try store.reserve()
    try await store.write(using: room) { try $0.insert(Samples.ana) }
    try await store.write(using: room) { try $0.insert(Samples.ben) }
    try await store.writeInBackground { try $0.set("name", to: "value") }
    try await store.writeInBackground { try $0.set("name", to: "other") }
    try await store.read { tx throws in
      #expect(try tx.accounts().count == 2)
      #expect(try tx.setting("name") == "other")
      #expect(try tx.setting("none") == nil)
      #expect(try tx.clockHighWater() == nil)
    }
    try await store.shredCheckpoint()
  }
}
