import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Web

@Suite("Callers that are refused")
struct RefusedCallerTests {
  private let gatehouse: TestInstallation

  init() async throws { gatehouse = try await TestInstallation() }

  @Test("a client's own token does not come back to life when the client is enabled again")
  func clientsOwnToken() async throws {
    let client = try await gatehouse.client()
    func token() async throws -> String {
      let answer = await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
      return try #require(try answer.json.string("access_token"))
    }
    let before = try await token()
    try await gatehouse.change(.disable, client)
    try await gatehouse.change(.enable, client)
    #expect(try await gatehouse.introspect(before, client).bool("active") == false)
    gatehouse.time.advance(by: 1)
    let after = try await token()
    #expect(try await gatehouse.introspect(after, client).bool("active") == true)
    #expect(try await gatehouse.introspect(before, client).bool("active") == false)
  }

  @Test(
    "a client that proved who it is and gets no token stands in the audit log",
    arguments: [
      ["grant_type": "authorization_code", "code": "x", "code_verifier": TestInstallation.verifier],
      ["grant_type": "refresh_token", "refresh_token": "x"], ["grant_type": "password"],
      ["grant_type": "client_credentials", "scope": "admin"],
    ] as [QueryItems])
  func audited(form: QueryItems) async throws {
    let client = try await gatehouse.client()
    let answer = await gatehouse.post("/oauth2/token", form, basic: client.basic)
    let event = try #require(try await gatehouse.audit().first { $0.name == .tokenRefused })
    #expect(event.client == client.client.id && event.outcome == .failure)
    #expect(try event.detail == answer.error)
  }

  @Test("a flood of the same refusal makes two rows: the first, and how many followed")
  func flood() async throws {
    let client = try await gatehouse.client()
    for _ in 0..<20 { _ = await gatehouse.post("/oauth2/token", ["grant_type": "password"], basic: client.basic) }
    try await SummariseFailures(gatehouse.here)()
    try await SummariseFailures(gatehouse.here)()
    let details = try await gatehouse.audit().filter { $0.name == .tokenRefused }.map(\.detail)
    #expect(
      details == ["unsupported_grant_type, 19 more since the last summary", "unsupported_grant_type"])
  }

  @Test("a revoked token that is presented stands in the audit log with its client and person")
  func revokedToken() async throws {
    let client = try await gatehouse.client()
    let person = try await gatehouse.person()
    let access = try await gatehouse.tokens(for: client, person).access
    _ = await gatehouse.post("/oauth2/revoke", ["token": access], basic: client.basic)
    let headers: Headers = ["authorization": try #require(FieldValue("Bearer \(access)"))]
    for _ in 0..<3 {
      #expect(await gatehouse.send(.get, "/v1/token?resource=https://x.example/", headers: headers).status.code == 401)
    }
    let events = try await gatehouse.audit().filter { $0.name == .tokenRefused }
    #expect(events.count == 1)
    #expect(events.first?.client == client.client.id && events.first?.account == person.account.id)
    #expect(events.first?.detail == "presented: invalid_token")
  }

  @Test("a foreign form is written down for whoever is signed in, and for nobody else")
  func foreignForm() async throws {
    let person = try await gatehouse.person()
    #expect(await TestBrowser(gatehouse).post("/signout", ["csrf": "x"]).status == .forbidden)
    #expect(try await !gatehouse.auditNames().contains(.formRefused))
    let browser = TestBrowser(gatehouse, person)
    for _ in 0..<5 { #expect(await browser.post("/signout", ["csrf": "x"]).status == .forbidden) }
    let events = try await gatehouse.audit().filter { $0.name == .formRefused }
    #expect(events.map(\.account) == [person.account.id])
    #expect(events.first?.outcome == .failure)
  }

  @Test("a client that anybody can claim to be fills no audit log")
  func publicClient() async throws {
    let client = try await gatehouse.client(.public)
    let form: QueryItems = ["grant_type": "refresh_token", "refresh_token": "x", "client_id": client.id]
    #expect(try await gatehouse.post("/oauth2/token", form).error == "invalid_grant")
    #expect(try await !gatehouse.auditNames().contains(.tokenRefused))
  }

  @Test(
    "over plain http nothing is taken from a proxy or tunnel",
    arguments: ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"])
  func tunnel(name: String) async throws {
    let headers: Headers = [try #require(FieldName(name)): "203.0.113.9"]
    let answer = await gatehouse.send(.get, "/signin", headers: headers)
    #expect(answer.status.code == 421)
    #expect(answer.headers["set-cookie"] == nil)
    let secure = try await TestInstallation(external: "https://gate.example.org")
    #expect(await secure.send(.get, "/health/live", headers: headers).status == .ok)
  }

  @Test("from another machine nothing is taken in clear where we are reached by https, and nobody is sent on")
  func exposed() async throws {
    let gatehouse = try await TestInstallation(external: "https://gate.example.org")
    let client = try await gatehouse.client(grants: [.clientCredentials])
    func ask(from address: String) async -> Response {
      await gatehouse.post(
        "/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic, from: address)
    }
    let refused = await ask(from: "192.0.2.1")
    #expect(refused.status == .forbidden && refused.location == nil)
    #expect(try refused.error == "invalid_request")
    #expect(await ask(from: "127.0.0.1").status == .ok, "a proxy on this machine")
    let page = await gatehouse.send(.get, "/signin", from: "192.0.2.1")
    #expect(page.status == .forbidden && page.headers["set-cookie"] == nil && page.location == nil)
    #expect(await gatehouse.send(.get, "/health/ready", from: "192.0.2.1").status == .ok)
  }
}
