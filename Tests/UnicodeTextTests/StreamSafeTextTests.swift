import Testing
import UnicodeText

@Suite("Text from outside")
struct StreamSafeTextTests {
  @Test(
    "stays as it is",
    arguments: ["", "plain", "Ünïcödé", "q\u{323}\u{307}", "👩‍👩‍👧", "a" + String(repeating: "\u{301}", count: 30), "한국어"])
  func same(text: String) {
    #expect(Array(String(streamSafe: Array(text.utf8)).map(\.utf8) ?? "".utf8) == Array(text.utf8))
  }

  @Test("has no more than thirty marks in a row", arguments: [31, 60, 61, 10_000])
  func broken(count: Int) throws {
    let marks = (0..<count).map { $0.isMultiple(of: 2) ? "\u{301}" : "\u{323}" }.joined()
    let text = try #require(String(streamSafe: Array("W\(marks)!".utf8)))
    let runs = text.unicodeScalars.split { $0.properties.canonicalCombiningClass == .notReordered }
    #expect(runs.allSatisfy { $0.count <= 30 })
    #expect(
      String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{34F}" })).utf8.elementsEqual(
        "W\(marks)!".utf8))
    #expect(text == "\(text)" && text.hashValue == text.streamSafe.hashValue)
  }

  @Test("is UTF-8", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] as [[UInt8]])
  func invalid(bytes: [UInt8]) { #expect(String(streamSafe: bytes) == nil) }
}
