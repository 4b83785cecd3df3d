import Testing

@testable import Upstream

@Suite("Words of an upstream in our log")
struct LogTextTests {
  @Test(
    "lose what could be a token, break the line, or turn the writing",
    arguments: [
      ("refresh_token expired", "refresh_token expired"),
      ("Invalid token eyJhbGciOiJFUzI1NiIsInR5cCI6Ik.abc", "Invalid token •••.abc"),
      ("Invalid 3NKHt6i2urmWtqOuugvr9Trr", "Invalid •••"), ("a\nb\r\nc\td", "a b c d"), ("a\u{1B}[31mb", "a [31mb"),
      ("\u{202E}evil\u{2066}", " evil "),
      ("trace 6cba67ae-1d2f-4a2f-9f0a-0242ac120002", "trace 6cba67ae-1d2f-4a2f-9f0a-0242ac120002"),
      ("Invalid 3NKHt6i2u-rmWtqOuu_gvr9Trr", "Invalid •••"), ("unsupported_grant_type", "unsupported_grant_type"),
      ("Ungültiger Schlüssel", "Ungültiger Schlüssel"), ("", ""),
    ])
  func cleans(text: String, cleaned: String) {
    #expect(LogText.clean(text) == cleaned)
  }

  @Test("are cut to a readable length")
  func cuts() {
    #expect(LogText.clean(String(repeating: "word ", count: 1000)).count == 200)
  }
}
