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

  private func pause(
    _ all: [Int64], own: [Int64] = [], elsewhere: [Int64] = [], at now: Int64
  ) -> LockoutGuard.Pause? {
    let times = [all, own, elsewhere].map { $0.map(Timestamp.init(seconds:)) }
    return LockoutGuard.pause(after: times[0], own: times[1], elsewhere: times[2], at: Timestamp(seconds: now))
  }

  @Test("the guard lets three passwords for a name through in a quarter of an hour, then says how long to wait")
  func lockout() {
    #expect(pause([1000, 1010], own: [1010], elsewhere: [1010], at: 1020) == nil)
    #expect(pause([1000, 1010, 1020], at: 1030) == .init(seconds: 870, cause: .username))
    #expect(pause([1000, 1010, 1020], at: 1900) == nil)
    #expect(LockoutGuard.tries < 5, "the portal locks an account after five")
  }

  @Test("one account has two of a name's three tries, and ten over all names")
  func ownLockout() {
    #expect(pause([1000, 1010], own: [1000, 1010], at: 1030) == .init(seconds: 870, cause: .username))
    #expect(pause([1000, 1010], own: [], at: 1030) == nil)
    #expect(pause([], elsewhere: Array(1000..<1009), at: 1030) == nil)
    #expect(pause([], elsewhere: Array(1000..<1010), at: 1030) == .init(seconds: 870, cause: .account))
    #expect(LockoutGuard.triesOfOneAccount < LockoutGuard.tries)
  }

  @Test(
    "names that a directory may take for one are counted as one",
    arguments: [
      "ida", "IDA", " ida", "ida\u{A0}", "i\u{200B}da", "\u{202E}ida", "\u{131}da", "\u{130}da", "ida\u{307}",
      "\u{FF49}\u{FF44}\u{FF41}", "\u{1D422}\u{1D41D}\u{1D41A}", "id\u{E1}", "ida\u{301}", "\u{24D8}da", "i\u{AD}da",
    ])
  func folded(name: String) { #expect(FoldedUsername(name).text == "ida") }

  @Test(
    "a name with its domain is counted as the name, where a directory takes both",
    arguments: ["ida", "CITY\\ida", "city.example\\Ida", "ida@city", "IDA@city.example", "CITY\\ida@city.example"])
  func inDirectory(name: String) { #expect(FoldedUsername(inDirectory: name).text == "ida") }

  @Test("other names are counted apart")
  func apart() {
    let names = ["ida", "idb", "id", "ida1", "ida2", "i-da", "i.da", "ida@example.org", "\u{4E00}", "\u{4E8C}"]
    #expect(Set(names.map { FoldedUsername($0).text }).count == names.count)
    #expect(FoldedUsername("stra\u{DF}e\u{FB01}\u{FF11}").text == "strassefi1")
  }

  @Test("nothing typed is trimmed or corrected, and what cannot be a login is named by its field")
  func logins() {
    #expect(TypedLogin(username: " Ana ", password: Secret(" ")).objections.isEmpty)
    #expect(TypedLogin(username: "", password: Secret("")).objections.map(\.field) == ["username", "password"])
    #expect(TypedLogin(username: "a\nb", password: Secret("x")).objections.map(\.field) == ["username"])
  }
}
