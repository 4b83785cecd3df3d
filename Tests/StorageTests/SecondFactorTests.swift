import Domain
import Storage
import Testing

@Suite("Second factors count once")
struct SecondFactorTests {
  private static let callers = 50
  private let account = Samples.ana.id

  private func store(_ kind: TestDatabase) async throws -> Store {
    let store = try await kind.makeStore()
    try await store.insertBasics()
    return store
  }

  private func passkey(_ byte: UInt8 = 1, name: String = "Phone") -> Passkey {
    Passkey(
      id: PasskeyID(random: "k\(byte)"), account: account, credential: [byte, 2, 3], name: name, algorithm: "ES256",
      publicKey: [4, 5], counter: 7, isCopied: true, createdAt: Samples.now)
  }

  @Test("a code of an app, of which no earlier one counts afterwards", arguments: TestDatabase.available)
  func steps(_ kind: TestDatabase) async throws {
    let (store, account) = (try await store(kind), account)
    let secret = AuthenticatorSecret(account: account, secret: Samples.sealed(), createdAt: Samples.now)
    try await store.write { try $0.put(secret) }
    let early = try await store.write { try $0.takeStep(5, of: account) }
    #expect(!early, "nobody has confirmed it")
    let limit = Samples.now + AuthenticatorSecret.confirmationTime
    let late = try await store.write { try $0.confirmAuthenticator(of: account, step: 5, at: limit) }
    #expect(!late)
    let confirmed = try await winners(Self.callers) {
      try await store.write { try $0.confirmAuthenticator(of: account, step: 5, at: Samples.now) }
    }
    #expect(confirmed == 1)
    let won = try await winners(Self.callers) { try await store.write { try $0.takeStep(6, of: account) } }
    #expect(won == 1)
    let former = try await store.write { try $0.takeStep(5, of: account) }
    #expect(!former)
    let replaced = AuthenticatorSecret(account: account, secret: Samples.sealed(2), createdAt: Samples.now)
    try await store.write { try $0.put(replaced) }
    let kept = try await store.read { try $0.authenticator(of: account) }
    #expect(kept?.secret == Samples.sealed() && kept?.lastStep == 6, "one that counts is not replaced")
  }

  @Test("a recovery code, until there are others", arguments: TestDatabase.available)
  func recoveryCodes(_ kind: TestDatabase) async throws {
    let (store, account) = (try await store(kind), account)
    try await store.write { try $0.setRecoveryCodes([Samples.hash(1), Samples.hash(2)], of: account) }
    let won = try await winners(Self.callers) {
      try await store.write { try $0.consumeRecoveryCode(Samples.hash(1), of: account) }
    }
    #expect(won == 1)
    let foreign = try await store.write { try $0.consumeRecoveryCode(Samples.hash(2), of: Samples.ben.id) }
    #expect(!foreign)
    try await store.write { try $0.setRecoveryCodes([Samples.hash(3)], of: account) }
    let void = try await store.write { try $0.consumeRecoveryCode(Samples.hash(2), of: account) }
    #expect(!void)
    let factors = try await store.read { try $0.secondFactors(of: account) }
    #expect(factors == SecondFactors(appSince: nil, recoveryCodes: 1) && !factors.areOn)
  }

  @Test("the counter of a passkey, and a challenge", arguments: TestDatabase.available)
  func passkeys(_ kind: TestDatabase) async throws {
    let (store, account, passkey) = (try await store(kind), account, passkey())
    let added = try await winners(Self.callers) { try await store.write { try $0.insert(passkey) } }
    #expect(added == 1)
    let found = try await store.read { try $0.passkey(credential: [1, 2, 3]) }
    #expect(found == passkey)
    let used = try await winners(Self.callers) {
      try await store.write { try $0.use(passkey, counter: 8, at: Samples.now) }
    }
    #expect(used == 1)
    let end = Samples.now + 60
    let answered = try await winners(Self.callers) {
      try await store.write { try $0.useChallenge(Samples.hash(9), until: end) }
    }
    #expect(answered == 1)
    let forgotten = try await store.write { try $0.deleteUsedChallenges(expiredBefore: end) }
    #expect(forgotten == 1)
    let theirs = try await store.write { try $0.deletePasskey(passkey.id, of: Samples.ben.id) }
    let own = try await store.write { try $0.deletePasskey(passkey.id, of: account) }
    #expect(!theirs && own)
  }
}
