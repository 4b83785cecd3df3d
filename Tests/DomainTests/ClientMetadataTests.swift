import Domain
import Testing

@Suite("What an app may say of itself when it registers")
struct ClientMetadataTests {
  private func metadata(_ change: (inout ClientMetadata) -> Void = { _ in }) -> ClientMetadata {
    var metadata = ClientMetadata()
    metadata.redirectURIs = ["https://app.example/back"]
    change(&metadata)
    return metadata
  }

  private func client(
    _ metadata: ClientMetadata, replacing before: Client? = nil, takesCertificates: Bool = false
  ) throws(Refusal) -> Client {
    try metadata.client(Samples.client, replacing: before, takesCertificates: takesCertificates, at: Samples.now)
  }

  private func code(_ change: (inout ClientMetadata) -> Void) -> Refusal.Code? {
    do {
      _ = try client(metadata(change))
      return nil
    } catch { return error.code }
  }

  @Test("A redirect URI is enough; the rest has the defaults of RFC 7591, and nobody trusts it")
  func defaults() throws {
    let made = try client(metadata())
    #expect(made.kind == .confidential && made.authentication == .secretBasic)
    #expect(made.grants == [.authorizationCode])
    #expect(made.scope.text == "openid profile")
    #expect(made.name == "app.example")
    #expect(!made.isTrusted && made.permissions.isEmpty && made.requiresPKCE)
  }

  @Test("Redirect URIs stay as they are, letter by letter and in their order")
  func unchanged() throws {
    let web = ["https://app.example", "https://app.example:443/Back?b=2&a=1", "http://localhost:3000/x"]
    #expect(try client(metadata { $0.redirectURIs = web }).redirectURIs.map(\.text) == web)
    let native = ["org.example.app:/back", "http://127.0.0.1/back", "http://[::1]:7/back"]
    let made = try client(
      metadata {
        $0.redirectURIs = native
        $0.applicationType = "native"
        $0.authentication = "none"
      })
    #expect(made.redirectURIs.map(\.text) == native && made.kind == .public)
  }

  @Test(
    "A bad redirect URI is told as such, by its number and without repeating it",
    arguments: [
      ("https://app.example/back#a", "fragment"), ("https://app.example/back#", "fragment"),
      ("http://app.example/back", "http, which is for localhost"), ("http://192.168.1.1/back", "http, which"),
      ("http://localhost.evil.example/back", "http, which"), ("http://127.0.0.1.evil.example/back", "http, which"),
      ("https://*.app.example/back", "wildcard"), ("https://app.example/*", "wildcard"),
      ("https://ana@app.example/back", "user"), ("https://ana:pw@app.example/back", "user"),
      ("https://203.0.113.5/back", "address"), ("https://[2001:db8::5]/back", "address"),
      ("https://127.0.0.1/back", "address"), ("https://2130706433/back", "https URL"),
      ("https://0x7f.1/back", "https URL"), ("myapp:/back", "https URL"), ("javascript:alert(1)", "https URL"),
      ("data:text/html,x", "https URL"), ("file:///etc/passwd", "https URL"), ("", "https URL"),
      ("/back", "https URL"), ("//app.example/back", "https URL"), ("https://app.example/a/../b", "https URL"),
      ("https://app.example\\@evil.example/", "user"), ("https://app.example/ b", "https URL"),
      ("https://app.example/b\u{E4}ck", "https URL"), ("https://app.example/\n", "https URL"),
      ("org.example.app:/back", "application_type native"), ("org.example.app:back", "https URL"),
    ])
  func badRedirect(uri: String, words: String) {
    let refusal = #expect(throws: Refusal.self) {
      try client(metadata { $0.redirectURIs = ["https://app.example/right", uri] })
    }
    #expect(refusal?.code == .invalidRedirectURI)
    #expect(refusal?.description.hasPrefix("redirect_uris[1] ") == true)
    #expect(refusal?.description.contains(words) == true, "\(refusal?.description ?? "")")
    #expect(code { $0.postLogoutRedirectURIs = [uri] } == .invalidClientMetadata)
  }

  @Test(
    "Native apps have the same rules but for their own schemes", arguments: ["myapp:/back", "http://app.example/b"])
  func badNativeRedirect(uri: String) {
    #expect(
      code {
        $0.applicationType = "native"
        $0.redirectURIs = [uri]
      } == .invalidRedirectURI)
  }

  @Test("No redirect URI, or a crowd of them, is refused")
  func howMany() {
    #expect(code { $0.redirectURIs = [] } == .invalidRedirectURI)
    #expect(code { $0.redirectURIs = (0...20).map { "https://app.example/\($0)" } } == .invalidRedirectURI)
  }

  @Test("Everything else that is wrong is invalid metadata, in a sentence of the letters that RFC 6749 allows")
  func wrong() {
    let changes: [(inout ClientMetadata) -> Void] = [
      { $0.name = "" }, { $0.name = "Maps\u{202E}" }, { $0.name = String(repeating: "a", count: 101) },
      { $0.applicationType = "service" }, { $0.grants = [] }, { $0.grants = ["client_credentials"] },
      { $0.grants = ["implicit"] }, { $0.grants = ["refresh_token"] }, { $0.responseTypes = ["token"] },
      { $0.responseTypes = [] }, { $0.scope = "open\"id" }, { $0.authentication = "client_secret_jwt" },
      { $0.authentication = "client_secret" }, { $0.authentication = "tls_client_auth" },
      { $0.authentication = "private_key_jwt" }, { $0.idTokenAlgorithm = "none" }, { $0.idTokenAlgorithm = "HS256" },
      { $0.subjectType = "pairwise" }, { $0.sectorIdentifier = "https://app.example/sector" },
      { $0.keys = [.inline("{}"), .at("https://app.example/keys")] }, { $0.keys = [.at("http://app.example/keys")] },
      { $0.keys = [.at("https://localhost/keys")] }, { $0.keys = [.at("https://127.0.0.1/keys")] },
      { $0.keys = [.at("https://10.0.0.1/keys")] }, { $0.keys = [.at("https://[::1]/keys")] },
      { $0.backchannelLogoutURI = "http://localhost:3000/out" }, { $0.backchannelLogoutURI = "https://x.localhost/o" },
      { $0.backchannelLogoutURI = "https://169.254.169.254/out" },
      { $0.backchannelLogoutURI = "https://app.example/#o" },
      { $0.description.page = "http://app.example/" }, { $0.description.logo = "data:image/png,x" },
      { $0.description.terms = "javascript:alert(1)" }, { $0.description.policy = "https://app.example/#p" },
      { $0.description.contacts = ["a\nb"] }, { $0.description.softwareID = "" },
      { $0.certificateSubjects = [CertificateSubject(field: .dnsName, value: "app.example")] },
    ]
    for (number, change) in changes.enumerated() {
      let refusal = #expect(throws: Refusal.self, "\(number)") { try client(metadata(change)) }
      #expect(refusal?.code == .invalidClientMetadata, "\(number): \(refusal?.description ?? "")")
      let isPlain = refusal?.description.utf8.allSatisfy {
        $0 == 0x20 || $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0)
      }
      #expect(isPlain == true, "\(refusal?.description ?? "")")
    }
  }

  @Test("Statements of others are not believed; one that is no token is told apart")
  func statements() {
    #expect(code { $0.softwareStatement = "e30.e30.sig" } == .unapprovedSoftwareStatement)
    for text in ["", "statement", "e30.e30", "e30..sig", "a.b.c.d"] {
      #expect(code { $0.softwareStatement = text } == .invalidSoftwareStatement)
    }
  }

  @Test("Who asks for more than an app may take itself gets less")
  func less() throws {
    let made = try client(
      metadata {
        $0.grants = ["refresh_token", "authorization_code", "client_credentials", "implicit", "password"]
        $0.responseTypes = ["code", "id_token"]
        $0.scope = "vend openid offline_access birthday"
      })
    #expect(made.grants == [.authorizationCode, .refreshToken])
    #expect(made.scope.text == "openid offline_access")
    #expect(try client(metadata { $0.scope = "vend" }).scope.text == "openid profile")
    #expect(
      try client(metadata { $0.scope = "openid offline_access" }).scope.text == "openid", "it is for refresh tokens")
  }

  @Test("Certificates count only where they are taken")
  func certificates() throws {
    let change: (inout ClientMetadata) -> Void = {
      $0.authentication = "tls_client_auth"
      $0.certificateSubjects = [CertificateSubject(field: .dnsName, value: "app.example")]
    }
    #expect(try client(metadata(change), takesCertificates: true).authentication == .tlsAuthority)
    #expect(code(change) == .invalidClientMetadata)
  }

  @Test("What an administrator granted outlasts a change by the app, who cannot take more")
  func replacing() throws {
    var options = ClientOptions()
    options.profile = .oidcBasic
    options.authentication = .secretBasic
    let redirects = [try #require(RedirectURI("https://app.example/back"))]
    let permission = Client.Permission(connection: try #require(ConnectionID("maps")), handsOutRawTokens: true)
    let before = Client(
      id: Samples.client, name: "Maps", kind: .confidential, redirectURIs: redirects,
      grants: [.authorizationCode, .clientCredentials], scope: try #require(Scope("openid profile vend")),
      permissions: [permission], options: options, isTrusted: true, createdAt: Samples.now)
    let same = try client(metadata { $0.name = "Maps" }, replacing: before)
    #expect(same.isTrusted && same.permissions == [permission] && same.options.profile == .oidcBasic)
    #expect(Set(same.grants) == [.authorizationCode, .clientCredentials])
    #expect(same.scope.contains("vend"))
    let wider = try client(
      metadata {
        $0.name = "Maps"
        $0.grants = ["authorization_code", "client_credentials", "refresh_token"]
      }, replacing: before)
    #expect(!wider.isTrusted, "what it takes beyond what was checked is to be checked")
    let named = try client(metadata { $0.name = "Maps of all" }, replacing: before)
    #expect(!named.isTrusted, "another name has to be looked at again")
    let moved = try client(
      metadata {
        $0.name = "Maps"
        $0.redirectURIs = ["https://evil.example/back"]
      }, replacing: before)
    #expect(!moved.isTrusted)
    #expect(throws: Refusal.self) { try client(metadata { $0.authentication = "none" }, replacing: before) }
  }
}
