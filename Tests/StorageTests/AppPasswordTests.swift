import Domain
import SQL
import Storage
import Testing

@Suite("App passwords")
struct AppPasswordTests {
  private static func password(_ random: String, _ byte: UInt8, client: String = "map") -> AppPassword {
    AppPassword(
      id: AppPasswordID(random: random), account: Samples.ana.id, client: Samples.client(client).id,
      connection: Samples.connection().id, code: [byte, 0, 255], pepperID: "0a", session: Samples.hash(byte),
      createdAt: Samples.now)
  }

  private static func stored(_ kind: TestDatabase) async throws -> (Store, any Database) {
    let (store, database) = try await kind.open()
    try await store.insertBasics()
    try await store.write { tx in
      try tx.insert(password("one", 1))
      try tx.put(
        Consent(
          account: Samples.ana.id, client: Samples.client().id, scope: Scope("arcgis:maps") ?? .none, connections: [],
          givenAt: Samples.now))
    }
    return (store, database)
  }

  @Test("are found as they were stored, and know when they were used", arguments: TestDatabase.available)
  func roundTrip(_ kind: TestDatabase) async throws {
    let (store, _) = try await Self.stored(kind)
    let (password, unknown) = (Self.password("one", 1), AppPasswordID(random: "two"))
    #expect(try await store.read { try $0.appPassword(password.id) } == password)
    #expect(try await store.read { try $0.appPassword(ofSession: password.session) } == password)
    #expect(try await store.read { try $0.appPasswords(at: password.connection, limit: 5) } == [password])
    #expect(try await store.read { try $0.appPassword(unknown) } == nil)
    #expect(try await store.write { try $0.noteUse(of: password.id, at: Samples.now + 5) })
    #expect(try await !store.write { try $0.noteUse(of: unknown, at: Samples.now) })
    let listed = try await store.read { try $0.appPasswords(of: Samples.ana.id) }
    #expect(listed.map(\.lastUsedAt) == [Samples.now + 5])
  }

  @Test("there is one for an account, a client and a connection", arguments: TestDatabase.available)
  func unique(_ kind: TestDatabase) async throws {
    let (store, _) = try await Self.stored(kind)
    await #expect(throws: DatabaseError.self) { try await store.write { try $0.insert(Self.password("two", 2)) } }
  }

  @Test(
    "end with what was given for them, with the consent, and with what they are for", arguments: TestDatabase.available)
  func end(_ kind: TestDatabase) async throws {
    let (store, _) = try await Self.stored(kind)
    let (password, family) = (Self.password("one", 9), Samples.family())
    try await store.write { tx in
      try tx.endAppPassword(password.id, at: Samples.now)
      try tx.insert(password)
      try tx.insert(family)
    }
    #expect(try await store.write { try $0.endAppPassword(password.id, at: Samples.now) })
    #expect(try await store.read { try $0.family(family.id)?.isRevoked } == true)
    #expect(try await !store.write { try $0.endAppPassword(password.id, at: Samples.now) })

    try await store.write { tx in
      try tx.insert(password)
      #expect(try tx.deleteConsent(of: password.account, for: password.client))
      #expect(try tx.appPassword(password.id) == nil)
      try tx.insert(password)
      try tx.withdrawConsents(of: password.account, to: password.connection, at: Samples.now)
      #expect(try tx.appPassword(password.id) == nil)
    }
  }

  @Test(
    "go with account, client and connection", arguments: TestDatabase.available, ["account", "client", "connection"])
  func cascade(_ kind: TestDatabase, table: String) async throws {
    let (store, database) = try await Self.stored(kind)
    let password = Self.password("one", 1)
    try await database.write { session throws in
      switch table {
      case "account": try session.run("DELETE FROM account WHERE id = \(password.account.text)")
      case "client": try session.run("DELETE FROM client WHERE id = \(password.client.text)")
      default: try session.run("DELETE FROM connection WHERE id = \(password.connection.text)")
      }
    }
    #expect(try await store.read { try $0.appPassword(password.id) } == nil)
  }
}
