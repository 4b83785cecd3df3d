import HTTP
import Testing

@Test("A URL is taken apart")
func parts() throws {
  let url = try #require(URLParts("HTTPS://Gis.Example.org:8443/portal/a%20b?f=json&x"))
  #expect(url.scheme == .https)
  #expect(url.host == "gis.example.org")
  #expect(url.port == 8443)
  #expect(url.path == "/portal/a%20b")
  #expect(url.query == "f=json&x")
  #expect(url.origin == "https://gis.example.org:8443")
  #expect(url.text == "https://gis.example.org:8443/portal/a%20b?f=json&x")
}

@Test(
  "A URL has one spelling",
  arguments: [
    ("http://a.test", "http://a.test/"), ("http://a.test:80/", "http://a.test/"),
    ("https://a.test:443", "https://a.test/"), ("https://a.test:80?x", "https://a.test:80/?x"),
    ("http://[::1]:8080/", "http://[::1]:8080/"), ("http://[FE80::1]/", "http://[fe80::1]/"),
    ("http://192.168.0.1/", "http://192.168.0.1/"), ("http://my_service/", "http://my_service/"),
    ("http://a.test/?", "http://a.test/?"), ("http://1.a.test/", "http://1.a.test/"),
    ("http://a.test/?next=/../x", "http://a.test/?next=/../x"),
  ])
func spelling(text: String, whole: String) { #expect(URLParts(text)?.text == whole) }

@Test(
  "What programs read differently is refused",
  arguments: [
    "", "a.test", "/a", "//a.test/", "ftp://a.test/", "http:a.test", "http:/a.test", "http:///a", "http://",
    "javascript:alert(1)", "https:evil", "http://user@a.test/", "http://user:pw@a.test/", "http://a.test#x",
    "http://a.test/#x", "http://a.test\\x", "http://a.test/\\x", "http://a test/", "http://a.test/a b",
    "http://a.test/\t", "http://a.test/\n", " http://a.test/", "http://a.test/ ", "http://é.test/",
    "http://a.test/é", "http://a.test/%", "http://a.test/%G1", "http://a.test/?%1", "http://a.test/..",
    "http://a.test/a/%2e%2e/b", "http://a.test:/", "http://a.test:65536/", "http://a.test:-1/", "http://a.test:8 0/",
    "http://.a.test/", "http://a..test/", "http://a.test./", "http://-a.test/", "http://a-.test/", "http://a%2Etest/",
    "http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/", "http://127.0.0.1.5/",
    "http://256.1.1.1/", "http://1.2.3.04/", "http://a.0x7/", "http://a.1/", "http://127.0.0.1./",
    "http://[::1/", "http://[]/", "http://[:::1]/", "http://[1::2::3]/", "http://[fe80::1%25eth0]/",
    "http://[1:2:3:4:5:6:7]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[1:2:3:4:5:6:7:]/", "http://[:1:2:3:4:5:6:7]/",
    "http://[12345::]/", "http://[::1]x/", "http://[::1.2.3]/", "http://[::127.0.0.01]/", "http://[v1.x]/",
    "http://a.test/<", "http://a.test/\"", "http://a.test/?{}",
  ])
func refused(text: String) { #expect(URLParts(text) == nil) }

@Test(
  "IPv6 addresses are read in every form",
  arguments: [
    "[::]", "[::1]", "[1::]", "[1:2:3:4:5:6:7:8]", "[1::8]", "[1:2::7:8]", "[::ffff:127.0.0.1]", "[64:ff9b::1.2.3.4]",
    "[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
  ])
func addresses(host: String) { #expect(Authority(host)?.host == host) }

@Test("Labels and names keep to their lengths")
func lengths() {
  let label = String(repeating: "a", count: 63)
  #expect(URLParts("http://\(label).test/") != nil)
  #expect(URLParts("http://\(label)a.test/") == nil)
  #expect(Authority(Array(repeating: label, count: 4).joined(separator: ".")) != nil)
  #expect(Authority(Array(repeating: label, count: 5).joined(separator: ".")) == nil)
  #expect(URLParts("http://a.test/" + String(repeating: "p", count: 8192)) == nil)
}
