import Domain
import Testing

@Suite("Names of clients and connections")
struct DisplayNameTests {
  @Test(
    "people see them as they are",
    arguments: ["Maps", "Kartor för alla", "地図", "a", String(repeating: "x", count: 100)])
  func plain(_ name: String) { #expect(DisplayName.isPlain(name)) }

  @Test(
    "nothing in them is invisible or moves the rest",
    arguments: [
      "", " ", "a\nb", "a\u{200B}b", "a\u{AD}b", "a\u{2060}b", "a\u{FE0F}b", "a\u{3164}b", "a\u{115F}b", "a\u{202E}b",
      "a\u{1B}[2Jb", "\u{2800}", "a\u{E000}b", "a\u{378}b", String(repeating: "x", count: 101),
    ])
  func hidden(_ name: String) { #expect(!DisplayName.isPlain(name)) }
}
