import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("Connecting a service with a token that was made elsewhere")
struct TokenConnectTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let connection: Connection
  private let person: TestPerson
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    var connection = Connection(
      id: try #require(ConnectionID("demo")), name: "Demo", kind: .pregeneratedToken, origin: portal.origin,
      clientID: "", createdAt: gatehouse.time.now)
    connection.reach.hosts = [portal.hostAndPort]
    connection.resources = [try #require(ResourcePattern(portal.origin))]
    self.connection = connection
    let stored = connection
    try await gatehouse.store.write { try $0.insert(stored, clientSecret: nil) }
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
  }

  private func fields(referer: String = "https://own.example") async throws -> QueryItems {
    let made = try await portal.generateToken(referer: "https://own.example")
    return [
      "token": made.string("token"), "expires": String(try #require(made.integer("expires"))),
      "referer": referer,
    ]
  }

  @Test("keeps it to its end, and a vend names the referer that it was made for")
  func connects() async throws {
    let answer = try await browser.submit(try await fields(), on: "/connect/demo")
    #expect(answer.location == "/account?connected=demo", "\(answer.text)")
    let page = await browser.follow(answer)
    #expect(page.text.contains("ArcGIS token, signed in as <bdi>ana</bdi>"))
    #expect(page.text.contains("Not possible: you sign in again when it ends"))
    let client = try await gatehouse.client(connections: [connection.id])
    let request = VendRequest(
      client: client.client.id, account: person.account.id,
      resource: try #require(ResourceURL(portal.origin + "/sharing/rest")), minimumLifetime: 0)
    _ = try await gatehouse.code(for: client, person)
    let vended = try #require(
      await VendToken(gatehouse.here)(request, with: nil, TestInstallation.visitor).handedOut)
    #expect(vended.referer == "https://own.example")
    #expect(vended.headers.map(\.name) == ["X-Esri-Authorization", "Referer"])
    gatehouse.time.advance(by: 7_201)
    let refusal = await #expect(throws: Refusal.self) {
      try await VendToken(gatehouse.here)(request, with: nil, TestInstallation.visitor)
    }
    #expect(refusal?.interaction?.reason == .reauthRequired)
  }

  @Test("another referer, an end that has passed, or no token have their own words, and no token comes back")
  func refused() async throws {
    let typed = try await fields(referer: "https://elsewhere.example")
    let wrong = try await browser.submit(typed, on: "/connect/demo")
    #expect(wrong.status.code == 422 && wrong.text.contains("the referer is not the one"))
    #expect(wrong.text.contains("value=\"https://elsewhere.example\""))
    let token = try #require(try Form(typed.body)["token"])
    #expect(!wrong.text.contains(token))
    for (end, text) in [("2020-01-01 10:00", "has ended at this time"), ("soon", "Enter a date and time such as")] {
      let answer = try await browser.submit(["token": "", "expires": end], on: "/connect/demo")
      #expect(answer.text.contains(text) && answer.text.contains("Enter the token."), "\(end)")
    }
    #expect(try await gatehouse.count("credential") == 0)
  }
}
