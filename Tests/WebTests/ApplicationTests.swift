import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("An application of a portal, which acts for no person") struct ApplicationTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
  }

  private func draft(_ changes: [(String, String)] = []) -> QueryItems {
    var values = [
      "kind": "oauthApplication", "name": "Nightly jobs", "id": "jobs", "portal_url": portal.origin,
      "client_id": "gatehouse-demo", "client_secret": "gatehouse-demo-secret", "resources": portal.origin,
      "token_minutes": "30",
    ]
    for (name, value) in changes { values[name] = value }
    var items = QueryItems()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { items.append(name, value) }
    return items
  }

  private func added() async throws -> Connection {
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator())
    let answer = try await admin.submit(draft(), on: "/admin/connections/new")
    try #require(answer.status == .seeOther, "\(answer.text)")
    let id = try #require(ConnectionID("jobs"))
    return try #require(try await gatehouse.store.read { try $0.connection(id) })
  }

  private var resource: String { portal.origin + "/sharing/rest/portals/self" }

  private func vend(_ access: String) async throws -> Response {
    var headers = Headers()
    headers.set("authorization", try #require(FieldValue("Bearer \(access)")))
    let query: QueryItems = ["resource": resource]
    return await gatehouse.send(.get, query.appended(to: "/v1/token"), headers: headers)
  }

  private func ownToken(_ client: TestClient) async throws -> String {
    let answer = await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
    return try #require(try answer.json.string("access_token"), "\(answer.text)")
  }

  @Test("is added once the portal gave a token for it, and lets nobody in")
  func add() async throws {
    let connection = try await added()
    #expect(connection.kind == .oauthApplication && connection.hasClientSecret)
    #expect(connection.portal.tokenMinutes == 30)
    let held = try await gatehouse.store.read { try $0.credential(of: Account.service, for: connection.id) }
    let credential = try #require(held)
    #expect(credential.state == .active && credential.canRefresh)
    #expect(credential.accessExpiresAt - credential.connectedAt == 30 * 60)
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator())
    let page = await admin.get("/admin/connections/jobs").text
    #expect(page.contains("Nobody: it acts for no person") && page.contains("The owner of the application"))
    #expect(!page.contains("Redirect URI") && !page.contains("Invite a person"))
    #expect(!(await admin.get("/admin/accounts").text.contains("acct_service")))
    #expect(!(await gatehouse.send(.get, "/signin").text.contains("Nightly jobs")))
    let person = TestBrowser(gatehouse, try await gatehouse.person())
    #expect(!(await person.get("/account").text.contains("Nightly jobs")))
    #expect(await person.get("/connect/jobs").status != .ok)
    #expect(try await gatehouse.store.read { try $0.account(Account.service) } == nil)
  }

  @Test("is said to be nobody's where an address needs it")
  func challenge() async throws {
    _ = try await added()
    let person = TestBrowser(gatehouse, try await gatehouse.person())
    let layer = portal.origin + "/server/rest/services/Traffic/FeatureServer/0"
    let page = await person.get((["resource": layer] as QueryItems).appended(to: "/connect")).text
    #expect(page.contains("The service’s own; nobody signs in to it."), "\(page)")
    #expect(!page.contains("Signed in"))
  }

  @Test(
    "is not added with a wrong registration",
    arguments: [
      ("client_secret", "wrong", "Invalid client_secret"), ("client_secret", "", "Enter the client secret"),
      ("client_id", "nobody", "client"), ("token_minutes", "20161", "Enter 1 to 20160 minutes"),
    ])
  func wrong(_ field: String, _ value: String, _ sentence: String) async throws {
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator())
    let answer = try await admin.submit(draft([(field, value)]), on: "/admin/connections/new")
    #expect(answer.status == 422 && answer.text.contains(sentence), "\(answer.text)")
    #expect(!answer.text.contains("gatehouse-demo-secret"))
    for table in ["connection", "credential"] { #expect(try await gatehouse.count(table) == 0, "\(table)") }
  }

  @Test("gives its token to clients for themselves and for people, and to no other client")
  func vends() async throws {
    let connection = try await added()
    let client = try await gatehouse.client(connections: [connection.id])
    let answer = try await vend(try await ownToken(client))
    #expect(answer.status == .ok, "\(answer.text)")
    var headers = Headers()
    let token = try #require(try answer.json.string("access_token"))
    headers.set("x-esri-authorization", try #require(FieldValue("Bearer \(token)")))
    #expect(try await portal.answer(to: resource, headers)["error"] == nil)
    let person = try await gatehouse.person()
    let theirs = try await vend(try await gatehouse.tokens(for: client, person).access)
    #expect(theirs.status == .ok, "\(theirs.text)")
    let stranger = try await gatehouse.client()
    #expect(try await vend(try await ownToken(stranger)).error == "invalid_target")
    let proxied = try await gatehouse.client(connections: [connection.id], rawTokens: false)
    #expect(try await vend(try await ownToken(proxied)).json.string("proxy_reason") == "raw_token_not_allowed")
  }

  @Test("has its token made again, once however many ask, and is kept while the portal is down")
  func renews() async throws {
    let connection = try await added()
    let client = try await gatehouse.client(connections: [connection.id])
    let before = try await vend(try await ownToken(client)).json.string("access_token")
    gatehouse.time.advance(by: 29 * 60 + 30)
    await portal.advance(by: 29 * 60 + 30)
    await portal.fault("status", at: "token.client_credentials", value: 503, times: 1)
    #expect(try await vend(try await ownToken(client)).json.string("access_token") == before)
    gatehouse.time.advance(by: 60)
    await portal.advance(by: 60)
    let access = try await ownToken(client)
    let minted = try await portal.calls(of: "token.client_credentials")
    let answers = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { try await vend(access).json.string("access_token") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(answers).count == 1 && answers[0] != before && answers[0] != nil)
    #expect(try await portal.calls(of: "token.client_credentials") == minted + 1)
  }

  @Test("leaves a person's own connection to the same URLs the first place")
  func comesSecond() async throws {
    let connection = try await added()
    let theirs = try await gatehouse.connection(to: portal)
    let client = try await gatehouse.client(connections: [connection.id, theirs.id])
    let person = try await gatehouse.person()
    try await gatehouse.connect(person, to: theirs, at: portal)
    #expect(try await vend(try await gatehouse.tokens(for: client, person).access).json.string("connection") == "demo")
    #expect(try await vend(try await ownToken(client)).json.string("connection") == "jobs")
  }

  @Test("stops with its connection")
  func ends() async throws {
    let connection = try await added()
    let access = try await ownToken(try await gatehouse.client(connections: [connection.id]))
    #expect(try await vend(access).status == .ok)
    try await ChangeConnection(gatehouse.here)(.disable, connection.id, by: nil, TestInstallation.visitor)
    #expect(try await vend(access).error == "invalid_target")
    try await ChangeConnection(gatehouse.here)(.delete, connection.id, by: nil, TestInstallation.visitor)
    for table in ["connection", "credential", "revocation"] {
      #expect(try await gatehouse.count(table) == 0, "\(table)")
    }
  }
}
