import Crypto
import Domain
import JOSE
import JSON
import Storage
import Testing

@testable import Flows

@Suite("Signing keys", .timeLimit(.minutes(1)))
struct SigningKeyTests {
  private static let day: Int64 = 24 * 60 * 60
  private let claims = Array(#"{"a":1}"#.utf8)

  private func keyIDs(_ test: TestInstallation, _ algorithm: SignatureAlgorithm = .es256) -> [String?] {
    test.here.signing.published.keys.filter { $0.keys.map(\.algorithm) == [algorithm] }.map(\.keyID)
  }

  private func signer(_ test: TestInstallation, _ algorithm: SignatureAlgorithm = .es256) async throws -> String? {
    let token = try await test.here.signing.sign(claims, type: "JWT", algorithm: algorithm)
    return try JWS(parsing: token.revealedText).keyID
  }

  @Test("each algorithm has one key of its own, made at the first need, once however many need it")
  func oneKeyOneAlgorithm() async throws {
    let test = try await TestInstallation()
    #expect(test.here.signing.published.keys.count == 1)
    for algorithm in SignatureAlgorithm.allCases {
      let ids = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<4 { group.addTask { try await signer(test, algorithm) } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(ids.count == 1 && keyIDs(test, algorithm) == Array(ids), "\(algorithm)")
    }
    let published = try #require(test.here.signing.published.json.array("keys"))
    #expect(Set(published.compactMap { $0.string("kid") }).count == 4)
    #expect(published.allSatisfy { $0.string("use") == "sig" && $0["d"] == nil })
    let rsa = published.filter { $0.string("kty") == "RSA" }
    #expect(Set(rsa.compactMap { $0.string("alg") }) == ["RS256", "PS256"])
    #expect(rsa.allSatisfy { $0.string("n").flatMap { Base64URL.decode($0) }?.count == 384 }, "3072 bits")
    let again = try await TestInstallation(after: test)
    #expect(again.here.signing.published.json.encoded() == test.here.signing.published.json.encoded())
  }

  @Test("a token verifies as what it is alone: type, algorithm and key have to fit")
  func types() async throws {
    let signing = try await TestInstallation().here.signing
    let token = try await signing.sign(claims, type: "logout+jwt", algorithm: .edDSA).revealedText
    #expect(try signing.verify(token, type: "logout+jwt") == claims)
    #expect(throws: JWSFailure.malformed) { try signing.verify(token, type: "JWT") }
    #expect(throws: JWSFailure.algorithmNotAllowed) {
      try signing.verify(token, type: "logout+jwt", allowing: [.es256])
    }
  }

  @Test("the next key is published a day before it signs, the former one a day after, both visible together")
  func schedule() async throws {
    let test = try await TestInstallation()
    let first = try await signer(test)
    let rotate = RotateSigningKeys(test.here)
    test.time.advance(by: 89 * Self.day - 1)
    try await rotate()
    #expect(keyIDs(test) == [first])
    test.time.advance(by: 1)
    try await rotate()
    try await rotate()
    let both = keyIDs(test)
    #expect(both.count == 2 && both.first == first)
    #expect(try await signer(test) == first, "nobody can know the new one yet")
    let token = try await test.here.signing.sign(claims, type: "JWT", algorithm: .es256).revealedText
    test.time.advance(by: Self.day)
    #expect(try await signer(test) == both[1], "time alone changes it")
    #expect(keyIDs(test) == both)
    test.time.advance(by: Self.day - 1)
    #expect(try test.here.signing.verify(token, type: "JWT") == claims)
    test.time.advance(by: 1)
    #expect(keyIDs(test) == [both[1]])
    #expect(throws: JWSFailure.unknownKey) { try test.here.signing.verify(token, type: "JWT") }
    #expect(try test.here.signing.verify(token, type: "JWT", isReminder: true) == claims)
    test.time.advance(by: 30 * Self.day)
    try await rotate()
    #expect(throws: JWSFailure.unknownKey) {
      try test.here.signing.verify(token, type: "JWT", isReminder: true)
    }
    #expect(
      try await test.store.read { try $0.signingKeys().filter { $0.algorithm == "ES256" }.map(\.id) } == [both[1]])
    #expect(try await test.count(.signingKeyPublished) == 1)
  }

  @Test("several instances on one database make one key, and each signs with what another made")
  func instances() async throws {
    let one = try await TestInstallation()
    let other = try await TestInstallation(after: one)
    async let a = signer(one, .edDSA)
    async let b = signer(other, .edDSA)
    #expect(try await Set([a, b]).count == 1)
    one.time.advance(by: 89 * Self.day)
    async let first: Void = RotateSigningKeys(one.here)()
    async let second: Void = RotateSigningKeys(other.here)()
    _ = try await (first, second)
    try await other.here.signing.reload()
    try await one.here.signing.reload()
    #expect(keyIDs(one).count == 2 && keyIDs(one) == keyIDs(other))
  }

  @Test("what is published early by hand signs in a day, once however often it is asked for")
  func publishedByHand() async throws {
    let test = try await TestInstallation()
    let first = try await signer(test)
    let change = try await RotateSigningKeys(test.here).publishNext(.es256, by: .commandLine)
    #expect(change.signsFrom == test.time.now + Self.day && !change.wasUnderWay)
    test.time.advance(by: 1)
    let again = try await RotateSigningKeys(test.here).publishNext(.es256, by: .commandLine)
    #expect(again.wasUnderWay && again.keyID == change.keyID)
    #expect(keyIDs(test) == [first, change.keyID])
    let early = try await RotateSigningKeys(test.here).publishNext(.rs256, by: .commandLine)
    #expect(
      try await signer(test, .rs256) != early.keyID, "an algorithm that was never used signs at once all the same")
  }

  @Test("a key taken back in an emergency ends every token it signed at once, also those that were verified before")
  func emergency() async throws {
    let test = try await TestInstallation()
    let other = try await TestInstallation(after: test)
    let client = Client(
      id: .random(), name: "App", kind: .confidential, redirectURIs: [], grants: [.clientCredentials], scope: .none,
      permissions: [], createdAt: test.time.now)
    let minted = try test.here.mint(
      subject: client.id.text, client: client, scope: .none, family: nil, boundTo: nil, at: test.time.now)
    let token = minted.token.revealedText
    for here in [test.here, other.here] { #expect(here.verify(token, at: test.time.now) != nil) }
    _ = try await RotateSigningKeys(test.here).publishNext(.es256, by: .commandLine)
    let change = try await RotateSigningKeys(test.here).replaceNow(.es256, by: .commandLine)
    #expect(change.withdrawn.count == 2)
    #expect(test.here.verify(token, at: test.time.now) == nil)
    #expect(keyIDs(test) == [change.keyID])
    #expect(try await signer(test) == change.keyID)
    try await RotateSigningKeys(other.here)()
    #expect(other.here.verify(token, at: test.time.now) == nil)
    #expect(try await test.count(.signingKeyWithdrawn) == 2)
  }
}
