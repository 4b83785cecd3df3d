import Domain
import Testing

@Suite("Refusals")
struct RefusalTests {
  @Test("are told in the characters that an error_description may have")
  func wire() {
    let plain = "code_verifier has 43 to 128 characters; #1 [~]!"
    #expect(Refusal(.invalidGrant, plain).wireDescription == plain)
    let other = Refusal(.invalidRequest, "Say {\"a\": “b\\c”} – or …\r\nÄ\u{7F}")
    #expect(other.wireDescription == "Say {'a': 'b/c'} - or ...????")
  }
}
