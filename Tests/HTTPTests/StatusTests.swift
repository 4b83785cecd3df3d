import HTTP
import Testing

@Test(
  "Every status the server makes has its registered phrase", arguments: [(200, "OK"), (421, "Misdirected Request")])
func phrases(code: Int, phrase: String) {
  #expect(Status(integerLiteral: code).phrase == phrase)
}
