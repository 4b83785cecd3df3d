import Domain
import Storage
import Testing

@Suite("Once-only steps have one winner")
struct OnceOnlyTests {
  private static let callers = 100

  @Test("redeeming a code", arguments: TestDatabase.available)
  func code(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let code = Samples.code()
    try await store.write { try $0.insert(code) }
    let won = try await winners(Self.callers) {
      try await store.write { try $0.consumeCode(code.hash, at: Samples.now) } == code
    }
    #expect(won == 1)
    #expect(try await store.read { try $0.usedCode(code.hash) } == code)
  }

  @Test("using what a client signed, until it has expired", arguments: TestDatabase.available)
  func assertion(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let (hash, client, end) = (Samples.hash(1), Samples.client().id, Samples.now + 60)
    let won = try await winners(Self.callers) {
      try await store.useAssertion(hash, of: client, until: end, at: Samples.now)
    }
    #expect(won == 1)
    #expect(try await store.write { try $0.deleteUsedAssertions(expiredBefore: end - 1) } == 0)
    #expect(try await !store.useAssertion(hash, of: client, until: end + 60, at: end - 1))
    #expect(try await store.useAssertion(hash, of: client, until: end + 60, at: end))
    #expect(try await store.write { try $0.deleteUsedAssertions(expiredBefore: end + 60) } == 1)
  }

  @Test("using the proof of a key, until nobody would believe it", arguments: TestDatabase.available)
  func proof(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let (hash, end) = (Samples.hash(1), Samples.now + 60)
    let won = try await winners(Self.callers) { try await store.useProof(hash, until: end, at: Samples.now) }
    #expect(won == 1)
    #expect(try await store.write { try $0.deleteUsedProofs(expiredBefore: end - 1) } == 0)
    #expect(try await store.useProof(hash, until: end + 60, at: end))
    #expect(try await store.write { try $0.deleteUsedProofs(expiredBefore: end + 60) } == 1)
  }

  @Test("using a logout token, until nobody would believe it", arguments: TestDatabase.available)
  func logoutToken(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let (hash, connection, end) = (Samples.hash(1), Samples.connection().id, Samples.now + 60)
    let won = try await winners(Self.callers) {
      try await store.write { try $0.useLogoutToken(hash, of: connection, until: end, at: Samples.now) }
    }
    #expect(won == 1)
    #expect(try await store.write { try $0.deleteUsedLogoutTokens(expiredBefore: end - 1) } == 0)
    #expect(try await store.write { try $0.useLogoutToken(hash, of: connection, until: end + 60, at: end) })
    #expect(try await store.write { try $0.deleteUsedLogoutTokens(expiredBefore: end + 60) } == 1)
  }

  @Test("using a setup link", arguments: TestDatabase.available)
  func setupLink(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let hash = Samples.hash(1)
    try await store.write { try $0.insertSetupLink(hash, expiresAt: Samples.now + 10) }
    #expect(try await store.read { try $0.setupLinkIsOpen(hash, at: Samples.now) })
    let won = try await winners(Self.callers) {
      try await store.write { try $0.consumeSetupLink(hash, at: Samples.now) }
    }
    #expect(won == 1)
    #expect(try await !store.read { try $0.setupLinkIsOpen(hash, at: Samples.now) })
  }

  @Test("coming back from an upstream", arguments: TestDatabase.available)
  func signInAttempt(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    let attempt = Samples.attempt()
    try await store.write { try $0.insert(attempt, secrets: Samples.sealed()) }
    let won = try await winners(Self.callers) {
      try await store.write {
        try $0.consumeSignInAttempt(attempt.stateHash, browser: attempt.browser, at: Samples.now)
      }?.0
        == attempt
    }
    #expect(won == 1)
  }

  @Test("finishing an authorization request", arguments: TestDatabase.available)
  func authorizationRequest(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    try await store.write { try $0.insert(StoreTests.request, hash: Samples.hash(1), at: Samples.now) }
    let won = try await winners(Self.callers) {
      try await store.write { try $0.finishAuthorizationRequest(Samples.hash(1), at: Samples.now) }
    }
    #expect(won == 1)
  }

  @Test("rotating a refresh token of ours", arguments: TestDatabase.available)
  func rotate(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    try await store.write {
      try $0.insert(Samples.family())
      try $0.insert(Samples.refreshChain())
    }
    let won = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<UInt8(Self.callers) {
        group.addTask {
          try await store.write {
            try $0.rotate(
              Samples.refreshChain().id, from: Samples.hash(1), to: Samples.hash(100 + index),
              until: Samples.now + 500, sealedSuccessor: [index], at: Samples.now)
          }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(won == 1)
  }

  @Test("beginning an upstream refresh", arguments: TestDatabase.available)
  func beginRefresh(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let won = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<Self.callers {
        group.addTask {
          try await store.write {
            try $0.beginRefresh(
              RefreshAttemptID(random: "\(index)"), of: credential.id, generation: 1, leaseUntil: Samples.now + 30)
          }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(won == 1)
  }

  @Test("taking over an abandoned refresh", arguments: TestDatabase.available)
  func takeOver(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let attempt = try await RefreshAttemptTests.begin(in: store)
    let now = attempt.leaseUntil
    let won = try await winners(Self.callers) {
      try await store.write { try $0.takeOver(attempt, posts: 2, leaseUntil: now + 30, at: now) }
    }
    #expect(won == 1)
    #expect(try await store.read { try $0.refreshAttempt(of: attempt.credential)?.posts } == 2)
  }

  @Test("recording the answer of a refresh", arguments: TestDatabase.available)
  func recordAnswer(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let attempt = try await RefreshAttemptTests.begin(in: store)
    let won = try await winners(Self.callers) {
      try await store.write { try $0.recordAnswer(Samples.sealed(), of: attempt.id, at: Samples.now) }
    }
    #expect(won == 1)
  }

  @Test("closing a credential", arguments: TestDatabase.available)
  func closeCredential(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let won = try await winners(Self.callers) {
      try await store.write { try $0.closeCredential(credential.id, of: credential.account) } != nil
    }
    #expect(won == 1)
  }

  @Test("replacing the tokens of one generation", arguments: TestDatabase.available)
  func replaceTokens(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    let credential = Samples.credential()
    try await store.insertCredential(credential)
    let won = try await winners(Self.callers) {
      try await store.write {
        try $0.replaceTokens(
          of: credential.id, generation: 1, with: Samples.sealed(7), CredentialTests.expiry, at: Samples.now)
      }
    }
    #expect(won == 1)
    #expect(try await store.read { try $0.sealedCredential(credential.id)?.0.generation } == 2)
  }

  @Test("taking what is due in the outbox", arguments: TestDatabase.available)
  func takeDueRevocations(_ kind: TestDatabase) async throws {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    try await store.write { tx in
      for index in 0..<70 { try tx.insert(Samples.revocation("r\(100 + index)"), tokens: Samples.sealed()) }
    }
    let taken = try await withThrowingTaskGroup(of: [RevocationID].self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await store.write { try $0.takeDueRevocations(at: Samples.now, until: Samples.now + 60) }.map(\.0.id)
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.count == 70)
    #expect(Set(taken).count == 70)
  }
}
