import Domain
import Testing

@Suite("Client apps")
struct ClientRuleTests {
  @Test("a sensible registration is accepted")
  func accepts() throws {
    #expect(try Samples.client().objection == nil)
    #expect(try Samples.client(.public, scope: "").objection == nil)
    #expect(try Samples.client(redirectURIs: [], grants: [.clientCredentials, .tokenExchange]).objection == nil)
    #expect(try Samples.client(name: "Stra\u{DF}enkarte \u{1F5FA}").objection == nil)
  }

  @Test("what makes no sense is refused with a sentence")
  func refuses() throws {
    let clients = try [
      Samples.client(name: ""), Samples.client(name: "  "), Samples.client(name: String(repeating: "a", count: 101)),
      Samples.client(name: "Map\nSigned by your administrator"), Samples.client(name: "a\u{202E}b"),
      Samples.client(name: "a\u{200B}b"), Samples.client(name: "a\u{2028}b"), Samples.client(grants: []),
      Samples.client(redirectURIs: []), Samples.client(grants: [.refreshToken]),
      Samples.client(.public, grants: [.clientCredentials], scope: ""),
      Samples.client(.public, grants: [.authorizationCode, .tokenExchange], scope: ""), Samples.client(.public),
      Samples.client(scope: "vend everything"),
      Samples.client(grants: [.authorizationCode], scope: "openid offline_access"),
      Samples.client(redirectURIs: ["https://app.example/a", "https://app.example/b", "https://app.example/a"]),
    ]
    for client in clients { #expect(client.objection?.hasSuffix(".") == true) }
  }

  @Test("a public client has no way to prove who it is", arguments: ClientAuthenticationMethod.allCases)
  func publicAuthentication(_ method: ClientAuthenticationMethod) throws {
    var options = ClientOptions()
    options.authentication = method
    let fields = try Samples.client(.public, scope: "", options: options).objections.map(\.field)
    #expect(fields.contains("authentication") == ![.secret, .none].contains(method))
  }

  @Test(
    "is told of sign-outs at an https address without a fragment, or on this machine",
    arguments: [
      ("https://app.example/out?a=b", true), ("http://localhost:9/out", true), ("http://app.example/out", false),
      ("https://app.example/out#a", false), ("/out", false), ("javascript:alert(1)", false), ("", false),
    ])
  func logoutAddress(text: String, isFine: Bool) throws {
    var options = ClientOptions()
    options.backchannelLogoutURI = text
    #expect((try Samples.client(options: options).objection == nil) == isFine)
  }

  @Test("a grant is refused unless it is registered", arguments: Client.Grant.allCases)
  func grants(grant: Client.Grant) throws {
    #expect(try Samples.client(grants: [grant]).refusal(using: grant) == nil)
    let others = Client.Grant.allCases.filter { $0 != grant }
    #expect(try Samples.client(grants: others).refusal(using: grant)?.code == .unauthorizedClient)
  }

  @Test("a scope is a set of words of the RFC's characters")
  func scope() throws {
    let scope = try #require(Scope("a b  a c "))
    #expect(scope.words == ["a", "b", "c"])
    #expect(scope.text == "a b c")
    #expect(Scope("") == Scope.none)
    #expect(try #require(Scope("c a")).isWithin(scope))
    #expect(try !#require(Scope("a d")).isWithin(scope))
    #expect(Scope.none.isWithin(.none))
    #expect(scope.union(try #require(Scope("d b"))).text == "a b c d")
    #expect(scope.contains("b") && !scope.contains("ab") && !scope.contains(""))
  }

  @Test(
    "a scope with another character is refused",
    arguments: ["a\"b", "a\\b", "a\tb", "a\nb", "\u{E9}", "a\u{212A}", "a \u{301}b", "a\u{7F}", "a\u{A0}b"])
  func scopeCharacters(text: String) { #expect(Scope(text) == nil) }

  @Test("a consent covers a request for the same or less")
  func consent() throws {
    let consent = Consent(
      account: Samples.account, client: Samples.client, scope: try #require(Scope("a b")), connections: [],
      givenAt: Samples.now)
    for (asked, isCovered) in [("", true), ("a", true), ("b a", true), ("a c", false), ("ab", false)] {
      let request = AuthorizationRequest(
        client: Samples.client, to: .client(redirectURI: "https://app.example/back", state: nil),
        scope: try #require(Scope(asked)))
      #expect(consent.covers(request) == isCovered)
    }
  }
}

@Suite("Who may use a credential")
struct VendRuleTests {
  private let maps: Connection
  private let allowed: Client
  private let consent: Consent

  init() throws {
    maps = try Samples.connection()
    allowed = try Samples.client(permissions: [.init(connection: maps.id, handsOutRawTokens: true)])
    consent = Consent(
      account: Samples.account, client: Samples.client, scope: try #require(Scope("vend")), connections: [maps.id],
      givenAt: Samples.now)
  }

  @Test("a permitted client with the person's consent")
  func allows() {
    #expect(
      VendRule.refusal(client: allowed, connection: maps, account: Samples.account, consent: consent) == nil)
  }

  @Test("unknown, not permitted and without a person read the same; only whoever may use it learns that it is disabled")
  func unknown() throws {
    var disabled = maps
    disabled.isDisabled = true
    let other = try Samples.client(
      permissions: [.init(connection: Samples.connection("other").id, handsOutRawTokens: true)])
    let refusals = [
      VendRule.unknownTarget,
      VendRule.refusal(client: other, connection: disabled, account: Samples.account, consent: consent),
      VendRule.refusal(client: other, connection: maps, account: Samples.account, consent: consent),
      VendRule.refusal(client: allowed, connection: maps, account: nil, consent: nil),
    ]
    #expect(refusals.allSatisfy { $0?.code == .invalidTarget && $0 == refusals[0] })
    let told = VendRule.refusal(client: allowed, connection: disabled, account: Samples.account, consent: consent)
    #expect(told?.code == .invalidTarget && told != refusals[0])
  }

  @Test("without consent to vend from this very connection the person is asked")
  func consentMissing() throws {
    let vend = try #require(Scope("vend"))
    let other = try Samples.connection("other").id
    let consents: [Consent?] = [
      nil,
      Consent(
        account: Samples.account, client: Samples.client, scope: .none, connections: [maps.id], givenAt: Samples.now),
      Consent(account: Samples.account, client: Samples.client, scope: vend, connections: [], givenAt: Samples.now),
      Consent(
        account: Samples.account, client: Samples.client, scope: vend, connections: [other], givenAt: Samples.now),
    ]
    for consent in consents {
      let refusal = VendRule.refusal(client: allowed, connection: maps, account: Samples.account, consent: consent)
      #expect(refusal?.code == .interactionRequired)
      #expect(refusal?.interaction == .init(reason: .notConnected, connection: maps.id))
    }
  }

  @Test("a client without the mark, which has the proxy")
  func proxyOnly() throws {
    let client = try Samples.client(permissions: [.init(connection: maps.id, handsOutRawTokens: false)])
    #expect(VendRule.refusal(client: client, connection: maps, account: Samples.account, consent: consent) == nil)
  }
}
