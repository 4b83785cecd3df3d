import Domain
import Testing

@Suite("Where a browser goes back to")
struct ReturnPathTests {
  @Test(
    "is the path that was asked for",
    arguments: [
      "/", "/account", "/account/apps", "/connect/maps?ticket=a.b-c_d", "/account/security?tab=2", "/a/b/", "/a.b",
      "/a?b=.c",
    ])
  func keeps(path: String) { #expect(ReturnPath.checked(path) == path) }

  @Test(
    "is the account page for anything that could lead elsewhere",
    arguments: [
      nil, "", "account", "//evil.example", "///evil.example", "/\\evil.example", "\\/evil.example", "\\\\evil.example",
      "/a//evil.example", "/.//evil.example", "/./", "/../", "/a/../..//evil.example", "/..", "/a/.", "/.hidden",
      "https:evil.example", "https://evil.example", "https:/evil.example", "HTTPS://evil.example",
      "javascript:alert(1)",
      "java\tscript:alert(1)", "data:text/html,x", "/%2f%2fevil.example", "%2f%2fevil.example", "/%2e%2e/",
      "/%5cevil.example",
      "/\t/evil.example", "/\n/evil.example", "/\r\n/evil.example", "/\r\nLocation: https://evil.example",
      "\t//evil.example",
      " //evil.example", "/ /evil.example", "/\u{0}/evil.example", "/@evil.example", "/a:b", "/a#b", "/a;b", "/a&b",
      "/a\"b",
      "/a'b", "/<script>", "/a\u{2028}b", "/\u{FF0F}evil.example", "\u{FF0F}evil.example", "/\u{2215}evil.example",
      "/\u{301}", "/a\u{E9}", "?a=b", ".", "..", "./a", "~", "*",
    ] as [String?])
  func refuses(path: String?) { #expect(ReturnPath.checked(path) == "/account") }

  @Test("holds at most 1000 bytes")
  func length() {
    let longest = "/" + String(repeating: "a", count: 999)
    #expect(ReturnPath.checked(longest) == longest)
    #expect(ReturnPath.checked(longest + "a") == "/account")
  }

  @Test("whatever comes in, a single slash and a plain character begin what goes out", arguments: 0..<40)
  func random(seed: Int) {
    var generator = Dice(seed: UInt64(seed))
    let pieces = [
      "/", "\\", ".", "..", "%2f", "%5c", "\t", "\n", ":", "//", "https:", "evil.example", "@", "a", "?", "#",
      "\u{2044}",
    ]
    for _ in 0..<500 {
      let count = Int.random(in: 0...6, using: &generator)
      let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      let path = ReturnPath.checked(text)
      #expect(path == "/account" || path.utf8.elementsEqual(text.utf8))
      #expect(path.utf8.first == UInt8(ascii: "/"))
      #expect(!path.contains("//") && !path.contains("\\") && !path.contains(":") && !path.contains(".."))
      #expect(path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") })
    }
  }
}

/// Numbers that come out the same in every run (SplitMix64).
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
