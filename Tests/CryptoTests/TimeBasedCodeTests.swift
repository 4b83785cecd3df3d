import Crypto
import Testing

@Suite("Codes of authenticator apps")
struct TimeBasedCodeTests {
  private static let secret = Array("12345678901234567890".utf8)

  @Test(
    "are those of RFC 6238, appendix B",
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
      (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Int64, String)])
  func vectors(seconds: Int64, code: String) {
    let step = TimeBasedCode.step(at: seconds)
    #expect(TimeBasedCode.code(Self.secret, step: step, digits: 8) == code)
    #expect(TimeBasedCode.code(Self.secret, step: step) == String(code.suffix(6)))
  }

  @Test(
    "are those of RFC 4226, appendix D",
    arguments: zip(
      Int64(0)...9,
      [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
      ]))
  func counterVectors(step: Int64, code: String) { #expect(TimeBasedCode.code(Self.secret, step: step) == code) }

  @Test("count one step before and after, and no other", arguments: -3...3 as ClosedRange<Int64>)
  func tolerance(offset: Int64) {
    let step = TimeBasedCode.step(at: 1_234_567_890)
    let found = TimeBasedCode.step(
      of: TimeBasedCode.code(Self.secret, step: step + offset), Self.secret, at: 1_234_567_890)
    #expect(found == (abs(offset) <= 1 ? step + offset : nil))
  }

  @Test("are refused when they are not six digits", arguments: ["", "28708", "2870820", "28708a", "２８７０８２"])
  func malformed(code: String) { #expect(TimeBasedCode.step(of: code, Self.secret, at: 59) == nil) }

  @Test(
    "have a secret that people type in the letters of RFC 4648",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ])
  func base32(text: String, encoded: String) { #expect(Base32.encode(Array(text.utf8)) == encoded) }
}
