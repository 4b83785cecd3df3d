import Domain
import SQL
import Storage
import Testing

@Suite("Our own tokens in the store")
struct TokenTests {
  private func store(_ kind: TestDatabase) async throws -> Store {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    try await store.write { tx in
      try tx.insert(Samples.family())
      try tx.insert(Samples.refreshChain())
    }
    return store
  }

  @Test("a code that expired, was burnt or is unknown yields nothing", arguments: TestDatabase.available)
  func codes(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    try await store.write { tx in
      try tx.insert(Samples.code(1))
      try tx.insert(Samples.code(2))
    }
    let end = Samples.code().expiresAt
    #expect(try await store.write { try $0.consumeCode(Samples.hash(1), at: end) } == nil)
    #expect(try await store.write { try $0.consumeCode(Samples.hash(3), at: Samples.now) } == nil)
    #expect(try await store.read { try $0.usedCode(Samples.hash(1)) } == nil)
    try await store.write { try $0.burnCodes(of: Samples.ana.id, at: Samples.now) }
    #expect(try await store.write { try $0.consumeCode(Samples.hash(1), at: Samples.now) } == nil)
    #expect(try await store.write { try $0.deleteCodes(expiredBefore: end - 1) } == 0)
    #expect(try await store.write { try $0.deleteCodes(expiredBefore: end) } == 2)
  }

  @Test("a rotated token keeps its successor until that is used", arguments: TestDatabase.available)
  func successors(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    let (id, now) = (Samples.refreshChain().id, Samples.now)
    let found = try #require(try await store.read { try $0.refreshChain(id) })
    #expect(found.chain == Samples.refreshChain() && found.family == Samples.family())
    @Sendable func rotate(_ from: UInt8, _ to: UInt8) async throws -> Bool {
      try await store.write {
        try $0.rotate(
          id, from: Samples.hash(from), to: Samples.hash(to), until: now + 700, sealedSuccessor: [to], at: now)
      }
    }
    @Sendable func chain() async throws -> RefreshChain? { try await store.read { try $0.refreshChain(id)?.chain } }
    func rotated(_ from: UInt8, _ to: UInt8, successor: [UInt8]?, replays: Int64 = 0) -> RefreshChain {
      RefreshChain(
        id: id, family: Samples.family().id, current: Samples.hash(to), expiresAt: now + 700,
        former: .init(hash: Samples.hash(from), rotatedAt: now, successor: successor, replays: replays))
    }
    #expect(try await rotate(1, 2))
    #expect(try await !rotate(1, 4), "it was exchanged")
    #expect(try await chain() == rotated(1, 2, successor: [2]))
    try await store.write { try $0.countReplay(id) }
    #expect(try await chain() == rotated(1, 2, successor: [2], replays: 1))
    #expect(try await rotate(2, 3))
    #expect(try await chain() == rotated(2, 3, successor: [3]))
    #expect(try await store.write { try $0.deleteSuccessors(rotatedBefore: now - 1) } == 0)
    #expect(try await store.write { try $0.deleteSuccessors(rotatedBefore: now) } == 1)
    #expect(try await chain() == rotated(2, 3, successor: nil))
    try await store.write { try $0.extendRefreshChain(id, until: now + 900) }
    #expect(try await chain()?.expiresAt == now + 900)
  }

  @Test(
    "revoking ends a family, all of an account, or all of an account at one client", arguments: TestDatabase.available)
  func revoking(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    try await store.write { tx in
      try tx.insert(Samples.family("second"))
      try tx.insert(Samples.family("bens", of: Samples.ben.id))
    }
    #expect(try await !store.read { try $0.tokenHasEnded("jti", family: Samples.family().id) })
    #expect(try await store.write { try $0.revokeFamily(Samples.family().id, at: Samples.now) })
    #expect(try await !store.write { try $0.revokeFamily(Samples.family().id, at: Samples.now) })
    #expect(try await store.read { try $0.tokenHasEnded("jti", family: Samples.family().id) })
    let other = ClientID(random: "other")
    #expect(try await store.write { try $0.revokeFamilies(of: Samples.ana.id, client: other, at: Samples.now) } == 0)
    #expect(
      try await store.write { try $0.revokeFamilies(of: Samples.ana.id, client: Samples.client().id, at: Samples.now) }
        == 1)
    #expect(try await store.write { try $0.revokeFamilies(of: Samples.ben.id, at: Samples.now) } == 1)
  }

  @Test(
    "a vend is told what the person allows and holds, unless something has ended", arguments: TestDatabase.available)
  func vendStanding(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    let (ana, client, maps, now) = (Samples.ana.id, Samples.client().id, Samples.connection().id, Samples.now)
    @Sendable func standing(_ token: String? = "jti", _ family: String = "family", _ account: AccountID = ana)
      async throws -> VendStanding?
    {
      let token = token.map { PersonalToken(id: $0, family: TokenFamilyID(random: family)) }
      return try await store.read {
        try $0.vendStanding(of: account, towards: client, for: maps, heldBy: account, with: token)
      }
    }
    let nothing = try #require(try await standing())
    #expect(nothing.consent == nil && nothing.credential == nil)
    let consent = Consent(
      account: ana, client: client, scope: try #require(Scope("vend")), connections: [maps], givenAt: now)
    try await store.write { tx in
      try tx.put(consent)
      try tx.put(Samples.credential(), tokens: Samples.sealed())
    }
    let full = try #require(try await standing())
    #expect(full.consent == consent && full.credential == Samples.credential())
    #expect(try await standing(nil)?.credential == Samples.credential())
    #expect(try await standing("jti", "unknown") == nil)
    #expect(try await standing("jti", "family", Samples.ben.id) == nil, "the family is Ana's")
    try await store.write { try $0.insertRevokedToken("gone", expiresAt: now + 5) }
    #expect(try await standing("gone") == nil)
    #expect(try await standing("jti") != nil)
    try await store.write { _ = try $0.revokeFamily(Samples.family().id, at: now) }
    #expect(try await standing() == nil)
    #expect(try await standing(nil) != nil)
    try await store.write { try $0.setAccount(ana, disabled: true, at: now) }
    #expect(try await standing(nil) == nil)
  }

  @Test(
    "a new generation ends the access tokens that name an earlier one, and no others",
    arguments: TestDatabase.available)
  func generations(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    let (ana, client, family) = (Samples.ana.id, Samples.client().id, Samples.family().id)
    @Sendable func counts(_ generation: Int64?) async throws -> Bool {
      let token = PersonalToken(id: "jti", family: family, generation: generation)
      return try await store.read { tx in
        let stands = try tx.vendStanding(of: ana, towards: client, for: nil, heldBy: ana, with: token) != nil
        #expect(try stands != tx.tokenHasEnded("jti", family: family, generation: generation))
        return stands
      }
    }
    #expect(try await counts(0))
    try await store.write { try $0.beginGeneration(2, of: family) }
    try await store.write { try $0.beginGeneration(1, of: family) }
    for (generation, isGood) in [(0, false), (1, false), (2, true), (nil, true)] as [(Int64?, Bool)] {
      #expect(try await counts(generation) == isGood, "\(String(describing: generation))")
    }
  }

  @Test("a revoked access token has ended, with a family or without", arguments: TestDatabase.available)
  func revokedTokens(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    let family = Samples.family().id
    try await store.write {
      try $0.insertRevokedToken("one", expiresAt: Samples.now + 5)
      try $0.insertRevokedToken("one", expiresAt: Samples.now + 5)
    }
    try await store.read { tx throws in
      #expect(try tx.tokenHasEnded("one", family: nil))
      #expect(try tx.tokenHasEnded("one", family: family))
      #expect(try !tx.tokenHasEnded("two", family: nil))
      #expect(try !tx.tokenHasEnded("two", family: family))
      #expect(try tx.tokenHasEnded("two", family: TokenFamilyID(random: "unknown")))
    }
    #expect(try await store.write { try $0.deleteRevokedTokens(expiredBefore: Samples.now + 5) } == 1)
    #expect(try await !store.read { try $0.tokenHasEnded("one", family: nil) })
  }

  @Test("disabling a client ends its families; deleting it takes everything of it", arguments: TestDatabase.available)
  func clients(_ kind: TestDatabase) async throws {
    let (store, database) = try await kind.open()
    try await store.insertBasics()
    try await store.write { tx in
      try tx.insert(Samples.family())
      try tx.insert(Samples.refreshChain())
      try tx.insert(Samples.code())
      try tx.insert(StoreTests.request, hash: Samples.hash(5), at: Samples.now)
      try tx.setSecret(Samples.hash(6), of: Samples.client().id, at: Samples.now)
      try tx.put(
        Consent(
          account: Samples.ana.id, client: Samples.client().id, scope: .none, connections: [], givenAt: Samples.now))
      try tx.setClient(Samples.client().id, disabled: true, at: Samples.now)
    }
    #expect(try await store.read { try $0.family(Samples.family().id)?.isRevoked } == true)
    #expect(try await store.write { try $0.deleteClient(Samples.client().id) })
    let left = try await database.read { session throws in
      try [
        session.first("SELECT count(*) AS n FROM token_family"),
        session.first("SELECT count(*) AS n FROM refresh_chain"),
        session.first("SELECT count(*) AS n FROM authorization_code"),
        session.first("SELECT count(*) AS n FROM consent"),
        session.first("SELECT count(*) AS n FROM authorization_request"),
        session.first("SELECT count(*) AS n FROM client_secret"),
      ].map { try $0?.integer("n") }
    }
    #expect(left == [0, 0, 0, 0, 0, 0])
  }

  @Test("a sweep takes at most 500 rows at a time", arguments: TestDatabase.available)
  func bounded(_ kind: TestDatabase) async throws {
    let store = try await store(kind)
    try await store.write { tx in
      for index in 0..<1100 { try tx.insertRevokedToken("jti-\(index)", expiresAt: Samples.now) }
      for index in 0..<501 {
        let (chain, family) = (TokenHash(bytes: Array("\(index)".utf8)), Samples.family("\(index)"))
        try tx.insert(family)
        try tx.insert(
          RefreshChain(id: chain, family: family.id, current: Samples.hash(1), expiresAt: family.expiresAt))
        _ = try tx.rotate(
          chain, from: Samples.hash(1), to: Samples.hash(2), until: family.expiresAt, sealedSuccessor: [1],
          at: Samples.now)
      }
    }
    var counts: [Int] = []
    for _ in 0..<4 { counts.append(try await store.write { try $0.deleteRevokedTokens(expiredBefore: Samples.now) }) }
    for _ in 0..<3 { counts.append(try await store.write { try $0.deleteSuccessors(rotatedBefore: Samples.now) }) }
    #expect(counts == [500, 500, 100, 0, 500, 1, 0])
    let chain = Samples.refreshChain().id
    #expect(try await store.read { try $0.refreshChain(chain) } != nil)
    #expect(try await store.write { try $0.deleteFamilies(expiredBefore: Samples.family().expiresAt) } == 500)
    #expect(try await store.write { try $0.deleteFamilies(expiredBefore: Samples.family().expiresAt) } == 2)
    #expect(try await store.read { try $0.refreshChain(chain) } == nil)
  }
}
