import Domain
import SQL
import Storage
import Testing

@Suite("Credentials in the store")
struct CredentialTests {
  static let expiry = TokenExpiry(
    UpstreamTokens(
      accessToken: Secret("a"), accessExpiresAt: Samples.now + 3600, refreshToken: Secret("r"),
      refreshExpiresAt: Samples.now + 7200))

  @Test("a credential comes back as it was put, with its sealed tokens", arguments: TestDatabase.available)
  func roundTrip(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    try await store.read { tx throws in
      #expect(try tx.credential(of: Samples.ana.id, for: credential.connection) == credential)
      #expect(try tx.credential(of: Samples.ben.id, for: credential.connection) == nil)
      #expect(try tx.credentials(of: Samples.ana.id) == [credential])
      #expect(try tx.openCredentials(at: credential.connection, limit: 5) == [credential])
      for found in [
        try tx.sealedCredential(credential.id), try tx.sealedCredential(of: Samples.ana.id, for: credential.connection),
        try tx.sealedCredentials(at: credential.connection).first,
      ] {
        #expect(found?.0 == credential)
        #expect(found?.1 == Samples.sealed())
      }
    }
  }

  @Test("a new credential takes the place of the old one, with all that hung on it", arguments: TestDatabase.available)
  func replaces(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let old = try await RefreshAttemptTests.begin(in: store)
    let new = Samples.credential("two")
    try await store.write { try $0.put(new, tokens: Samples.sealed(2)) }
    try await store.read { tx throws in
      #expect(try tx.sealedCredential(old.credential) == nil)
      #expect(try tx.refreshAttempt(of: old.credential) == nil)
      #expect(try tx.credentials(of: Samples.ana.id) == [new])
    }
  }

  @Test("new tokens are stored with the next generation", arguments: TestDatabase.available)
  func stores(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let isKept = try await store.write {
      try $0.replaceTokens(of: credential.id, generation: 1, with: Samples.sealed(7), Self.expiry, at: Samples.now + 9)
    }
    #expect(isKept)
    let (stored, sealed) = try #require(try await store.read { try $0.sealedCredential(credential.id) })
    #expect(stored.generation == 2 && stored.refreshedAt == Samples.now + 9 && stored.canRefresh)
    #expect(stored.accessExpiresAt == Samples.now + 3600 && stored.refreshExpiresAt == Samples.now + 7200)
    #expect(sealed == Samples.sealed(7))
  }

  @Test(
    "tokens of an older generation, or for a credential that is closing or refused, are not",
    arguments: TestDatabase.available)
  func refuses(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    func replace(_ generation: Int64) async throws -> Bool {
      try await store.write {
        try $0.replaceTokens(
          of: credential.id, generation: generation, with: Samples.sealed(7), Self.expiry, at: Samples.now)
      }
    }
    #expect(try await !replace(0))
    #expect(try await !replace(2))
    #expect(try await store.write { try $0.markReauthRequired(credential.id, generation: 1) })
    #expect(try await !store.write { try $0.markReauthRequired(credential.id, generation: 2) }, "it is not active")
    #expect(try await !replace(1))
    #expect(try await !replace(2))
    let (closed, sealed) = try #require(
      try await store.write { try $0.closeCredential(credential.id, of: credential.account) })
    #expect(closed.state == .closing && closed.generation == 3)
    #expect(sealed == Samples.sealed())
    #expect(try await !replace(3))
    #expect(try await store.read { try $0.sealedCredential(credential.id)?.1 } == Samples.sealed())
    #expect(try await store.read { try $0.credentials(of: credential.account) } == [])
    #expect(try await store.read { try $0.openCredentials(at: credential.connection, limit: 5) } == [])
  }

  @Test("nobody closes somebody else's credential", arguments: TestDatabase.available)
  func closesOwn(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    #expect(try await store.write { try $0.closeCredential(credential.id, of: Samples.ben.id) } == nil)
    #expect(try await store.read { try $0.sealedCredential(credential.id)?.0.state } == .active)
  }

  @Test(
    "a federated server's token is kept for one generation and shredded at its end", arguments: TestDatabase.available)
  func serverToken(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let (root, end) = ("https://server.example/arcgis", Samples.now + 100)
    func kept(_ generation: Int64, at now: Timestamp = Samples.now) async throws -> Sealed? {
      try await store.read { try $0.serverToken(of: credential.id, root: root, generation: generation, at: now) }?.0
    }
    for byte in [1, 2] as [UInt8] {
      let sealed = Samples.sealed(byte)
      #expect(
        try await store.write { try $0.putServerToken(sealed, of: credential, root: root, expiresAt: end) })
    }
    #expect(try await kept(1) == Samples.sealed(2))
    #expect(try await kept(2) == nil)
    #expect(try await kept(1, at: end) == nil)
    #expect(try await store.write { try $0.deleteServerTokens(expiredBefore: end - 1) } == 0)
    #expect(try await store.write { try $0.deleteServerTokens(expiredBefore: end) } == 1)
    try await store.write {
      _ = try $0.replaceTokens(of: credential.id, generation: 1, with: Samples.sealed(7), Self.expiry, at: Samples.now)
      #expect(try !$0.putServerToken(Samples.sealed(3), of: credential, root: root, expiresAt: end))
    }
    let count = try await database.read { try $0.first("SELECT count(*) AS n FROM server_token")?.integer("n") }
    #expect(count == 0, "it was got with tokens of before")
  }

  @Test("what a server says of itself is kept for one revision of the connection", arguments: TestDatabase.available)
  func federatedServer(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    let id = Samples.credential().connection
    try await store.insertCredential(Samples.credential())
    let connection = try #require(try await store.read { try $0.connection(id) })
    func server(_ name: String, at moment: Timestamp = Samples.now) -> FederatedServer {
      FederatedServer(root: name, owningSystemURL: "https://p", takesTokens: true, answeredAt: moment)
    }
    store.keep(server("https://a"), for: connection)
    store.keep(server("https://a", at: Samples.now + 5), for: connection)
    for number in 0...FederatedServer.mostPerConnection { store.keep(server("https://\(number)"), for: connection) }
    #expect(
      try await store.write { try $0.federatedServer(at: "https://a", for: connection) }?.askAgainAt
        == Samples.now + 605)
    #expect(try await store.read { try $0.federatedServer(at: "https://b", for: connection) } == nil)
    let count = try await database.read { try $0.first("SELECT count(*) AS n FROM federated_server")?.integer("n") }
    #expect(count == FederatedServer.mostPerConnection)
    var later = connection
    later.revision += 1
    let moved = later
    #expect(try await store.read { try $0.federatedServer(at: "https://a", for: moved) } == nil)
    #expect(try await store.write { try $0.deleteFederatedServers(answeredBefore: Samples.now) } == 500)
  }

  @Test("the use of a credential and a session is noted", arguments: TestDatabase.available)
  func touches(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let session = StoreTests.session
    try await store.write { try $0.insert(session) }
    store.touchCredential(credential.id, at: Samples.now + 5)
    store.touchSession(session.hash, at: Samples.now + 5)
    store.touchSession(session.hash, at: Samples.now + 3)
    store.raiseClock(to: Samples.now)
    store.raiseClock(to: Timestamp(seconds: 999_999_999))
    store.raiseClock(to: Samples.now - 1)
    // Whatever was handed over before is written when this is.
    try await store.write { try $0.set("other", to: "x") }
    try await store.read { tx throws in
      #expect(try tx.sealedCredential(credential.id)?.0.lastUsedAt == Samples.now + 5)
      #expect(try tx.session(session.hash)?.session.lastSeenAt == Samples.now + 5)
      #expect(try tx.clockHighWater() == Samples.now)
    }
  }

  @Test(
    "health counts what works, what ends within a day and what only the person can mend",
    arguments: TestDatabase.available)
  func health(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertCredential()
    let ben = Samples.credential("two", of: Samples.ben.id)
    try await store.write {
      try $0.put(ben, tokens: Samples.sealed())
      try $0.markReauthRequired(ben.id, generation: 1)
    }
    func health(at now: Timestamp) async throws -> CredentialHealth? {
      try await store.read { try $0.credentialHealth(at: now) }.first
    }
    let connection = Samples.connection().id
    #expect(
      try await health(at: Samples.now)
        == CredentialHealth(connection: connection, healthy: 1, expiring: 0, broken: 1, lastRefresh: nil))
    #expect(try await health(at: Samples.now + 90_000)?.expiring == 1)
    #expect(try await health(at: Samples.now + 100_000)?.broken == 2)
  }
}
