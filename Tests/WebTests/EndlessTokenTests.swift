import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("A token without an end") struct EndlessTokenTests {
  private let gatehouse: TestInstallation
  private let server: OAuthServer
  private let person: TestPerson

  init() async throws {
    gatehouse = try await TestInstallation()
    server = try OAuthServer()
    person = try await gatehouse.person()
    let connection = try server.connection()
    try await gatehouse.store.write { try $0.insert(connection, clientSecret: nil) }
    let browser = NewToken().hash
    let url = try await BeginSignIn(gatehouse.here)(
      connection.id, for: .connect(person.account.id), browser: browser, returnPath: nil)
    let query = try #require(URLParts(url)?.query)
    let state = try #require(try Form(query: Substring(query))["state"])
    let callback = CompleteSignIn.Callback(
      connection: connection.id, state: state, code: "c0de", error: nil, issuer: nil)
    let outcome = try await CompleteSignIn(gatehouse.here)(
      callback, browser: browser, signedIn: person.signedIn, TestInstallation.visitor)
    guard case .connected = outcome else {
      Issue.record("the connection was not made: \(outcome)")
      return
    }
  }

  @Test("is vended without a lifetime, to be asked for again in an hour, however long it has been there")
  func vend() async throws {
    let id = try #require(ConnectionID("hub"))
    let client = try await gatehouse.client(connections: [id])
    for _ in 0..<2 {
      let access = try await gatehouse.tokens(for: client, person).access
      let query: QueryItems = ["resource": "\(server.origin)/repos"]
      let answer = await gatehouse.send(
        .get, query.appended(to: "/v1/token"), headers: ["authorization": try #require(FieldValue("Bearer \(access)"))])
      let json = try JSONValue(parsing: answer.text)
      #expect(json.string("access_token") == "gho_endless", "\(answer.text)")
      #expect(json["expires_in"] == nil && json.integer("refresh_after") == 3600)
      gatehouse.time.advance(by: 400 * 24 * 60 * 60)
    }
  }

  @Test("is told of as it is, by the account page, at disconnecting and in the report of a sign-out")
  func pages() async throws {
    let browser = TestBrowser(gatehouse, person)
    let account = await browser.get("/account").text
    #expect(account.contains("Not needed: it works until it is changed") && !account.contains("9999"))
    let disconnect = await browser.get("/disconnect/hub").text
    #expect(disconnect.contains("works until you cancel it at") && !disconnect.contains("9999"))
    #expect(await browser.get("/signout").text.contains("its token works until you cancel it there yourself"))
    let report = try await browser.submit([:], on: "/signout").text
    #expect(report.contains("Its token does not end by itself: cancel it at"), "\(report)")
    #expect(!report.contains("9999"))
    await server.stop()
  }
}
