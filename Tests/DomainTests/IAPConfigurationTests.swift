import Domain
import Testing

@Suite("The configuration of an application proxy")
struct IAPConfigurationTests {
  private static let root = "https://login.microsoftonline.com/6f0c1a52-9d3b-4a7e-8c21-5b1d7e3f9a04"

  private static let good: [String: IAPConfiguration.Member] = [
    "authorize_url": .text(root + "/oauth2/v2.0/authorize"), "token_url": .text(root + "/oauth2/v2.0/token"),
    "logout_url": .text(root + "/oauth2/v2.0/logout"), "client_id": .text("app-1"),
    "redirect_url": .text("auth://myapp"), "scope": .texts(["app-1/.default", "openid", "offline_access"]),
    "hosts_behind_proxy": .texts(["*.contoso.com", "Maps.example.org"]),
    "authorization_prompt_type": .text("login"),
  ]

  private func objections(
    _ changes: [String: IAPConfiguration.Member?], allowsEveryHost: Bool = false
  ) -> [String] {
    var members = Self.good
    for (name, value) in changes { members[name] = value }
    do throws(IAPConfiguration.Failure) {
      _ = try IAPConfiguration(members, allowsEveryHost: allowsEveryHost)
      return []
    } catch {
      return error.objections.map(\.description)
    }
  }

  @Test("reads a file of the SDKs as it is")
  func reads() throws {
    let configuration = try IAPConfiguration(Self.good)
    #expect(configuration.origin == Self.root + "/v2.0")
    #expect(configuration.options.tokenURL == Self.root + "/oauth2/v2.0/token")
    #expect(configuration.options.prompt == "login")
    #expect(configuration.hosts.map(\.text) == ["*.contoso.com", "maps.example.org"])
    #expect(configuration.scopes == ["app-1/.default", "openid", "offline_access"])
  }

  @Test("lists everything that is missing at once")
  func missing() {
    do throws(IAPConfiguration.Failure) {
      _ = try IAPConfiguration([:])
      Issue.record("nothing was missed")
    } catch {
      #expect(
        Set(error.objections.map(\.description))
          == Set(
            ["authorize_url", "token_url", "logout_url", "client_id", "redirect_url", "scope", "hosts_behind_proxy"]
              .map { "\($0) is missing." }))
    }
    let two = objections(["logout_url": nil, "logout_uri": .text("x"), "client_id": .other])
    #expect(two == ["logout_url is missing.", "client_id must be a text.", "There is no key logout_uri."])
  }

  @Test(
    "says of each key what is wrong with it",
    arguments: [
      ("authorize_url", .text("http://login.microsoftonline.com/t/oauth2/v2.0/authorize"), "https"),
      ("authorize_url", .text("https://login.microsoftonline.com/t/oauth2/authorize"), "form"),
      ("authorize_url", .text("https://login.microsoftonline.com/other/oauth2/v2.0/authorize"), "same host and tenant"),
      ("token_url", .text("https://evil.example/t/oauth2/v2.0/token"), "same host and tenant"),
      ("logout_url", .text("https://login.microsoftonline.com/oauth2/v2.0/logout"), "form"),
      ("redirect_url", .text("callback"), "absolute"), ("scope", .texts([]), "missing"), ("scope", .other, "list"),
      ("scope", .texts(["a b"]), "no scope"), ("hosts_behind_proxy", .text("a.b"), "list"),
      ("hosts_behind_proxy", .texts([]), "missing"), ("hosts_behind_proxy", .texts(["*"]), "every host"),
      ("hosts_behind_proxy", .texts(["https://a.b/"]), "no host"),
      ("hosts_behind_proxy", .texts(["a*.b.com"]), "no host"),
      ("hosts_behind_proxy", .texts(["*b.com"]), "no host"),
      ("authorization_prompt_type", .text("maybe"), "none, login"),
    ] as [(String, IAPConfiguration.Member, String)])
  func wrong(name: String, value: IAPConfiguration.Member, words: String) {
    let found = objections([name: value])
    #expect(found.contains { $0.contains(words) }, "\(found)")
  }

  @Test("covers hosts by whole labels, over https alone")
  func hosts() throws {
    let hosts = try IAPConfiguration(Self.good).hosts
    func covers(_ text: String) throws -> Bool {
      let url = try #require(ResourceURL(text))
      return hosts.contains { $0.specificity(for: url) != nil }
    }
    #expect(try covers("https://gis.contoso.com/portal") && covers("https://a.b.CONTOSO.com/"))
    #expect(try covers("https://maps.example.org/x"))
    #expect(try !covers("https://contoso.com/") && !covers("https://evilcontoso.com/"))
    #expect(try !covers("https://gis.contoso.com.evil.example/") && !covers("http://gis.contoso.com/"))
    #expect(try !covers("https://sub.maps.example.org/"))
  }

  @Test("takes every host only when that is meant")
  func everyHost() throws {
    #expect(objections(["hosts_behind_proxy": .texts(["*"])], allowsEveryHost: true) == [])
    #expect(ResourcePattern("*") == nil)
    let every = try #require(ResourcePattern("*", allowsEveryHost: true))
    #expect(try every.specificity(for: #require(ResourceURL("https://any.example/"))) == 0)
    #expect(try every.specificity(for: #require(ResourceURL("http://any.example/"))) == nil)
  }

  @Test("is made from a tenant and a client id", arguments: ["contoso.com", "6F0C1A52-9d3b-4a7e-8c21-5b1d7e3f9a04"])
  func shortcut(tenant: String) throws {
    let addresses = try #require(IAPConfiguration.addresses(ofTenant: tenant))
    let made = try IAPConfiguration.typed(addresses, clientID: "app-1", scopes: [], prompt: "")
    #expect(made.origin == "https://login.microsoftonline.com/\(tenant.lowercased())/v2.0")
    #expect(made.scopes.contains("app-1/.default") && made.scopes.contains("openid"))
    #expect(made.hosts.isEmpty && made.options.prompt == nil)
  }

  @Test("is made of no tenant that is none", arguments: ["", "common", "a/b.c", "contoso", ".com", "a b.com"])
  func noTenant(text: String) { #expect(IAPConfiguration.addresses(ofTenant: text) == nil) }

  @Test("says of what was typed everything that is wrong")
  func typed() {
    do throws(IAPConfiguration.Failure) {
      _ = try IAPConfiguration.typed(
        ["authorize_url": .text("x"), "token_url": .text("")], clientID: "", scopes: [], prompt: "maybe")
      Issue.record("it was taken")
    } catch {
      #expect(
        error.objections.map(\.key)
          == ["authorize_url", "token_url", "logout_url", "client_id", "authorization_prompt_type"])
    }
  }
}
