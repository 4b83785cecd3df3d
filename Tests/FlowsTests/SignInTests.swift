import Crypto
import Domain
import Glibc
import SQL
import Storage
import Synchronization
import Testing

@testable import Flows

@Suite("Signing in")
struct SignInTests {
  private let test: TestInstallation

  init() async throws { test = try await TestInstallation() }

  @Test("a callback with a made-up state writes nothing", .timeLimit(.minutes(1)))
  func madeUpState() async throws {
    let callback = CompleteSignIn.Callback(
      connection: try #require(ConnectionID("demo")), state: "made up", code: "code", error: nil, issuer: nil)
    let (isBusy, mayEnd) = (Flag(), Flag())
    let writer = Task { [test] in
      try await test.database.write { _ in
        isBusy.raise()
        mayEnd.wait()
      }
    }
    isBusy.wait()
    // The writer is held, so whoever waits for a write waits for ever.
    let outcome = try await CompleteSignIn(test.here)(
      callback, browser: TokenHash(of: "browser"), signedIn: nil, TestInstallation.visitor)
    mayEnd.raise()
    try await writer.value
    guard case .refused(.unknownTrip) = outcome else { throw Unexpected(outcome: outcome) }
  }

  @Test("a device is known until the password changes")
  func knownDevice() async throws {
    let account = Account(id: .random(), name: "Cleo", username: "cleo", role: .person, createdAt: test.time.now)
    let (right, wrong) = (Secret("correct horse battery"), Secret("wrong horse battery"))
    let hash = try Argon2id().hash(right.revealed)
    try await test.store.write { [now = test.time.now] in
      try $0.insert(account)
      try $0.setPasswordHash(hash, of: account.id, at: now)
    }
    let signIn = SignInLocally(test.here)
    func attempt(_ password: Secret, device: Secret?) async throws -> SignInLocally.Outcome {
      try await signIn(
        .init(
          username: "cleo", password: password, kind: .person, deviceToken: device?.revealedText,
          browser: TokenHash(of: "browser")),
        TestInstallation.visitor)
    }
    guard case .signedIn(_, let device) = try await attempt(right, device: nil) else { throw Unexpected() }
    for _ in 0..<8 {
      guard case .wrong = try await attempt(wrong, device: device) else { throw Unexpected() }
    }
    test.time.advance(by: 1)
    try await test.store.write { [now = test.time.now] in try $0.setPasswordHash(hash, of: account.id, at: now) }
    guard case .wait = try await attempt(right, device: device) else { throw Unexpected() }
  }

  @Test("a client that was disabled after it authenticated redeems nothing")
  func disabledMeanwhile() async throws {
    let client = Client(
      id: .random(), name: "Map", kind: .confidential, redirectURIs: [],
      grants: [.authorizationCode, .refreshToken], scope: try #require(Scope("vend")), permissions: [],
      createdAt: test.time.now)
    let (session, begin) = test.here.beginning(
      .person, of: test.account, by: .password, TestInstallation.visitor, at: test.time.now)
    let (verifier, sessionHash) = (Random.token(), TokenHash(of: session.token.revealedText))
    func code(_ text: String) -> AuthorizationCode {
      AuthorizationCode(
        hash: TokenHash(of: text), client: client.id, account: test.account.id, session: sessionHash,
        redirectURI: "https://app.example/", scope: client.scope,
        codeChallenge: Base64URL.encode(SHA256.hash(verifier)), authenticatedAt: test.time.now,
        expiresAt: test.time.now + 60, family: .random())
    }
    let consent = Consent(
      account: test.account.id, client: client.id, scope: client.scope, connections: [], givenAt: test.time.now)
    let (first, second) = (code("first"), code("second"))
    try await test.store.write { [now = test.time.now] tx in
      try tx.insert(client)
      try tx.put(consent)
      try begin(tx)
      try tx.insert(first)
      try tx.setClient(client.id, disabled: true, at: now)
      try tx.insert(second)
    }
    for (text, error) in [("first", Refusal.Code.invalidGrant), ("second", .invalidClient)] {
      let refusal = await #expect(throws: Refusal.self) {
        _ = try await RedeemCode(test.here)(
          text, verifier: verifier, redirectURI: nil, client, TestInstallation.visitor)
      }
      #expect(refusal?.code == error)
    }
    let families = try await test.database.read { try $0.first("SELECT count(*) AS n FROM token_family")?.integer("n") }
    #expect(families == 0)
  }

  private struct Unexpected: Error { var outcome: CompleteSignIn.Outcome? }
}

/// Something that one thread waits for and another one says.
private final class Flag: Sendable {
  private let isRaised = Atomic<Bool>(false)

  func raise() { isRaised.store(true, ordering: .releasing) }

  func wait() { while !isRaised.load(ordering: .acquiring) { usleep(1000) } }
}
