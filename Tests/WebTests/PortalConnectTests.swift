import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Connecting a service")
struct PortalConnectTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let connection: Connection
  private let person: TestPerson
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    connection = try await gatehouse.connection(to: portal)
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
  }

  private func connect(_ page: String = "/connect/demo", as user: String = "ana") async throws -> Response {
    try await browser.travel(try await browser.submit([:], on: page), portal, as: user)
  }

  @Test("is asked first: the page names the host, may lead there, and begins nothing by itself")
  func asks() async throws {
    let page = await browser.get("/connect/demo")
    #expect(page.text.contains("<bdi>\(portal.hostAndPort)</bdi>"))
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.contains("form-action 'self' \(portal.origin) https:;"))
    #expect(try await gatehouse.count("sign_in_attempt") == 0)
    #expect(await TestBrowser(gatehouse).get("/connect/demo").location == "/signin")
  }

  @Test("keeps the credential for the account that asked, and says so")
  func connects() async throws {
    let back = try await connect()
    #expect(back.location == "/account?connected=demo")
    let page = await browser.follow(back)
    #expect(page.text.contains("<bdi>Demo</bdi> is connected."))
    #expect(page.text.contains("signed in as <bdi>ana</bdi>"))
    #expect(try await gatehouse.credential(of: person.account.id)?.identity.displayName == "ana")
    #expect(try await gatehouse.count("account") == 1)
  }

  @Test("says only what is true, whatever the address claims")
  func claims() async throws {
    #expect(!(await browser.get("/account?connected=demo")).text.contains("is connected.</b>"))
    _ = try await connect()
    #expect(!(await browser.get("/account?disconnected=demo")).text.contains("is disconnected.</b>"))
  }

  @Test("fails when the session has ended or another began while the person was away", arguments: [true, false])
  func sessionEnded(somebodyElse: Bool) async throws {
    let path = try await browser.way(back: try await browser.submit([:], on: "/connect/demo"), portal)
    var cookies = browser.cookies
    if somebodyElse {
      cookies.merge(try await gatehouse.person("Bo").cookies) { $1 }
    } else {
      _ = try await SignOut(gatehouse.here)(person.account.id, TestInstallation.visitor)
    }
    let answer = await TestBrowser(gatehouse, cookies: cookies).get(path)
    #expect(answer.status == .badRequest)
    #expect(try await gatehouse.count("credential") == 0)
    #expect(try await gatehouse.count("revocation") == 1, "the tokens that nobody uses are revoked")
  }

  @Test("does not take an identity from another account")
  func linkedElsewhere() async throws {
    try await gatehouse.connect(try await gatehouse.person("Bo"), to: connection, at: portal)
    let answer = try await connect()
    #expect(answer.status == .forbidden)
    #expect(answer.text.contains("connected to another account"))
    #expect(try await gatehouse.credential(of: person.account.id) == nil)
    #expect(try await gatehouse.count("revocation") == 1)
  }

  @Test("is no way into an account that has a password here, and frees the identity when it is disconnected")
  func localAccount() async throws {
    _ = try await gatehouse.local("root", role: .administrator)
    let local = try await gatehouse.local("vic")
    let owner = TestBrowser(gatehouse)
    _ = try await owner.submit(["username": "vic", "password": TestInstallation.password], on: "/signin")
    _ = try await owner.travel(try await owner.submit([:], on: "/connect/demo"), portal, as: "ana")
    #expect(try await gatehouse.credential(of: local.id)?.identity.displayName == "ana")
    let other = TestBrowser(gatehouse)
    let refused = try await other.travel(await other.get("/signin/demo"), portal, as: "ana")
    #expect(refused.status == .forbidden && refused.text.contains("Sign in with your password here"))
    #expect(other.cookies["gh_s"] == nil)
    _ = try await owner.submit([:], on: "/disconnect/demo")
    #expect(try await gatehouse.count("identity") == 0)
  }

  // MARK: As somebody else than before

  @Test("as somebody else changes nothing before the person agrees")
  func otherIdentity() async throws {
    _ = try await connect()
    let page = try await connect(as: "ben")
    #expect(page.status == .ok)
    #expect(page.text.contains("<dt>Before</dt><dd><bdi>ana</bdi></dd><dt>Now</dt><dd><bdi>ben</bdi></dd>"))
    #expect(try await gatehouse.credential(of: person.account.id)?.identity.displayName == "ana")
    let kept = await browser.submit(["answer": "keep"], after: page, to: "/connect/demo/confirm")
    #expect(kept.location == "/account")
    #expect(try await gatehouse.credential(of: person.account.id)?.identity.displayName == "ana")
  }

  @Test("as somebody else, once agreed, ends what was allowed before and lets the former one in no more")
  func replaced() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    _ = try await gatehouse.code(for: client, person)
    _ = try await connect()
    let page = try await connect(as: "ben")
    let start = await browser.submit(["answer": "replace"], after: page, to: "/connect/demo/confirm")
    let back = try await browser.travel(start, portal, as: "ben")
    #expect(back.location == "/account?connected=demo")
    let (account, app) = (person.account.id, client.client.id)
    #expect(try await gatehouse.credential(of: account)?.identity.displayName == "ben")
    let consent = try await gatehouse.store.read { try $0.consent(of: account, for: app) }
    #expect(consent?.connections == [])
    let former = TestBrowser(gatehouse)
    #expect(try await former.travel(await former.get("/signin/demo"), portal).status == .forbidden)
  }

  @Test("another identity than the one agreed to is asked about again")
  func agreedToAnother() async throws {
    _ = try await connect()
    let page = try await connect(as: "ben")
    let ticket = try #require(TestBrowser.hiddenValue("ticket", in: page.text))
    let forged = String(repeating: "A", count: 43) + ticket.dropFirst(43)
    let fields: QueryItems = [
      "answer": "replace", "ticket": forged, "csrf": TestBrowser.hiddenValue("csrf", in: page.text),
    ]
    #expect(await browser.post("/connect/demo/confirm", fields).status == .forbidden)
  }

  @Test("as somebody else after disconnecting is asked about as well")
  func afterDisconnecting() async throws {
    _ = try await connect()
    let done = try await browser.submit([:], on: "/disconnect/demo")
    #expect(done.location == "/account?disconnected=demo")
    #expect((await browser.follow(done)).text.contains("<bdi>Demo</bdi> is disconnected."))
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await connect(as: "ben").text.contains("as somebody else?"))
  }

  // MARK: For an app that waits

  @Test("for an app: connects, then asks, then lets it vend")
  func forApp() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let link = gatehouse.link(for: person.account.id, client, connection)
    let first = await browser.get(link)
    #expect(first.text.contains("The app <bdi>Field app</bdi> needs it"))
    let back = try await connect(link)
    #expect(back.location == link)
    let question = await browser.follow(back)
    #expect(question.text.contains("Allow <bdi>Field app</bdi> to use <bdi>Demo</bdi>?"))
    #expect(question.text.contains("can do everything you can there"))
    #expect(try await gatehouse.count("consent") == 0, "connecting allows nothing")
    let allowed = await browser.submit(["answer": "allow"], after: question, to: "/connect/demo")
    #expect((await browser.follow(allowed)).text.contains("<bdi>Demo</bdi> is ready"))
    let resource = try #require(ResourceURL(portal.origin + "/sharing/rest"))
    let vended = try await VendToken(gatehouse.here)(
      VendRequest(client: client.client.id, account: person.account.id, resource: resource, minimumLifetime: 0),
      with: nil, TestInstallation.visitor)
    #expect(vended.handedOut?.connection == connection.id)
  }

  @Test("for an app: refusing leaves what was allowed as it was")
  func denied() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let link = gatehouse.link(for: person.account.id, client, connection)
    let question = await browser.follow(try await connect(link))
    let answer = await browser.submit(["answer": "deny"], after: question, to: "/connect/demo")
    #expect(answer.location == "/account")
    #expect(try await gatehouse.count("consent") == 0)
  }

  @Test("for an app: a link for another account is refused, and leads to no upstream")
  func otherAccount() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let link = gatehouse.link(for: try await gatehouse.person("Bo").account.id, client, connection)
    let page = await browser.get(link)
    #expect(page.status == .badRequest)
    #expect(page.text.contains("made for another account"))
    let text = String(link.split(separator: "=")[1])
    let known = try #require(browser.cookies["gh_b"])
    let csrf = gatehouse.here.formToken(
      for: "\(known)|\(person.token.revealedText)|", form: "connect demo \(text)")
    let answer = await browser.post("/connect/demo", ["ticket": text, "csrf": csrf])
    #expect(answer.text.contains("made for another account"))
    #expect(try await gatehouse.count("sign_in_attempt") == 0)
  }

  @Test("for an app: a link that is forged, too old, or for another connection is refused")
  func badLinks() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    let link = gatehouse.link(for: person.account.id, client, connection)
    for bad in [link + "x", link.replacing("/connect/demo", with: "/connect/other"), "/connect/demo?ticket=a.b.c"] {
      #expect([400, 404].contains(await browser.get(bad).status.code), "\(bad)")
    }
    gatehouse.time.advance(by: InteractionTicket.lifetime)
    #expect(await browser.get(link).status == .badRequest)
  }

  @Test("for an app: a link is good after signing in, also through the connection itself")
  func signsInFirst() async throws {
    let client = try await gatehouse.client(connections: [connection.id])
    try await gatehouse.connect(person, to: connection, at: portal)
    let link = gatehouse.link(for: person.account.id, client, connection)
    let stranger = TestBrowser(gatehouse)
    let ticket = String(link.split(separator: "=")[1])
    #expect(await stranger.get(link).location == "/signin?ticket=connect:demo:\(ticket)")
    let back = try await stranger.travel(await stranger.get("/signin/demo?ticket=connect:demo:\(ticket)"), portal)
    #expect(back.location == link)
    #expect((await stranger.follow(back)).text.contains("Allow <bdi>Field app</bdi>"))
  }
}
