import Testing

@testable import HTTPClient

@Suite("URLs")
struct URLTests {
  @Test(
    "A URL is read and written anew",
    arguments: [
      ("https://example.com", "https://example.com:443/"),
      ("HTTPS://Example.COM/A?b=%2F", "https://example.com:443/A?b=%2F"),
      ("http://example.com?x=1", "http://example.com:80/?x=1"),
      ("https://example.com:8443/a/../b", "https://example.com:8443/a/../b"),
      ("https://192.0.2.1/", "https://192.0.2.1:443/"),
      ("https://[2001:DB8::1]:444/", "https://[2001:db8::1]:444/"),
      ("https://[::ffff:127.0.0.1]/", "https://[::ffff:127.0.0.1]:443/"),
      ("https://a_b.example.com/", "https://a_b.example.com:443/"),
      ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example:443/"),
      ("https://example.com/a@b:c", "https://example.com:443/a@b:c"),
      ("https://1.2.3.4.example/", "https://1.2.3.4.example:443/"),
    ])
  func reads(text: String, written: String) throws {
    #expect(try OutboundURL(text).description == written)
  }

  @Test(
    "A URL that could be read in two ways is refused",
    arguments: [
      ("http://127.1/", .numericHost), ("http://127.0.1/", .numericHost), ("http://0x7f000001/", .numericHost),
      ("http://0x7f.0.0.1/", .numericHost), ("http://2130706433/", .numericHost),
      ("http://017700000001/", .numericHost),
      ("http://0177.0.0.1/", .numericHost), ("http://127.0.0.1./", .trailingDot), ("http://localhost./", .trailingDot),
      ("http://example.com.:80/", .trailingDot), ("http://256.256.256.256/", .numericHost),
      ("http://foo.0x10/", .numericHost), ("http://1.2.3.4.5/", .numericHost), ("http://0x/", .numericHost),
      ("http://user@127.0.0.1/", .userInfo), ("http://user:pw@example.com/", .userInfo),
      ("http://example.com@127.0.0.1/", .userInfo), ("http://127.0.0.1:80@example.com/", .userInfo),
      ("http://example.com\\@127.0.0.1/", .character), ("http://exa mple.com/", .character),
      ("http://example.com/\r\nX: y", .character), ("http://example.com/\u{0}", .character),
      ("http://ex%61mple.com/", .host), ("http://①②⑦.0.0.1/", .character), ("http://bücher.example/", .character),
      ("http://example.com/%zz", .character), ("http://example.com/%4", .character),
      ("http://example.com/a#b", .fragment),
      ("http://example.com#@127.0.0.1/", .fragment), ("http://[::1/", .host), ("http://::1/", .host),
      ("http://[::1%25lo]/", .host), ("http://[127.0.0.1]/", .host), ("http://[v1.a]/", .host), ("http:///", .host),
      ("http://:80/", .host), ("http://-a.example/", .host), ("http://a..example/", .host), ("http://.example/", .host),
      ("http://example.com:0/", .port), ("http://example.com:65536/", .port), ("http://example.com:+80/", .port),
      ("http://example.com:080/", .port), ("http://example.com:/", .port), ("http://example.com:80:81/", .port),
      ("http://[::1]80/", .port), ("gopher://127.0.0.1/", .scheme), ("file:///etc/passwd", .scheme),
      ("ftp://example.com/", .scheme), ("dict://127.0.0.1:11211/", .scheme), ("//example.com/", .scheme),
      ("example.com", .scheme), ("", .scheme), ("https:example.com", .scheme), ("jar:http://example.com/", .scheme),
    ] as [(String, URLProblem)])
  func refuses(text: String, problem: URLProblem) {
    #expect(throws: problem) { try OutboundURL(text) }
  }

  @Test("A URL beyond 8 KiB is refused")
  func refusesLong() {
    #expect(throws: URLProblem.tooLong) {
      try OutboundURL("https://example.com/" + String(repeating: "a", count: 8192))
    }
  }
}
