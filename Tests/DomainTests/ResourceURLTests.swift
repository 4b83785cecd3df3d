import Domain
import Testing

@Suite("The URL of a resource")
struct ResourceURLTests {
  @Test(
    "is read in one canonical form",
    arguments: [
      ("https://gis.example.org", "https://gis.example.org/"),
      ("https://gis.example.org/", "https://gis.example.org/"),
      ("HTTPS://GIS.Example.ORG/Server", "https://gis.example.org/Server"),
      ("https://gis.example.org:443/a", "https://gis.example.org/a"),
      ("http://gis.example.org:80/a", "http://gis.example.org/a"),
      ("https://gis.example.org:80/a", "https://gis.example.org:80/a"),
      ("http://gis.example.org:443/a", "http://gis.example.org:443/a"),
      ("https://gis.example.org:65535/", "https://gis.example.org:65535/"),
      ("https://gis.example.org:1/", "https://gis.example.org:1/"),
      ("https://gis.example.org?f=json", "https://gis.example.org/"),
      ("https://gis.example.org/a?b=c/../d", "https://gis.example.org/a"),
      ("https://gis.example.org/a?b=%2f%2e%5c", "https://gis.example.org/a"),
      ("https://gis.example.org/a?b=?c", "https://gis.example.org/a"),
      ("https://gis.example.org/a?b=c@d:e", "https://gis.example.org/a"),
      ("https://gis.example.org/a@b", "https://gis.example.org/a@b"),
      ("https://gis.example.org/a:b", "https://gis.example.org/a:b"),
      ("https://gis.example.org/a;b=c/d", "https://gis.example.org/a;b=c/d"),
      ("https://gis.example.org/a/", "https://gis.example.org/a/"),
      ("https://gis.example.org//a", "https://gis.example.org//a"),
      ("https://gis.example.org/My%20Maps/M%C3%BCnchen", "https://gis.example.org/My%20Maps/M%C3%BCnchen"),
      ("https://gis.example.org/a%7Eb", "https://gis.example.org/a%7Eb"),
      ("https://gis.example.org/...", "https://gis.example.org/..."),
      ("https://gis.example.org/..a", "https://gis.example.org/..a"),
      ("https://gis.example.org/.well-known/x", "https://gis.example.org/.well-known/x"),
      ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
      ("https://intranet/a", "https://intranet/a"),
      ("https://a-b.c-d.example/", "https://a-b.c-d.example/"),
      ("https://3com.example/", "https://3com.example/"),
      ("https://127.evil.co.uk/", "https://127.evil.co.uk/"),
      ("https://10.0.0.1/", "https://10.0.0.1/"),
      ("https://0.0.0.0/", "https://0.0.0.0/"),
      ("https://255.255.255.255/", "https://255.255.255.255/"),
      ("http://[::1]:8080/", "http://[::1]:8080/"),
      ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
      ("http://[2001:DB8::0:1]/", "http://[2001:db8::1]/"),
      ("http://[2001:db8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"),
      ("http://[2001:db8:0:1:1:1:1:1]/", "http://[2001:db8:0:1:1:1:1:1]/"),
      ("http://[::]/", "http://[::]/"),
      ("http://[1::]/", "http://[1::]/"),
      ("http://[::ffff:7f00:1]/", "http://[::ffff:7f00:1]/"),
    ])
  func canonical(text: String, expected: String) throws {
    let url = try #require(ResourceURL(text))
    #expect(url.withoutQuery == expected)
    #expect(ResourceURL(url.withoutQuery)?.withoutQuery == expected)
  }

  @Test(
    "is refused when it has no plain scheme and host",
    arguments: [
      "", "/", "//gis.example.org/", "gis.example.org", "gis.example.org/a", "https:", "https:/", "https://",
      "https:///a",
      "https:/gis.example.org", "https:gis.example.org", "https:\\\\gis.example.org", "https://?a", "ftp://a.example/",
      "javascript://a.example/", "file:///etc/passwd", "data:text/plain,a", "ws://a.example/", "wss://a.example/",
      "httpss://a.example/", " https://a.example/", "https://a.example/ ", "https ://a.example/", "h\u{212A}ttps://a/",
      "\u{FF48}ttps://a.example/",
    ])
  func refusesForm(text: String) { #expect(ResourceURL(text) == nil) }

  @Test(
    "is refused when programs could disagree about its host",
    arguments: [
      "https://ana@gis.example.org/", "https://ana:pass@gis.example.org/", "https://@gis.example.org/",
      "https://gis.example.org@evil.example/", "https://gis.example.org:443@evil.example/",
      "https://gis.example.org\\@evil.example/", "https://gis.example.org\\.evil.example/",
      "https://gis.example.org#@evil.example/", "https://gis%2eexample.org/", "https://%67is.example.org/",
      "https://gis.example.org%00.evil.example/", "https://.example.org/", "https://gis..example.org/",
      "https://gis.example.org./", "https://-gis.example.org/", "https://gis-.example.org/",
      "https://gis_a.example.org/",
      "https://gis*.example.org/", "https://*.example.org/", "https://gis.example.org,evil.example/",
      "https://b\u{FC}cher.example/", "https://gis\u{3002}example.org/", "https://g\u{AD}is.example.org/",
      "https://gis.example.org\u{FF0F}evil/", "https://gis.ex ample.org/", "https://gis.example.org\t/",
      "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://127.1/", "https://127.0.1/",
      "https://0177.0.0.1/", "https://127.0.0.01/", "https://127.0.0.256/", "https://1.2.3.4.5/", "https://1.2.3/",
      "https://example.1/", "https://example.0x1/", "https://1.2.3.4x/", "https://00.0.0.0/",
    ])
  func refusesHost(text: String) { #expect(ResourceURL(text) == nil) }

  @Test(
    "is refused when its address is not plainly IPv6",
    arguments: [
      "[]", "[:]", "[:::]", "[1]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7::8]", "[::1::]",
      "[12345::]",
      "[g::]", "[::-1]", "[::+1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[::127.0.0.1]", "[::ffff:1.2.3.4]", "[v1.a]",
      "[::1", "::1]", "[::1]a", "[::1].example.org", "::1", "[::1]]", "[[::1]]", "[1:2:3:4:5:6:7:]", "[:1:2:3:4:5:6:7]",
      "[ ::1]",
    ])
  func refusesAddress(host: String) { #expect(ResourceURL("http://\(host)/") == nil) }

  @Test(
    "is refused with a port that is none",
    arguments: [
      "", "0", "00443", "0443", "65536", "99999", "123456", "-1", "+443", "44a", "4 43", "443:443", "\u{FF11}",
    ])
  func refusesPort(port: String) { #expect(ResourceURL("https://gis.example.org:\(port)/") == nil) }

  @Test(
    "is refused with what no URL may hold, in its query, too",
    arguments: ["{", "}", "|", "\"", "<", ">", "^", "`", "%zz", "%", "%1", "%g0", "\\", "#", " "])
  func refusesCharacter(text: String) {
    #expect(ResourceURL("https://gis.example.org/a?b=\(text)") == nil)
    #expect(ResourceURL("https://gis.example.org/a\(text)") == nil)
    #expect(ResourceURL("https://gis.example.org/a?b=%2F%7b!$&'()*+,;=:@/?-._~[]") != nil)
  }

  @Test(
    "is refused when a server could read its path as another one",
    arguments: [
      ".", "..", "./", "../", "a/./b", "a/../b", "a/..", "a/.", "../../etc", "a/..;/b", "a/..;x=1/b", "a/.;/b",
      "a/..%3b/b",
      "a/..%20/b", "%2e", "%2E%2e/", "a/.%2e/b", "a/%2e./b", "a%2fb", "a%2Fb", "a%5cb", "a%5Cb", "a\\b", "..\\b",
      "a%00b", "a%0ab", "a%0D%0Ab", "a%09b", "a%7fb", "a%1fb", "a%252fb", "%25", "a%", "a%2", "a%zz", "a%g0", "a%0",
      "%61dmin", "a%41", "a%2db", "a%5fb", "a%30", "a#b", "#", "a b", "a\tb", "a\nb", "a\rb", "a\u{0}b", "a\u{7F}b",
      "\u{E9}", "a\u{2028}b", "caf\u{65}\u{301}",
    ])
  func refusesPath(path: String) { #expect(ResourceURL("https://gis.example.org/\(path)") == nil) }

  @Test("holds at most 4096 bytes, 253 of them a host and 63 a label")
  func limits() {
    let label = String(repeating: "a", count: 63)
    let prefix = "https://gis.example.org/"
    let room = 4096 - prefix.utf8.count
    #expect(ResourceURL(prefix + String(repeating: "a", count: room)) != nil)
    #expect(ResourceURL(prefix + String(repeating: "a", count: room + 1)) == nil)
    #expect(ResourceURL("https://\(label).example/") != nil)
    #expect(ResourceURL("https://\(label)a.example/") == nil)
    #expect(ResourceURL("https://\(label).\(label).\(label).\(label.dropLast(2))/") != nil)
    #expect(ResourceURL("https://\(label).\(label).\(label).\(label.dropLast())/") == nil)
  }

  @Test("keeps its query as it came")
  func query() {
    #expect(ResourceURL("https://a.example/b?where=1%3D1&f=json")?.query == "where=1%3D1&f=json")
    #expect(ResourceURL("https://a.example/b?")?.query == "")
    #expect(ResourceURL("https://a.example?x")?.query == "x")
  }
}
