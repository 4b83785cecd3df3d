import Domain
import HTTP
import HTTPServer
import JSON
import Logging
import Storage
import Synchronization
import Testing

@testable import Web

/// A web server that takes one user name and password by Basic, and counts how often it was asked with one.
private final class LoginServer: Sendable {
  struct Script: Sendable {
    var login = "Basic \(TestInstallation.base64(Array("ana:right".utf8)))"
    var challenge = "Basic realm=\"City of Ana\""
    var status = Status.ok
    var tries: [String] = []
    /// Answers 401 to everybody, as Apache does for `Require user`.
    var forbiddenPath = "/rest/forbidden"
    /// What the connection's own address answers in place of its own, whatever it is shown.
    var ownAddress: Status?
  }

  private let state: Mutexed
  private let server: Server
  var origin: String { "http://127.0.0.1:\(server.port)" }

  private final class Mutexed: Sendable { let script = Mutex(Script()) }

  init() throws {
    let state = Mutexed()
    self.state = state
    var configuration = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    configuration.loopCount = 1
    server = Server(configuration: configuration) { request in
      // Long enough for requests that come together to meet.
      try? await Task.sleep(for: .milliseconds(30))
      return state.script.withLock { script in
        if script.status.code >= 500 { return Response(status: script.status) }
        let given = request.headers["authorization"]
        if let given { script.tries.append(given) }
        if given != nil, request.path == "/rest", let status = script.ownAddress { return Response(status: status) }
        guard given == script.login, request.path != script.forbiddenPath else {
          var refused = Response(status: .unauthorized, body: .bytes(Array("no".utf8)))
          if let field = FieldValue(script.challenge) { refused.headers.set("www-authenticate", field) }
          return refused
        }
        return Response(
          status: script.status, headers: ["content-type": "application/json"], body: .bytes(Array("{\"a\":1}".utf8)))
      }
    }
    try server.start()
  }

  var tries: Int { state.script.withLock { $0.tries.count } }

  func change(_ edit: (inout Script) -> Void) { state.script.withLock { edit(&$0) } }
}

@Suite("A web server with a password", .timeLimit(.minutes(1)))
struct LoginConnectTests {
  private let gatehouse: TestInstallation
  private let server: LoginServer
  private let person: TestPerson
  private let browser: TestBrowser
  private let right: QueryItems = ["username": "ana", "password": "right"]

  init() async throws {
    gatehouse = try await TestInstallation()
    server = try LoginServer()
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator())
    let fields: QueryItems = [
      "kind": "password", "name": "Archive", "id": "archive", "web_address": server.origin + "/rest",
    ]
    let made = try await admin.submit(fields, on: "/admin/connections/new")
    try #require(made.status == .seeOther, "\(made.text)")
    let page = await admin.follow(made)
    #expect(page.text.contains("HTTP Basic, for <bdi>City of Ana</bdi>") && !page.text.contains("Redirect URI"))
  }

  private func connect(_ fields: QueryItems) async throws -> Response {
    try await browser.submit(fields, on: "/connect/archive")
  }

  @Test("shows the realm, tries a password once, and says that it was wrong")
  func wrongAndRight() async throws {
    let form = await browser.get("/connect/archive")
    #expect(form.text.contains("<bdi>City of Ana</bdi>") && form.text.contains("HTTP Basic"))
    let wrong = try await connect(["username": "ana", "password": "wr0ng-Pa55"])
    #expect(wrong.status.code == 422 && wrong.text.contains("does not accept this user name and password"))
    #expect(server.tries == 1 && !wrong.text.contains("wr0ng-Pa55"))
    #expect(try await connect(right).location == "/account?connected=archive")
    #expect(server.tries == 2)
    let account = await browser.get("/account?connected=archive")
    #expect(account.text.contains("Archive</bdi> is connected") && account.text.contains("signed in as <bdi>ana</bdi>"))
    #expect(try await gatehouse.credential(of: person.account.id)?.accessExpiresAt.isNever == true)
  }

  @Test("wrong passwords stop here, before the server locks the account")
  func lockout() async throws {
    for _ in 0..<2 { _ = try await connect(["username": "ana", "password": "no"]) }
    let waiting = try await connect(right)
    #expect(waiting.status.code == 429 && waiting.text.contains("may lock an account"))
    #expect(server.tries == 2)
  }

  @Test("a server that is down, one that asks otherwise, and a login that cannot be one, have their own words")
  func ownWords() async throws {
    server.change { $0.status = 503 }
    let down = try await connect(right)
    #expect(down.status == .serviceUnavailable && down.text.contains("does not answer at the moment"))
    server.change {
      $0.status = .ok
      $0.challenge = "Basic realm=\"Somebody else\""
    }
    #expect(try await connect(right).text.contains("asks for a password in another way"))
    #expect(server.tries == 0)
    server.change { $0.challenge = "Basic realm=\"City of Ana\"" }
    #expect(try await connect(["username": "a:na", "password": "right"]).text.contains("with a colon"))
    #expect(try await connect(right).location == "/account?connected=archive")
    #expect(server.tries == 1)
  }

  @Test("a folder without a page proves a password as a page does", arguments: [204, 301, 403, 404, 405] as [Int])
  func proven(_ status: Int) async throws {
    server.change { $0.status = Status(integerLiteral: status) }
    #expect(try await connect(right).location == "/account?connected=archive")
  }

  @Test(
    "an answer that a wrong password may get as well proves none", arguments: [302, 303, 307, 400, 407, 429] as [Int])
  func unproven(_ status: Int) async throws {
    server.change { $0.status = Status(integerLiteral: status) }
    let answer = try await connect(right)
    #expect(answer.status.code == 422 && answer.text.contains("answered \(status), which says neither"))
    #expect(try await gatehouse.credential(of: person.account.id) == nil)
    #expect(try await gatehouse.count("identity") == 0)
    #expect(try await gatehouse.count("password_try") == 1)
  }

  @Test("a login is theirs who can show it, once its owner has disconnected it; what that one allowed has ended")
  func takenOver() async throws {
    let client = try await gatehouse.client(connections: [try #require(ConnectionID("archive"))])
    _ = try await gatehouse.tokens(for: client, person)
    _ = try await connect(right)
    let bo = TestBrowser(gatehouse, try await gatehouse.person("Bo"))
    #expect(try await bo.submit(right, on: "/connect/archive").text.contains("connected to another account"))
    #expect(try await browser.submit([:], on: "/disconnect/archive").status.code < 400)
    #expect(try await bo.submit(right, on: "/connect/archive").location == "/account?connected=archive")
    let (account, id) = (person.account.id, try #require(ClientID(client.id)))
    let consent = try #require(try await gatehouse.store.read { try $0.consent(of: account, for: id) })
    #expect(consent.connections.isEmpty)
  }

  private func access() async throws -> String {
    let client = try await gatehouse.client(connections: [try #require(ConnectionID("archive"))], rawTokens: true)
    return try await gatehouse.tokens(for: client, person).access
  }

  private func get(_ target: String, _ access: String) async throws -> Response {
    await gatehouse.send(.get, target, headers: ["authorization": try #require(FieldValue("Bearer \(access)"))])
  }

  @Test("a vend names the proxy, whatever the client may have; the proxy signs in with the password")
  func vends() async throws {
    _ = try await connect(right)
    let access = try await access()
    let query: QueryItems = ["resource": server.origin + "/rest/services?f=json"]
    let vended = try await get(query.appended(to: "/v1/token"), access)
    let json = try vended.json
    #expect(json.string("proxy_reason") == "password" && json["access_token"] == nil && json["headers"] == nil)
    #expect(json.string("proxy_url") == TestInstallation.external + "/v1/proxy/archive/services?f=json")
    let listed = try await get("/v1/connections", access).json
    #expect(listed.array("connections")?.first?.bool("raw_token") == false)
    let answer = try await get("/v1/proxy/archive/services?f=json", access)
    #expect(answer.status == .ok)
    #expect(try await get("/v1/proxy/archive/~\(server.origin.dropFirst(7))/other", access).status.code == 400)
    let account = await browser.get("/account")
    #expect(account.text.contains("The answer to a request"))
    #expect(try await gatehouse.audit().contains { $0.detail == "proxied GET with password" })
  }

  private func manyAtOnce(_ target: String, _ access: String) async throws -> [Response] {
    let (gatehouse, bearer) = (gatehouse, try #require(FieldValue("Bearer \(access)")))
    return await withTaskGroup(of: Response.self) { group in
      for _ in 0..<6 { group.addTask { await gatehouse.send(.get, target, headers: ["authorization": bearer]) } }
      return await group.reduce(into: [Response]()) { $0.append($1) }
    }
  }

  @Test("a URL that refuses a right password brings its own 401; the address of the connection is asked once for all")
  func notForThisURL() async throws {
    _ = try await connect(right)
    let access = try await access()
    #expect(try await get("/v1/proxy/archive/services", access).status == .ok)
    server.change { $0.tries = [] }
    for answer in try await manyAtOnce("/v1/proxy/archive/forbidden", access) {
      #expect(answer.status == .unauthorized && answer.headers["content-type"] != "application/json")
    }
    #expect(server.tries == 7)
    #expect(try await get("/v1/proxy/archive/services", access).status == .ok)
    let page = await browser.get("/connect?resource=\(server.origin)/rest/forbidden")
    #expect(page.text.contains("knows who you are, and does not let you have this"), "\(page.text)")
    #expect(try await get("/v1/proxy/archive/services", access).status == .ok)
    #expect(try await gatehouse.count("password_try") == 0)
  }

  @Test("a password that its own address refuses is shown nowhere again; one that it does not judge waits")
  func ownAddress() async throws {
    _ = try await connect(right)
    let access = try await access()
    server.change { $0.ownAddress = 502 }
    #expect(try await get("/v1/proxy/archive/forbidden", access).status == .unauthorized)
    server.change { $0.tries = [] }
    let waits = try await get("/v1/proxy/archive/services", access)
    #expect(waits.status == .serviceUnavailable && waits.text.contains("does not say at its own address"))
    #expect(server.tries == 0)
    server.change { $0.ownAddress = nil }
    _ = try await connect(right)
    server.change {
      $0.login = "Basic bmV3"
      $0.tries = []
    }
    for _ in 0..<2 {
      let refused = try await get("/v1/proxy/archive", access)
      #expect(try refused.json.string("reason") == "reauth_required", "\(refused.text)")
    }
    #expect(server.tries == 1)
  }

  @Test("a password that was changed there is presented once more, by however many requests, and never again")
  func refusedLater() async throws {
    _ = try await connect(right)
    let access = try await access()
    server.change {
      $0.login = "Basic bmV3"
      $0.tries = []
    }
    let answers = try await manyAtOnce("/v1/proxy/archive/services", access)
    for answer in answers {
      let json = try answer.json
      #expect(json.string("error") == "interaction_required" && json.string("reason") == "reauth_required")
    }
    _ = try await get("/v1/proxy/archive/services", access)
    #expect(server.tries == 2)
    #expect(await browser.get("/account").text.contains("Archive</bdi> no longer works"))
    server.change { $0.login = "Basic \(TestInstallation.base64(Array("ana:new".utf8)))" }
    #expect(try await connect(["username": "ana", "password": "new"]).location == "/account?connected=archive")
    #expect(try await get("/v1/proxy/archive/services", access).status == .ok)
  }

  @Test("signing out forgets it, and says that there is nothing to cancel")
  func signsOut() async throws {
    _ = try await connect(right)
    #expect(await browser.get("/disconnect/archive").text.contains("goes on working at"))
    let preview = await browser.get("/signout")
    #expect(preview.text.contains("Will be forgotten"))
    let report = await browser.submit([:], after: preview, to: "/signout")
    #expect(report.text.contains("Forgotten here, and the connections that Gatehouse opened with it are closed."))
    #expect(report.text.contains("Everything is finished.") && !report.text.contains("stops by itself"))
    for table in ["credential", "revocation"] { #expect(try await gatehouse.count(table) == 0, "\(table)") }
  }

  @Test("an address that asks for nothing, or resources elsewhere, make no connection")
  func refusedAddress() async throws {
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator("Second"))
    var fields: QueryItems = [
      "kind": "password", "name": "Other", "id": "other", "web_address": server.origin,
      "resources": "https://elsewhere.example/rest",
    ]
    let elsewhere = try await admin.submit(fields, on: "/admin/connections/new")
    #expect(elsewhere.text.contains("elsewhere.example/rest is elsewhere"))
    server.change { $0.challenge = "Bearer" }
    fields = ["kind": "password", "name": "Other", "id": "other", "web_address": server.origin]
    let open = try await admin.submit(fields, on: "/admin/connections/new")
    #expect(open.text.contains("asks for no user name and password"))
  }
}
