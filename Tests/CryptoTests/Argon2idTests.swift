import Crypto
import Testing

@Suite("Password hashes") struct Argon2idTests {
  static let cheap = Argon2id(cost: Argon2id.Cost(memory: 256, passes: 1, lanes: 1))
  static let password = Array("password".utf8)

  /// From the tests of the reference implementation (P-H-C/phc-winner-argon2, `src/test.c`).
  static let known = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"

  @Test("verifies a hash of the reference implementation") func reference() throws {
    #expect(try Argon2id().verify(Self.password, against: Self.known))
    #expect(try !Argon2id().verify(Array("Password".utf8), against: Self.known))
  }

  @Test("hashes at the standard cost and verifies that") func standard() throws {
    let hash = try Argon2id().hash(Self.password)
    #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(try Argon2id().verify(Self.password, against: hash))
    #expect(try !Argon2id().verify([], against: hash))
    #expect(try !Argon2id().needsRehash(hash))
  }

  @Test("salts every hash") func salts() throws {
    #expect(try Self.cheap.hash(Self.password) != Self.cheap.hash(Self.password))
  }

  @Test("asks for a new hash when the cost changed") func rehash() throws {
    #expect(try Argon2id().needsRehash(Self.known))
    #expect(try Argon2id().needsRehash(Self.cheap.hash(Self.password)))
  }

  @Test(
    "refuses what it cannot read or bear",
    arguments: [
      "", "password", known.replacing("argon2id", with: "argon2i"), known.replacing("v=19", with: "v=16"),
      known.replacing("m=256", with: "m=262145"), known.replacing("t=2", with: "t=11"),
      known.replacing("p=1", with: "p=5"), known.replacing("p=1", with: "p=0"), known.replacing("m=256", with: "m=7"),
      known.replacing("m=256", with: "m=0256"), known.replacing("m=256", with: "m=+256"),
      known.replacing("m=256,t=2", with: "t=2,m=256"), known.replacing("c29tZXNhbHQ", with: "c29t"),
      known.replacing("c29tZXNhbHQ", with: "c29tZXNhbHQ="), known.replacing("$nf65", with: "$$nf65"), known + "$",
    ])
  func refuses(hash: String) {
    #expect(throws: CryptoError.self) { try Argon2id().verify(Self.password, against: hash) }
    #expect(throws: CryptoError.self) { try Argon2id().needsRehash(hash) }
  }
}
