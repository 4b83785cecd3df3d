import Crypto
import Domain
import JOSE
import JSON
import Storage
import Testing
import Upstream

@testable import Flows

@Suite("The vault")
struct VaultTests {
  private let kek = KeyEncryptionKey.random()
  private let place = SealContext(table: "credential", column: "tokens", row: "r", account: "a", binding: "b")
  private let value = Secret("hunter2-hunter2")

  @Test("gives back what was sealed, and never the same bytes twice")
  func roundTrip() throws {
    let vault = Vault(kek)
    let (one, two) = (try vault.seal(value, in: place), try vault.seal(value, in: place))
    #expect(try vault.open(one, in: place) == value)
    #expect(one.box != two.box && one.wrappedKey != two.wrappedKey)
    #expect(one.kekID == kek.id)
    #expect(try vault.open(vault.seal(Secret(""), in: place), in: place).isEmpty)
    #expect(!one.box.contains(Array("hunter2".utf8)))
  }

  @Test("opens nothing under another key, and says which one is needed")
  func wrongKey() throws {
    let sealed = try Vault(kek).seal(value, in: place)
    let other = KeyEncryptionKey.random()
    #expect(throws: KeyFailure.wrongKey(needed: [kek.id], given: other.id)) {
      try Vault(other).open(sealed, in: place)
    }
    let renamed = Sealed(kekID: other.id, wrappedKey: sealed.wrappedKey, box: sealed.box)
    #expect(throws: KeyFailure.notAuthentic) { try Vault(other).open(renamed, in: place) }
  }

  @Test("opens nothing of which a single bit was flipped, nor what was cut or lengthened")
  func flippedBits() throws {
    let vault = Vault(kek)
    let sealed = try vault.seal(value, in: place)
    var broken: [Sealed] = []
    for bit in 0..<8 {
      for index in sealed.box.indices {
        var box = sealed.box
        box[index] ^= 1 << bit
        broken.append(Sealed(kekID: kek.id, wrappedKey: sealed.wrappedKey, box: box))
      }
      for index in sealed.wrappedKey.indices {
        var key = sealed.wrappedKey
        key[index] ^= 1 << bit
        broken.append(Sealed(kekID: kek.id, wrappedKey: key, box: sealed.box))
      }
    }
    for count in 0..<sealed.box.count {
      broken.append(Sealed(kekID: kek.id, wrappedKey: sealed.wrappedKey, box: Array(sealed.box.prefix(count))))
    }
    for count in 0..<sealed.wrappedKey.count {
      broken.append(Sealed(kekID: kek.id, wrappedKey: Array(sealed.wrappedKey.prefix(count)), box: sealed.box))
    }
    broken.append(Sealed(kekID: kek.id, wrappedKey: sealed.wrappedKey, box: sealed.box + [0]))
    broken.append(Sealed(kekID: kek.id, wrappedKey: sealed.wrappedKey + sealed.wrappedKey, box: sealed.box))
    for sealed in broken { #expect(throws: KeyFailure.notAuthentic) { try vault.open(sealed, in: place) } }
  }

  @Test("opens nothing in another place, nor with another row's key")
  func places() throws {
    let vault = Vault(kek)
    let sealed = try vault.seal(value, in: place)
    let others = [
      SealContext(table: "revocation", column: "tokens", row: "r", account: "a", binding: "b"),
      SealContext(table: "credential", column: "other", row: "r", account: "a", binding: "b"),
      SealContext(table: "credential", column: "tokens", row: "s", account: "a", binding: "b"),
      SealContext(table: "credential", column: "tokens", row: "r", account: "c", binding: "b"),
      SealContext(table: "credential", column: "tokens", row: "r", account: "a", binding: "c"),
      SealContext(table: "credential", column: "tokens", row: "r", account: "", binding: "ab"),
      SealContext(table: "credential", column: "tokens", row: "r"),
      SealContext(table: "credential|tokens", column: "r", row: "", account: "a", binding: "b"),
    ]
    for other in others { #expect(throws: KeyFailure.notAuthentic) { try vault.open(sealed, in: other) } }
    let second = try vault.seal(Secret("second"), in: others[2])
    let mixed = [
      Sealed(kekID: kek.id, wrappedKey: second.wrappedKey, box: sealed.box),
      Sealed(kekID: kek.id, wrappedKey: sealed.wrappedKey, box: second.box),
    ]
    for one in mixed {
      #expect(throws: KeyFailure.notAuthentic) { try vault.open(one, in: place) }
      #expect(throws: KeyFailure.notAuthentic) { try vault.open(one, in: others[2]) }
    }
  }

  @Test("is checked for everything that lasts, and says what it left out, so that nothing is missing in the count")
  func counts() async throws {
    let (test, portal) = (try await TestInstallation(), try TestPortal())
    let connection = try await test.connection(.oauthUser, to: portal.server)
    let registration = try await test.here.registration(for: connection)
    let signedIn = try await portal.signIn(registration, test.here.upstreams.portals, at: test.time.now)
    _ = try await test.put(signedIn.tokens, at: connection)
    let layer = "\(portal.server.origin)/server/rest/services/Traffic/FeatureServer/0"
    let request = try await test.vendRequest(for: layer, at: connection)
    _ = try await VendToken(test.here)(request, with: nil, TestInstallation.visitor)
    let inspect = InspectKeys(test.here)
    let (status, result) = (try await inspect.status(), try await inspect.verify())
    #expect(result.leftOut.map(\.table) == ["server_token"] && result.broken.isEmpty)
    #expect(status.sealed.map(\.count).reduce(0, +) == result.opened + result.leftOut.map(\.count).reduce(0, +))
  }

  @Test("rows that were swapped in the database do not open")
  func swappedRows() async throws {
    let test = try await TestInstallation()
    let provider = try TestProvider()
    let one = try await test.credential(at: provider)
    let connection = try await test.connection(.oidc, to: provider.server, named: "second")
    let two = try await test.put(
      UpstreamTokens(accessToken: Secret("second"), accessExpiresAt: test.time.now, refreshToken: nil), at: connection)
    let sealed = try await test.store.read { tx in
      [try tx.sealedCredential(one.id)?.1, try tx.sealedCredential(two.id)?.1].compactMap(\.self)
    }
    #expect(try await test.tokens(of: one.id).accessToken == Secret("access-0"))
    try await test.store.write { [now = test.time.now] tx in
      for (credential, foreign) in zip([one, two], sealed.reversed()) {
        let expiry = TokenExpiry(UpstreamTokens(accessToken: Secret(""), accessExpiresAt: now, refreshToken: nil))
        _ = try tx.replaceTokens(of: credential.id, generation: 1, with: foreign, expiry, at: now)
      }
    }
    for id in [one.id, two.id] {
      await #expect(throws: KeyFailure.notAuthentic) { try await test.tokens(of: id) }
    }
  }

  @Test("the text of a key file means the same key again")
  func keyFile() throws {
    let text = kek.fileText
    #expect(text.revealedText.hasPrefix("gatehouse-kek-v1 ") && text.revealedText.hasSuffix("\n"))
    let again = try KeyEncryptionKey(fileText: text)
    #expect(again.id == kek.id && again.fileText == text)
    #expect(try Vault(again).open(Vault(kek).seal(value, in: place), in: place) == value)
    #expect(KeyEncryptionKey.random().id != kek.id)
    #expect("\(kek)".contains("•••"))
    #expect(!"\(kek)".contains(text.revealedText.dropFirst(17).dropLast()))
  }

  @Test(
    "another text is no key",
    arguments: [
      "", "\n", "gatehouse-kek-v1", "gatehouse-kek-v1 ", "gatehouse-kek-v1 AAAA",
      "gatehouse-kek-v2 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "gatehouse-kek-v1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      "gatehouse-kek-v1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
      "gatehouse-kek-v1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA x",
      "gatehouse-kek-v1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
  func malformedKeyFile(text: String) {
    #expect(throws: KeyFailure.unreadableFile) { try KeyEncryptionKey(fileText: Secret(text)) }
  }

  @Test("a database takes its first key and refuses every other one, unchanged")
  func opening() async throws {
    let database = try await TestDatabase.make()
    let store = Store(database)
    try await store.migrate()
    let now = Timestamp(seconds: 1000)
    #expect(try await OpenVault.needsFirstKey(store))
    _ = try await OpenVault.open(store, with: kek, at: now)
    #expect(try await !OpenVault.needsFirstKey(store))
    #expect(try await OpenVault.open(store, with: kek, at: now).kekID == kek.id)
    let other = KeyEncryptionKey.random()
    await #expect(throws: KeyFailure.wrongKey(needed: [kek.id], given: other.id)) {
      _ = try await OpenVault.open(store, with: other, at: now)
    }
    #expect(try await store.read { try $0.kekCheckValues().map(\.id) } == [kek.id])
  }

  @Test("the next run of the program finds the keys of the last one")
  func keysStay() async throws {
    let test = try await TestInstallation()
    let again = try await TestInstallation(after: test)
    for purpose in PurposeKeys.Purpose.allCases {
      let (old, new) = (test.here.purposeKeys.current(purpose), again.here.purposeKeys.current(purpose))
      #expect(old.id == new.id)
      #expect(old.mac.authenticate([1]) == new.mac.authenticate([1]))
    }
    #expect(test.here.signing.published.json.encoded() == again.here.signing.published.json.encoded())
  }
}
