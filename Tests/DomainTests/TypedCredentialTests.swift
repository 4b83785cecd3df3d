import Domain
import Testing

@Suite("What people type into forms of services")
struct TypedCredentialTests {
  @Test(
    "the end of a token is read as people and ArcGIS write it",
    arguments: [
      ("2026-12-31 14:30", 1_798_727_400), ("2026-12-31T14:30:05Z", 1_798_727_405), ("2026-12-31", 1_798_675_200),
      ("1767225600000", 1_767_225_600), ("1767225600", nil), ("tomorrow", nil), ("2026-02-30 10:00", nil),
      ("2026-12-31 24:00", nil), ("2026-12-31 1:30", nil), ("2026-12-31 14:30 CET", nil), ("", nil),
    ] as [(String, Int64?)])
  func moments(text: String, seconds: Int64?) {
    #expect(TypedToken.moment(text)?.seconds == seconds)
  }

  @Test("the guard lets three passwords through in a quarter of an hour, then says how long to wait")
  func lockout() {
    let start = Timestamp(seconds: 10_000)
    #expect(LockoutGuard.wait(after: [start, start + 10], at: start + 20) == nil)
    #expect(LockoutGuard.wait(after: [start, start + 10, start + 20], at: start + 30) == 870)
    #expect(LockoutGuard.wait(after: [start, start + 10, start + 20], at: start + 900) == nil)
    #expect(LockoutGuard.tries < 5, "the portal locks an account after five")
  }

  @Test("nothing typed is trimmed or corrected, and what cannot be a login is named by its field")
  func logins() {
    #expect(TypedLogin(username: " Ana ", password: Secret(" ")).objections.isEmpty)
    #expect(TypedLogin(username: "", password: Secret("")).objections.map(\.field) == ["username", "password"])
    #expect(TypedLogin(username: "a\nb", password: Secret("x")).objections.map(\.field) == ["username"])
  }
}
