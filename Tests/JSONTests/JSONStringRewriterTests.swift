import JSON
import Testing

@Suite("Replacing strings of a JSON text on its way")
struct JSONStringRewriterTests {
  private static func rewritten(_ text: String, in pieces: Int) -> String {
    var rewriter = JSONStringRewriter(of: "http") {
      $0.lowercased().hasPrefix("https://a/") ? "https://here/\"\($0.dropFirst(10))" : nil
    }
    var output: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      output += rewriter.take(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return String(decoding: output + rewriter.finish(), as: UTF8.self)
  }

  @Test(
    "replaces whole strings, whatever the pieces, and nothing else",
    arguments: [
      (#"{"url":"https://a/x"}"#, #"{"url":"https://here/\"x"}"#),
      (
        #"["https:\/\/a\/x","https://a/x/é","https://a/\u00e9"]"#,
        #"["https://here/\"x","https://here/\"x/é","https://here/\"é"]"#
      ),
      (
        #"["HTTPS://a/x","hTtP://a","HTTP","h","@TTPS://a/x"]"#,
        #"["https://here/\"x","hTtP://a","HTTP","h","@TTPS://a/x"]"#
      ),
      (#"{"a":"see https://a/x","b":"http","c":"","d":"\"https://a/x"}"#, nil),
      (#"{"a":"https://b/x","b":1,"c":[true,null],"d":"h","e":"\\"}"#, nil),
      (#"  {"a\\":"https://a/\\"}  "#, #"  {"a\\":"https://here/\"\\"}  "#),
      (#"{"a":"https://a/x\ud800"}"#, nil), (#"{"a":"https://a/unfinished"#, nil), ("no JSON at all \"", nil),
      ("", nil),
    ] as [(String, String?)])
  func replaces(_ text: String, _ expected: String?) {
    for pieces in [1, 2, 3, 7, 1000] { #expect(Self.rewritten(text, in: pieces) == expected ?? text) }
  }

  @Test("lets strings pass that are longer than it holds back")
  func isBounded() {
    let long = #""https://a/\#(String(repeating: "x", count: JSONStringRewriter.longestString))","https://a/x""#
    for pieces in [1, 4096] {
      let result = Self.rewritten(long, in: pieces)
      #expect(result.hasPrefix(#""https://a/xxx"#) && result.hasSuffix(#","https://here/\"x""#))
    }
  }
}
