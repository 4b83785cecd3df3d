import Domain
import Testing

@Suite("Secrets")
struct SecretTests {
  private let secret = Secret("hunter2-hunter2")

  private struct Holder {
    let name = "token"
    let secret: Secret
    let optional: Secret?
    let list: [Secret]
  }

  @Test("print as dots in every way that Swift prints")
  func prints() {
    #expect(secret.description == "•••")
    #expect(String(describing: secret) == "•••")
    #expect("\(secret)" == "•••")
    var dumped = ""
    dump(secret, to: &dumped)
    let holder = Holder(secret: secret, optional: secret, list: [secret, secret])
    dump(holder, to: &dumped)
    dump(secret.customMirror, to: &dumped)
    let tokens = UpstreamTokens(
      accessToken: secret, accessExpiresAt: Samples.now, refreshToken: secret, idToken: secret)
    dump(tokens, to: &dumped)
    let printed = [
      dumped, String(reflecting: secret), String(describing: Optional(secret)), String(reflecting: Optional(secret)),
      String(describing: [secret]), String(describing: holder), String(reflecting: holder), String(describing: tokens),
      String(describing: Mirror(reflecting: secret).children.map(\.value)), "\(["key": secret])",
    ]
    for text in printed {
      #expect(!text.contains("hunter2"))
      #expect(!text.contains("104, 117"), "the bytes stand in \(text)")
    }
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test("are equal when every byte is")
  func equality() {
    #expect(secret == Secret(Array("hunter2-hunter2".utf8)))
    #expect(secret != Secret("hunter2-hunter3"))
    #expect(secret != Secret("Hunter2-hunter2"))
    #expect(secret != Secret("hunter2-hunter"))
    #expect(secret != Secret("hunter2-hunter2 "))
    #expect(Secret("") == Secret([]))
    #expect(Secret("") != Secret([0]))
    // Canonically equivalent texts are different bytes.
    #expect(Secret("\u{E9}") != Secret("e\u{301}"))
  }

  @Test("give back what they were made from", arguments: [[], [0], [1, 2, 3], Array(repeating: 255, count: 5000)])
  func reveals(bytes: [UInt8]) {
    #expect(Secret(bytes).revealed == bytes)
    #expect(Secret(bytes).isEmpty == bytes.isEmpty)
  }

  @Test("show malformed UTF-8 as replacement characters")
  func malformed() { #expect(Secret([0x61, 0xFF]).revealedText == "a\u{FFFD}") }
}
