import Domain
import Flows
import HTTP
import SQL
import SQLite
import Testing

@testable import Web

@Suite("An app that was allowed before")
struct SilentAuthorizationTests {
  private let gatehouse: TestInstallation
  private let client: TestClient
  private let person: TestPerson
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    client = try await gatehouse.client(scope: "openid profile")
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
    _ = try await gatehouse.code(for: client, person, scope: "openid")
    gatehouse.time.advance(by: 1)
  }

  private func ask(_ more: (String, String)..., scope: String = "openid") async -> Response {
    var fields = gatehouse.authorization(client, scope: scope)
    for (name, value) in more { fields.append(name, value) }
    return await browser.get(fields.appended(to: "/oauth2/authorize"))
  }

  private func waiting() async throws -> Int64? {
    try await gatehouse.database.read {
      try $0.first("SELECT count(*) AS n FROM authorization_request WHERE finished_at IS NULL")?.integer("n")
    }
  }

  private func goesOn(_ answer: Response) -> Bool {
    answer.status == .seeOther && answer.location?.hasPrefix(TestClient.redirectURI + "?code=") == true
  }

  @Test("gets its code at once, and nothing is kept of the request", arguments: [nil, "none"])
  func atOnce(prompt: String?) async throws {
    let before = try await waiting()
    let answer = prompt == nil ? await ask() : await ask(("prompt", "none"))
    #expect(goesOn(answer) && answer.location?.contains("&state=a%20state&iss=") == true)
    #expect(try await waiting() == before)
    #expect(try await gatehouse.auditNames().first == .codeIssued)
  }

  @Test(
    "waits for the person where it asks for them, or for more",
    arguments: [("prompt", "login"), ("prompt", "consent"), ("max_age", "0"), ("scope", "openid profile")])
  func waits(name: String, value: String) async throws {
    let answer = name == "scope" ? await ask(scope: value) : await ask((name, value))
    #expect(answer.location?.hasPrefix("/consent?ticket=") == true)
  }

  @Test("gets nothing by a HEAD, whose answer nobody reads")
  func head() async throws {
    let target = gatehouse.authorization(client, scope: "openid").appended(to: "/oauth2/authorize")
    #expect(await browser.head(target).location?.hasPrefix("/consent?ticket=") == true)
  }

  @Test("waits once the consent was taken back, the session has ended, or the app is another")
  func ended() async throws {
    let stranger = TestBrowser(gatehouse)
    let target = gatehouse.authorization(client, scope: "openid").appended(to: "/oauth2/authorize")
    #expect(await stranger.get(target).location?.hasPrefix("/consent?ticket=") == true)
    let other = try await gatehouse.client(scope: "openid")
    let fields = gatehouse.authorization(other, scope: "openid")
    #expect(await browser.get(fields.appended(to: "/oauth2/authorize")).location?.hasPrefix("/consent?") == true)
    _ = try await WithdrawConsent(gatehouse.here)(client.client.id, by: person.account.id, TestInstallation.visitor)
    #expect(await ask().location?.hasPrefix("/consent?ticket=") == true)
  }
}
