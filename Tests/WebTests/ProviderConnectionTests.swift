import Domain
import Flows
import HTTP
import JSON
import Pages
import Storage
import Testing

@testable import Web

@Suite("The administration: connections to providers") struct ProviderConnectionTests {
  private func start() async throws -> (TestInstallation, TestBrowser) {
    let installation = try await TestInstallation()
    return (installation, TestBrowser(installation, try await installation.administrator()))
  }

  /// What a browser sends that was shown the form as `template` fills it in, with `changes`.
  private func fields(_ template: Form, _ changes: [(String, String)]) -> QueryItems {
    var items = QueryItems()
    let changed = Set(changes.map(\.0))
    for field in template.fields where !changed.contains(field.name) && !field.value.isEmpty {
      items.append(field.name, field.value)
    }
    for (name, value) in changes { items.append(name, value) }
    return items
  }

  @Test("every template is in order, and the form and the store keep all that it says")
  func templates() async throws {
    let templates = try TestInstallation.templates()
    #expect(
      Set(templates.all.map(\.id)) == [
        "entra", "google", "okta", "keycloak", "github", "gitlab", "auth0", "zitadel", "authentik", "generic",
      ])
    #expect(templates.all.last?.id == "generic")
    for template in templates.all {
      var values = ["template": template.id]
      for one in template.placeholders { values["set_\(one.name)"] = "login.example.org" }
      let choice = TemplateChoice(templates, Form(values.map { ($0.key, $0.value) }))
      let known = (choice.fields?.fields ?? []).map { ($0.name, $0.value) }.filter { $0.0 != "name" }
      let form = NewConnectionForm(
        Form(known + [("id", "x"), ("client_id", "x y"), ("name", "X")]), at: Timestamp(seconds: 0))
      let draft = try #require(form.draft, "\(template.id)")
      #expect(!form.page.isRefused, "\(template.id)")
      #expect(draft.provider == template.filled(with: values).options, "\(template.id)")
      #expect(draft.scopes == template.scopes && draft.resources.count == template.resources.count, "\(template.id)")
      let installation = try await TestInstallation()
      try await installation.store.write { try $0.insert(draft, clientSecret: nil) }
      #expect(try await installation.store.read { try $0.connection(draft.id)?.provider } == draft.provider)
    }
  }

  @Test(
    "a template that nobody would understand is refused",
    arguments: [
      #"{"issuer":"https://x"}"#, #"{"issuer":"https://x","quirks":{"usePKCE":false}}"#,
      #"{"issuer":"https://x","quirks":{"usesPKCE":true}}"#, #"{"issuer":"https://{host}"}"#, #"{"endpoints":{}}"#,
      #"{"issuer":"https://x","placeholders":[{"name":"host","meaning":"m"}]}"#, #"{"issuer":"https://x","scope":[]}"#,
    ])
  func unusable(members: String) throws {
    let rest = #","name":"N","registration":"R","documentation":"https://d"}"#
    let json = try JSONValue(parsing: members.dropLast() + rest)
    if members == #"{"issuer":"https://x"}"# { return #expect(try ProviderTemplate(id: "x", json).name == "N") }
    #expect(throws: ProviderTemplate.Failure.self) { try ProviderTemplate(id: "x", json) }
  }

  @Test("are filled in from a template step by step, without scripts")
  func firstStep() async throws {
    let (_, browser) = try await start()
    let plain = await browser.get("/admin/connections/new").text
    #expect(plain.contains(">Keycloak</option>") && !plain.contains("set_realm"))
    let step = await browser.get("/admin/connections/new?template=keycloak").text
    #expect(step.contains(#"name="set_realm""#) && step.contains("https://{host}/realms/{realm}"))
    #expect(step.contains("Make a client of the type OpenID Connect"))
    let filled = await browser.get(
      "/admin/connections/new?template=keycloak&set_host=https%3A%2F%2Flogin.example.org%2F&set_realm=city")
    #expect(filled.text.contains(#"value="https://login.example.org/realms/city""#))
    #expect(filled.text.contains(#"<option value="oidc" selected>"#))
    let gitHub = await browser.get("/admin/connections/new?template=github").text
    #expect(gitHub.contains(#"<option value="endpoints" selected>"#))
    #expect(gitHub.contains(#"value="https://api.github.com/applications/{client_id}/token""#))
    #expect(await browser.get("/admin/connections/new?template=nobody").status == .ok)
  }

  @Test("to a plain OAuth 2 provider are added with what was typed, and shown")
  func plain() async throws {
    let (installation, browser) = try await start()
    let server = try OAuthServer()
    let gitHub = try #require(
      TemplateChoice(try TestInstallation.templates(), Form([("template", "github")])).fields)
    let typed = [
      ("id", "hub"), ("client_id", "abc"), ("client_secret", "s"),
      ("authorization_endpoint", "\(server.origin)/authorize"), ("token_endpoint", "\(server.origin)/token"),
      ("user_endpoint", "\(server.origin)/user"), ("revocation_endpoint", "\(server.origin)/{client_id}/token"),
      ("resources", ""),
    ]
    let answer = try await browser.submit(fields(gitHub, typed), on: "/admin/connections/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let id = try #require(ConnectionID("hub"))
    let stored = try #require(try await installation.store.read { try $0.connection(id) })
    #expect(stored.origin == server.origin && stored.resources.map(\.text) == [server.origin])
    #expect(stored.provider.endpoints?.revocation == "\(server.origin)/abc/token")
    #expect(stored.provider.quirks.tokensNeverExpire && stored.provider.quirks.revocation == .deletion)
    let page = await browser.follow(answer).text
    #expect(page.contains("\(server.origin)/authorize") && page.contains("Cancels the access token by DELETE"))
    await server.stop()
  }

  @Test(
    "are refused with the mistake at its field",
    arguments: [
      ("issuer", [("found_by", "discovery"), ("issuer", "https://{host}/realms/city")]),
      ("issuer", [("found_by", "discovery"), ("issuer", "")]),
      ("authorization_endpoint", [("found_by", "endpoints")]),
      ("user_endpoint", [("found_by", "endpoints"), ("authorization_endpoint", "https://x.example/a")]),
      ("subject_member", [("found_by", "endpoints"), ("subject_member", "two words")]),
      ("authorization_parameters", [("issuer", "https://x.example"), ("authorization_parameters", "state=1")]),
      ("authorization_parameters", [("issuer", "https://x.example"), ("authorization_parameters", "a=1\na=2")]),
      ("login_prompt", [("issuer", "https://x.example"), ("login_prompt", "two words")]),
      ("client_authentication", [("issuer", "https://x.example"), ("client_authentication", "jwt")]),
      ("revocation_way", [("issuer", "https://x.example"), ("revocation_way", "never")]),
    ])
  func mistakes(field: String, typed: [(String, String)]) async throws {
    let (installation, browser) = try await start()
    let base = Form([
      ("kind", "oidc"), ("id", "x"), ("name", "X"), ("client_id", "x"), ("admission", "invited"),
      ("template", "keycloak"),
    ])
    let answer = try await browser.submit(fields(base, typed), on: "/admin/connections/new")
    #expect(answer.status == 422 && answer.text.contains("id=\"\(field)-error\""), "\(answer.text)")
    #expect(answer.text.contains("Make a client of the type OpenID Connect"), "what to register is still told")
    #expect(try await installation.store.read { try $0.connections().isEmpty })
  }
}
