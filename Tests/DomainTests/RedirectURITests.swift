import Domain
import Testing

@Suite("Redirect URIs")
struct RedirectURITests {
  @Test(
    "may be registered",
    arguments: [
      "https://app.example/back", "https://app.example", "https://app.example/back?a=b",
      "https://app.example:8443/back",
      "http://127.0.0.1/back", "http://127.0.0.1:8080/back", "http://127.1.2.3/back", "http://[::1]/back",
      "http://localhost:3000/back", "http://app.localhost/back", "org.example.app:/back", "org.example.app://back",
      "org.example-app.x1:/a/b?c",
    ])
  func registers(text: String) { #expect(RedirectURI(text)?.text == text) }

  @Test(
    "may not be registered",
    arguments: [
      "", "back", "/back", "//app.example/back", "http://app.example/back", "http://127.evil.co.uk/back",
      "http://127.0.0.1.evil.example/back", "http://localhost.evil.example/back", "http://192.168.1.1/back",
      "http://[::2]/back", "https://app.example/back#a", "https://app.example/back#", "https://*.app.example/back",
      "https://app.example/*", "https://ana@app.example/back", "https://app.example/a/../b", "https://app.example/a\\b",
      "https://app.example/ back", "https://app.example/b\u{E4}ck", "https://app.example/back\n", "javascript:alert(1)",
      "data:text/html,x", "file:///a", "myapp://back", "myapp:/back", "app.example:8080/back", "app.example/back",
      "org.example.app:", "org.example.app:back", "1org.example.app:/back", "org.example.app:/a#b",
      "org.example.app://ana@host/", "org.exam_ple:/back", "https://app.example./back",
    ])
  func refuses(text: String) { #expect(RedirectURI(text) == nil) }

  @Test(
    "a request must name the registered bytes",
    arguments: [
      ("https://app.example/back", "https://app.example/back/"),
      ("https://app.example/back", "https://app.example/back?"),
      ("https://app.example/back", "https://app.example/back?a=b"),
      ("https://app.example/back?a=b", "https://app.example/back"),
      ("https://app.example/back?a=b", "https://app.example/back?a=b&c=d"),
      ("https://app.example/back", "https://app.example/Back"),
      ("https://app.example/back", "https://APP.example/back"),
      ("https://app.example/back", "HTTPS://app.example/back"),
      ("https://app.example/back", "https://app.example:443/back"),
      ("https://app.example/back", "https://app.example:8443/back"),
      ("https://app.example/back", "https://app.example/%62ack"),
      ("https://app.example/back", "https://app.example/x/../back"),
      ("https://app.example/back", "https://app.example/back#a"),
      ("https://app.example/back", "https://ana@app.example/back"),
      ("https://app.example/back", "http://app.example/back"),
      ("https://app.example/back", "https://app.example.evil.example/back"),
      ("https://app.example/back", ""), ("https://app.example/back", " https://app.example/back"),
      ("https://app.example", "https://app.example/"),
      ("https://app.example/bacK", "https://app.example/bac\u{212A}"),
      ("https://app.example/a;b", "https://app.example/a\u{37E}b"),
      ("org.example.app:/back", "org.example.app:/back2"), ("org.example.app:/back", "ORG.example.app:/back"),
      ("http://localhost:3000/back", "http://localhost:3001/back"),
      ("http://localhost/back", "http://localhost:3001/back"),
      ("http://app.localhost/back", "http://app.localhost:3001/back"),
    ])
  func differs(registered: String, requested: String) throws {
    let uri = try #require(RedirectURI(registered))
    #expect(uri.matches(registered))
    #expect(!uri.matches(requested))
  }

  @Test(
    "on a loopback address the port alone may differ",
    arguments: [
      ("http://127.0.0.1/back", "http://127.0.0.1:51004/back", true),
      ("http://127.0.0.1:8080/back", "http://127.0.0.1:51004/back", true),
      ("http://127.0.0.1:8080/back", "http://127.0.0.1/back", true),
      ("http://[::1]/back", "http://[::1]:51004/back", true),
      ("http://[::1]:8080/back?a=b", "http://[::1]:1/back?a=b", true),
      ("http://127.0.0.1", "http://127.0.0.1:51004", true),
      ("http://127.0.0.1/back", "http://127.0.0.1:51004/back/", false),
      ("http://127.0.0.1/back", "http://127.0.0.1:51004/back?", false),
      ("http://127.0.0.1/back", "http://127.0.0.1:51004/back?a=b", false),
      ("http://127.0.0.1/back?a=b", "http://127.0.0.1:51004/back?a=c", false),
      ("http://127.0.0.1/back", "http://127.0.0.1:51004/back#a", false),
      ("http://127.0.0.1", "http://127.0.0.1:51004/", false),
      ("http://127.0.0.1/back", "HTTP://127.0.0.1:51004/back", false),
      ("http://127.0.0.1/back", "https://127.0.0.1:51004/back", false),
      ("http://127.0.0.1/back", "http://127.0.0.2:51004/back", false),
      ("http://127.0.0.1/back", "http://localhost:51004/back", false),
      ("http://127.0.0.1/back", "http://[::1]:51004/back", false),
      ("http://127.0.0.1/back", "http://127.evil.co.uk:51004/back", false),
      ("http://127.0.0.1/back", "http://127.0.0.1:0/back", false),
      ("http://127.0.0.1/back", "http://127.0.0.1:65536/back", false),
      ("http://127.0.0.1/back", "http://127.0.0.1:80@evil.example/back", false),
      ("http://127.0.0.1/back", "http://ana@127.0.0.1:80/back", false),
      ("http://[::1]/back", "http://[0:0:0:0:0:0:0:1]:51004/back", false),
    ])
  func loopbackPort(registered: String, requested: String, matches: Bool) throws {
    #expect(try #require(RedirectURI(registered)).matches(requested) == matches)
  }

  @Test(
    "parameters are added to a query of its own",
    arguments: [
      ("https://app.example/back", "https://app.example/back?code=1"),
      ("https://app.example/back?a=b", "https://app.example/back?a=b&code=1"),
      ("https://app.example/back?", "https://app.example/back?code=1"),
      ("https://app.example/back?a=b&", "https://app.example/back?a=b&code=1"),
      ("org.example.app:/back", "org.example.app:/back?code=1"),
    ])
  func appends(uri: String, expected: String) {
    #expect(RedirectURI.appending("code=1", to: uri) == expected)
  }

  @Test("a person sees the host, or the scheme of an app on the device")
  func destination() throws {
    #expect(try #require(RedirectURI("https://App.example:8443/back")).destination == "app.example:8443")
    #expect(try #require(RedirectURI("https://app.example:443/back")).destination == "app.example")
    #expect(try #require(RedirectURI("org.example.app:/back")).destination == "org.example.app")
    #expect(try #require(RedirectURI("https://App.example:8443/back")).origin == "https://app.example:8443")
    #expect(try #require(RedirectURI("org.example.app:/back")).origin == nil)
  }
}
