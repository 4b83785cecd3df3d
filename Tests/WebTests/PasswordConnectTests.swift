import Domain
import Flows
import HTTP
import JSON
import Pages
import Storage
import Testing

@testable import Web

@Suite("Connecting a service with user name and password")
struct PasswordConnectTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let connection: Connection
  private let person: TestPerson
  private let browser: TestBrowser
  private let right: QueryItems = ["username": "ana", "password": "correct horse battery"]

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    var connection = Connection(
      id: try #require(ConnectionID("demo")), name: "Demo", kind: .token, origin: portal.origin, clientID: "",
      createdAt: gatehouse.time.now)
    connection.reach.hosts = [portal.hostAndPort]
    connection.resources = [try #require(ResourcePattern(portal.origin))]
    self.connection = connection
    let stored = connection
    try await gatehouse.store.write { try $0.insert(stored, clientSecret: nil) }
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
  }

  private func connect(_ fields: QueryItems) async throws -> Response {
    try await browser.submit(fields, on: "/connect/demo")
  }

  private func advance(by seconds: Int64) async {
    gatehouse.time.advance(by: seconds)
    await portal.advance(by: seconds)
  }

  @Test("is a form that password managers know, and leads nowhere else")
  func form() async throws {
    let page = await browser.get("/connect/demo")
    for text in ["section-demo username\"", "section-demo current-password\"", "capital and small letters count"] {
      #expect(page.text.contains(text), "\(text)")
    }
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.contains("form-action 'self';"))
    #expect(await TestBrowser(gatehouse).get("/connect/demo").location == "/signin")
  }

  @Test("lets nobody sign in, and is not offered for it")
  func noSignIn() async throws {
    #expect(await TestBrowser(gatehouse).get("/signin/demo").status == .badRequest)
    #expect(!(await TestBrowser(gatehouse).get("/signin")).text.contains("/signin/demo"))
    #expect(try await gatehouse.count("sign_in_attempt") == 0)
  }

  @Test("keeps the credential and says so; the password is kept only by choice", arguments: [true, false])
  func connects(keeps: Bool) async throws {
    var fields = right
    if keeps { fields.append("keep", "1") }
    let answer = try await connect(fields)
    #expect(answer.location == "/account?connected=demo", "\(answer.text)")
    let page = await browser.follow(answer)
    #expect(page.text.contains("<bdi>Demo</bdi> is connected."))
    #expect(page.text.contains("ArcGIS user name and password, signed in as <bdi>ana</bdi>"))
    #expect(page.text.contains(keeps ? "Automatically" : "you sign in again when it ends"))
    let credential = try #require(try await gatehouse.credential(of: person.account.id))
    #expect(credential.canRefresh == keeps)
    for table in ["password_try", "revocation", "sign_in_attempt"] {
      #expect(try await gatehouse.count(table) == 0, "\(table)")
    }
  }

  @Test("an empty field is named, and nothing is asked")
  func empty() async throws {
    let answer = try await connect(["username": "ana", "password": ""])
    #expect(answer.status.code == 422)
    #expect(answer.text.contains("id=\"password-error\"") && answer.text.contains("Enter your password."))
    #expect(try await portal.calls(of: "generateToken") == 0)
  }

  @Test("wrong passwords stop before the portal locks the account, also all at once")
  func lockout() async throws {
    let page = await browser.get("/connect/demo")
    let codes = await withTaskGroup(of: UInt16.self) { group in
      let csrf = TestBrowser.hiddenValue("csrf", in: page.text)
      for _ in 0..<8 {
        let one = TestBrowser(gatehouse, cookies: browser.cookies)
        let fields: QueryItems = ["csrf": csrf, "ticket": "", "username": "ANA", "password": "wr0ng-Pa55"]
        let answer = Task { await one.post("/connect/demo", fields) }
        group.addTask { UInt16((await answer.value).status.code) }
      }
      return await group.reduce(into: [UInt16]()) { $0.append($1) }
    }
    // One of a person's is tried at a time.
    #expect(codes.contains(422) && codes.contains(429) && codes.allSatisfy { [422, 429].contains($0) }, "\(codes)")
    for _ in 0..<2 { _ = try await wrong("ANA") }
    #expect(try await portal.calls(of: "generateToken") == 2)
    let waiting = try await connect(right)
    #expect(waiting.status.code == 429 && waiting.headers["retry-after"] != nil)
    #expect(waiting.text.contains("locks an account after five"))
    #expect(!waiting.text.contains("correct horse battery"))
    await advance(by: LockoutGuard.window)
    #expect(try await connect(right).location == "/account?connected=demo")
    #expect(try await gatehouse.auditNames().filter { $0 == .connectFailed }.count == 2)
  }

  private func wrong(_ username: String, in other: TestBrowser? = nil) async throws -> Response {
    try await (other ?? browser).submit(["username": username, "password": "wr0ng"], on: "/connect/demo")
  }

  @Test("forms of one name are one name")
  func variants() async throws {
    let names = ["ana", "ANA", "ana ", "an\u{200B}a", "\u{FF41}na", "an\u{E1}"]
    var codes: [Int] = []
    for name in names { codes.append(try await wrong(name).status.code) }
    #expect(codes == [422, 422, 429, 429, 429, 429])
  }

  @Test("an answer counts whatever it says; only what was never sent does not", arguments: [429, 500, 503] as [Int64])
  func counted(status: Int64) async throws {
    for _ in 0..<2 {
      await portal.fault("status", at: "generateToken", value: status)
      #expect(try await connect(right).status == .serviceUnavailable)
    }
    #expect(try await connect(right).status.code == 429)
  }

  @Test("a portal that cannot be reached counts no try")
  func notCounted() async throws {
    await portal.stop()
    for _ in 0..<4 { #expect(try await connect(right).status == .serviceUnavailable) }
    #expect(try await gatehouse.count("password_try") == 0)
  }

  @Test("whoever guesses at another's name leaves its owner a try, and gets ten over all names")
  func limits() async throws {
    let guesser = TestBrowser(gatehouse, try await gatehouse.person("Mallory"))
    for _ in 0..<2 { #expect(try await wrong("ana", in: guesser).status.code == 422) }
    #expect(try await wrong("ana", in: guesser).status.code == 429)
    for number in 1...8 { #expect(try await wrong("name\(number)", in: guesser).status.code == 422) }
    let stopped = try await wrong("name9", in: guesser)
    #expect(stopped.status.code == 429 && stopped.text.contains("You have typed 10 wrong passwords"))
    #expect(stopped.headers["retry-after"] != nil)
    #expect(try await portal.calls(of: "generateToken") == 10)
    #expect(try await connect(right).location == "/account?connected=demo")
  }

  @Test("a page instead of a token, and a refused fresh token, have their own words")
  func ownWords() async throws {
    await portal.fault("html", at: "generateToken")
    #expect(try await connect(right).text.contains("answered with a page instead of a token"))
    await portal.fault("refuse", at: "community.self")
    #expect(try await connect(right).text.contains("then refused the token that it gave"))
    #expect(try await connect(["username": "ana", "password": "no"]).text.contains("needs a connection with OAuth"))
  }

  @Test("a locked account is told from a wrong password")
  func locked() {
    let words = ConnectFailure.accountLocked("").words(at: connection).text.english
    #expect(words.contains("has locked this account after too many wrong passwords. Wait 15 minutes"))
    let realm = Connection(
      id: connection.id, name: "Archive", kind: .kerberos, origin: portal.origin, clientID: "",
      createdAt: gatehouse.time.now)
    let told = ConnectFailure.accountLocked("").words(at: realm).text.english
    #expect(told.contains("The realm has locked this account."))
  }

  @Test("as somebody else needs the person's agreement on the form")
  func otherIdentity() async throws {
    _ = try await connect(right)
    let other: QueryItems = ["username": "ben", "password": "correct horse battery"]
    let asked = try await connect(other)
    #expect(asked.status.code == 422)
    #expect(asked.text.contains("Connect as <bdi>ben</bdi> instead of <bdi>ana</bdi>"))
    #expect(try await gatehouse.credential(of: person.account.id)?.identity.displayName == "ana")
    let value = try #require(asked.text.firstRange(of: "id=\"replace\" value=\""))
    var agreed = other
    agreed.append("replace", String(asked.text[value.upperBound...].prefix { $0 != "\"" }))
    let done = await browser.submit(agreed, after: asked, to: "/connect/demo")
    #expect(done.location == "/account?connected=demo")
    #expect(try await gatehouse.credential(of: person.account.id)?.identity.displayName == "ben")
  }

  // MARK: Vending

  private func allowed() async throws -> (app: TestClient, access: String) {
    let client = try await gatehouse.client(connections: [connection.id])
    return (client, try await gatehouse.tokens(for: client, person).access)
  }

  private func vend(_ access: String, _ resource: String) async throws -> Response {
    let query: QueryItems = ["resource": resource]
    let bearer = try #require(FieldValue("Bearer \(access)"))
    return await gatehouse.send(.get, query.appended(to: "/v1/token"), headers: ["authorization": bearer])
  }

  @Test("what cannot be renewed and is refused is the person's to mend, for the app that says so")
  func refusedAndNotRenewable() async throws {
    _ = try await connect(right)
    let (_, access) = try await allowed()
    let query: QueryItems = ["resource": portal.origin + "/sharing/rest/community/self", "min_ttl": "1209600"]
    let bearer = try #require(FieldValue("Bearer \(access)"))
    let told = await gatehouse.send(.get, query.appended(to: "/v1/token"), headers: ["authorization": bearer])
    #expect(try told.json.string("reason") == "reauth_required", "\(told.text)")
    #expect(try await vend(access, portal.origin + "/sharing/rest/community/self").status == .ok)
    #expect(try await portal.calls(of: "generateToken") == 1)
  }

  @Test(
    "a vend names the referer, and its headers open the portal and its federated server",
    arguments: ["/sharing/rest/community/self", "/server/rest/services/Traffic/FeatureServer/0"])
  func vends(path: String) async throws {
    _ = try await connect(right)
    let (_, access) = try await allowed()
    let json = try await vend(access, portal.origin + path).json
    #expect(json.string("referer") == TestInstallation.external)
    var headers = Headers()
    for header in try #require(json.array("headers")) {
      headers.add(
        try #require(FieldName(header.string("name") ?? "")), try #require(FieldValue(header.string("value") ?? "")))
    }
    #expect(try await portal.answer(to: portal.origin + path, headers)["error"] == nil)
    headers.remove("referer")
    #expect(try await portal.answer(to: portal.origin + path, headers)["error"]?.integer("code") == 498)
  }

  @Test("a kept password renews the token; without one it ends and the person is asked", arguments: [true, false])
  func end(keeps: Bool) async throws {
    var fields = right
    if keeps { fields.append("keep", "1") }
    _ = try await connect(fields)
    let (client, _) = try await allowed()
    await advance(by: 7_201)
    let access = try await gatehouse.tokens(for: client, person).access
    let answer = try await vend(access, portal.origin + "/sharing/rest/community/self")
    #expect(try await portal.calls(of: "generateToken") == (keeps ? 2 : 1))
    guard !keeps else {
      #expect(answer.status == .ok, "\(answer.text)")
      #expect(try answer.json.string("referer") == TestInstallation.external)
      return
    }
    #expect(try answer.error == "interaction_required", "\(answer.text)")
    #expect(try answer.json.string("reason") == "reauth_required")
  }

  @Test("a kept password that no longer works is tried once and never again")
  func lockedOut() async throws {
    var fields = right
    fields.append("keep", "1")
    _ = try await connect(fields)
    let (client, _) = try await allowed()
    await advance(by: 7_201)
    await portal.lock("ana")
    let access = try await gatehouse.tokens(for: client, person).access
    let before = try await portal.calls(of: "generateToken")
    for _ in 0..<3 {
      let answer = try await vend(access, portal.origin + "/sharing/rest/community/self")
      #expect(try answer.json.string("reason") == "reauth_required")
    }
    #expect(try await portal.calls(of: "generateToken") == before + 1)
    let later = TestBrowser(gatehouse, try await gatehouse.session(of: person.account))
    #expect(await later.get("/account").text.contains("no longer works"))
  }

  // MARK: The end

  @Test("signing out deletes it and says that the token goes on working, and until when")
  func signsOut() async throws {
    _ = try await connect(right)
    #expect(await browser.get("/disconnect/demo").text.contains("no way to cancel the token, which works until"))
    let preview = await browser.get("/signout")
    #expect(preview.text.contains("Will be deleted") && !preview.text.contains("its own sign-out page"))
    let report = await browser.submit([:], after: preview, to: "/signout")
    #expect(report.text.contains("offers no way to cancel the sign-in."))
    #expect(report.text.contains("Its token stops by itself on"))
    for table in ["credential", "revocation"] { #expect(try await gatehouse.count(table) == 0, "\(table)") }
    #expect(try await portal.calls(of: "revokeToken") == 0)
  }

  @Test("is added by an administrator without any registration, and nobody is invited to it")
  func added() async throws {
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator())
    let fields: QueryItems = [
      "kind": "token", "name": "By password", "id": "by-password", "portal_url": portal.origin + "/home/",
      "token_minutes": "30",
    ]
    let answer = try await admin.submit(fields, on: "/admin/connections/new")
    #expect(answer.status == .seeOther, "\(answer.text)")
    let id = try #require(ConnectionID("by-password"))
    let stored = try #require(try await gatehouse.store.read { try $0.connection(id) })
    #expect(stored.kind == .token && stored.origin == portal.origin && stored.clientID.isEmpty)
    #expect(stored.portal.tokenMinutes == 30 && stored.admission == .invited)
    let page = await admin.follow(answer)
    #expect(page.text.contains("/connect/by-password") && !page.text.contains("Redirect URI"))
    #expect(!page.text.contains("Invite a person"))
    await #expect(throws: Refusal.self) {
      try await InvitePerson(gatehouse.here)(
        .init(connection: id, name: "Bo", username: ""), by: nil, TestInstallation.visitor)
    }
    let wrong = try await admin.submit(
      ["kind": "token", "name": "Other", "id": "other", "portal_url": portal.origin, "token_minutes": "20161"],
      on: "/admin/connections/new")
    #expect(wrong.text.contains("Enter 1 to 20160 minutes"))
  }
}
