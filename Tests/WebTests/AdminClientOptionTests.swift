import Crypto
import Domain
import Flows
import HTTP
import JOSE
import JSON
import Storage
import Testing

@testable import Web

@Suite("The administration: options of clients") struct AdminClientOptionTests {
  private static let simple: [(String, String)] = [
    ("name", "Survey app"), ("type", "confidential"), ("redirect_uris", "https://app.example/back"),
    ("grant", "authorization_code"), ("scope", "openid"),
  ]

  private func fields(_ changes: [(String, String?)] = []) -> QueryItems {
    var items = QueryItems()
    for (name, value) in Self.simple where !changes.contains(where: { $0.0 == name }) { items.append(name, value) }
    for (name, value) in changes { items.append(name, value) }
    return items
  }

  private func added(_ world: AdminWorld) async throws -> Client? {
    try await world.installation.store.read { try $0.clients() }.first { $0.id != world.client.client.id }
  }

  @Test("are set by the form for a new client, and stand on its page by their registered names")
  func options() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let form = await browser.get("/admin/clients/new")
    #expect(form.text.contains("<details class=\"more\"><summary>Profile"), "nothing more to see for the simple case")
    let answer = await browser.submit(
      fields([
        ("profile", "fapi2"), ("authentication", "tls_client_auth"), ("certificate_field", "tls_client_auth_san_dns"),
        ("certificate_subject", " sync.example "), ("jwks_uri", "https://app.example/keys"),
        ("id_token_algorithm", "PS256"), ("dpop", "1"), ("dpop_nonce", "1"), ("certificate_bound", "1"),
        ("pushed_requests", "1"), ("endpoint_audience", "1"), ("backchannel_session", "1"),
        ("post_logout_redirect_uris", "https://app.example/out\r\nhttps://app.example/gone"),
        ("backchannel_logout_uri", "https://app.example/told"),
      ]), after: form, to: "/admin/clients/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let client = try #require(try await added(world))
    let options = client.options
    #expect(
      options.profile == .fapi2 && options.authentication == .tlsAuthority
        && options.keys == .at("https://app.example/keys"))
    #expect(options.certificateSubject == CertificateSubject(field: .dnsName, value: "sync.example"))
    #expect(options.idTokenAlgorithm == "PS256" && options.requiresDPoP && options.requiresDPoPNonce)
    #expect(options.bindsToCertificate && options.requiresPushedRequests && options.takesEndpointAudience)
    #expect(options.postLogoutRedirectURIs.map(\.text) == ["https://app.example/out", "https://app.example/gone"])
    #expect(options.backchannelLogoutURI == "https://app.example/told" && options.backchannelNeedsSession)
    let page = await browser.get("/admin/clients/\(client.id)").text
    for text in ["tls_client_auth_san_dns", "sync.example", "jwks_uri", "https://app.example/gone", "fapi2", "PS256"] {
      #expect(page.contains("<code>\(text)</code>"), "\(text)")
    }
    let edit = await browser.get("/admin/clients/\(client.id)/edit").text
    #expect(edit.contains("<details class=\"more\" open>") && edit.contains("value=\"fapi2\" selected"))
    #expect(
      edit.contains("value=\"tls_client_auth_san_dns\" selected")
        && edit.contains("name=\"dpop\" id=\"dpop\" value=\"1\" checked"))
  }

  @Test("take pasted keys, and refuse private ones")
  func keys() async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let key = try SigningKey.generate(.es256)
    let set = String(decoding: JWKSet([JWK(key.publicKey, keyID: "one")]).json.encoded(), as: UTF8.self)
    func post(_ text: String) async throws -> Response {
      try await browser.submit(
        fields([("authentication", "private_key_jwt"), ("keys", text)]), on: "/admin/clients/new")
    }
    let secret = try await post("{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0\",\"alg\":\"HS256\"}]}")
    #expect(secret.status == 422 && secret.text.contains("id=\"keys-error\""))
    #expect(try await post(set).status == .seeOther)
    #expect(try await added(world)?.options.keys.map { if case .inline = $0 { true } else { false } } == true)
  }

  @Test(
    "are refused with one sentence beside the field, with the options open",
    arguments: [
      ([("profile", "strict")], "profile"), ([("profile", "fapi2")], "profile"),
      ([("type", "public"), ("scope", ""), ("profile", "oidc-basic")], "profile"),
      ([("authentication", "client_secret_jwt")], "authentication"), ([("authentication", "private_key_jwt")], "keys"),
      ([("keys", "no json"), ("authentication", "private_key_jwt")], "keys"),
      ([("keys", "{\"keys\":[]}")], "keys"), ([("keys", "{}"), ("jwks_uri", "https://app.example/keys")], "jwks_uri"),
      ([("jwks_uri", "http://app.example/keys")], "jwks_uri"),
      ([("authentication", "tls_client_auth")], "certificate_subject"),
      ([("certificate_subject", "CN=a")], "certificate_subject"),
      (
        [("certificate_subject", "CN=a"), ("certificate_field", "cn"), ("authentication", "tls_client_auth")],
        "certificate_field"
      ),
      ([("id_token_algorithm", "none")], "id_token_algorithm"),
      ([("post_logout_redirect_uris", "https://app.example/out\nhttp://app.example/out")], "post_logout_redirect_uris"),
      ([("backchannel_logout_uri", "http://app.example/told")], "backchannel_logout_uri"),
    ])
  func mistakes(changes: [(String, String)], field: String) async throws {
    let world = try await AdminWorld()
    let browser = TestBrowser(world.installation, world.root)
    let answer = try await browser.submit(fields(changes.map { ($0.0, $0.1) }), on: "/admin/clients/new")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"\(field)-error\""), "\(answer.text)")
    #expect(answer.text.ranges(of: "-error\">").count == 1, "one sentence")
    #expect(answer.text.contains("<details class=\"more\" open>"))
    #expect(try await added(world) == nil)
  }

  @Test("A client is changed in everything but its kind; tokens it would not get any more end")
  func edit() async throws {
    let world = try await AdminWorld()
    let (installation, client) = (world.installation, world.client)
    let browser = TestBrowser(installation, world.root)
    let tokens = try await installation.tokens(for: client, world.person)
    let path = "/admin/clients/\(client.id)"
    let form = await browser.get("\(path)/edit")
    #expect(
      form.text.contains("value=\"Field app\"") && form.text.contains("name=\"connection\" value=\"maps\" checked"))
    var items = fields([
      ("name", "Field app 2"), ("redirect_uris", "https://new.example/back"), ("scope", "vend"), ("type", "public"),
      ("connection", "maps"), ("pushed_requests", "1"),
    ])
    for grant in ["refresh_token", "device_code", "client_credentials", "token_exchange"] {
      items.append("grant", grant)
    }
    let answer = await browser.submit(items, after: form, to: "\(path)/edit")
    #expect(await browser.follow(answer).text.contains("The changes were saved."))
    let changed = try #require(try await installation.store.read { try $0.client(client.client.id) })
    #expect(changed.name == "Field app 2" && changed.kind == .confidential && changed.options.requiresPushedRequests)
    #expect(changed.redirectURIs.map(\.text) == ["https://new.example/back"])
    #expect(changed.permissions == [Client.Permission(connection: world.connection.id, handsOutRawTokens: false)])
    #expect(try await installation.introspect(tokens.access, client).bool("active") == true, "nothing was taken away")
    _ = try await browser.submit(
      fields([("name", "Field app 2"), ("grant", "authorization_code")]), on: "\(path)/edit")
    #expect(try await installation.introspect(tokens.access, client).bool("active") == false)
    let event = try #require(try await installation.audit().first { $0.name == .clientChanged })
    #expect(event.account == world.root.account.id && event.detail == "edited")
  }

  @Test("A client that goes over to a secret is shown it once; over to a key, it has none")
  func methods() async throws {
    let world = try await AdminWorld()
    let (installation, client) = (world.installation, world.client)
    let browser = TestBrowser(installation, world.root)
    let path = "/admin/clients/\(client.id)/edit"
    let key = fields([
      ("name", "Field app"), ("authentication", "private_key_jwt"), ("jwks_uri", "https://app.example/keys"),
    ])
    #expect(try await browser.submit(key, on: path).status == .seeOther)
    #expect(await installation.post("/oauth2/introspect", ["token": "x"], basic: client.basic).status == .unauthorized)
    let back = await browser.follow(try await browser.submit(fields([("name", "Field app")]), on: path))
    let mark = try #require(back.text.firstRange(of: "<code id=\"secret\">"), "\(back.text)")
    let secret = String(back.text[mark.upperBound...].prefix { $0 != "<" })
    #expect(await installation.post("/oauth2/introspect", ["token": "x"], basic: (client.id, secret)).status == .ok)
  }

  @Test("A change is refused beside its field, and a name that another client has")
  func refused() async throws {
    let world = try await AdminWorld()
    let other = try await world.installation.client()
    let browser = TestBrowser(world.installation, world.root)
    let path = "/admin/clients/\(world.client.id)/edit"
    for (changes, field) in [
      ([("name", other.client.name)], "name"),
      ([("name", "Field app"), ("redirect_uris", "http://a.example/")], "redirect_uris"),
      ([("name", "Field app"), ("backchannel_logout_uri", "ftp://x")], "backchannel_logout_uri"),
    ] {
      let answer = try await browser.submit(fields(changes.map { ($0.0, $0.1) }), on: path)
      #expect(answer.status == 422 && answer.text.contains("id=\"\(field)-error\""), "\(field)")
    }
    #expect(await browser.get("/admin/clients/client_none/edit").status == .notFound)
  }
}
