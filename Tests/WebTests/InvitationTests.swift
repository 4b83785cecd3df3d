import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Inviting people")
struct InvitationTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let connection: Connection
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal()
    connection = try await gatehouse.connection(to: portal)
    browser = TestBrowser(gatehouse)
  }

  /// The path of the link of a new invitation.
  private func invite(_ name: String = "", user: String = "") async throws -> String {
    let draft = InvitePerson.Draft(connection: connection.id, name: name, username: user)
    let link = try await InvitePerson(gatehouse.here)(draft, by: nil, TestInstallation.visitor).link
    return String(link.revealedText.dropFirst(TestInstallation.external.count))
  }

  /// Opens a link, goes on to the portal, signs in there and comes back.
  private func accept(_ link: String, _ browser: TestBrowser, as user: String = "ana") async throws -> Response {
    try await browser.travel(try await browser.submit([:], on: link), portal, as: user)
  }

  @Test("the link leads to the sign-in, which makes the account under the name that was given; it works once")
  func link() async throws {
    let link = try await invite("Ana Lind")
    let page = await browser.get(link)
    #expect(page.text.contains("You are invited to City of Ana") && page.text.contains("<bdi>Demo</bdi>"))
    #expect(try await gatehouse.here.openInvitations().count == 1, "looking does not use it up")
    let back = try await accept(link, browser)
    #expect(back.location == "/account")
    let account = try #require(try await gatehouse.store.read { try $0.accounts().first })
    #expect(account.name == "Ana Lind" && account.role == .person)
    #expect(try await gatehouse.here.openInvitations().isEmpty)
    #expect(await browser.get(link).text.contains("This invitation does not work"))
    let event = try #require(try await gatehouse.audit().first { $0.name == .invitationAccepted })
    #expect(event.account == account.id && event.connection == connection.id)
    #expect(try await gatehouse.auditNames().contains(.invited))
    let token = try #require(link.split(separator: "=").last)
    #expect(try await !gatehouse.contents().contains { $0.contains(token) })
  }

  @Test("a connection that admits anyone needs none, and says where people go")
  func needless() async throws {
    try await gatehouse.openConnection(to: portal, "open")
    let draft = InvitePerson.Draft(connection: try #require(ConnectionID("open")), name: "Bo", username: "")
    let invite = InvitePerson(gatehouse.here)
    let failure = await #expect(throws: InvitePerson.Needless.self) { try await invite(draft, by: nil, .commandLine) }
    #expect(failure?.description.hasSuffix("Send people to http://localhost:8080/signin/open") == true)
    #expect(try await gatehouse.count("invitation") == 0)
  }

  @Test("two people who use one link at once: one gets an account")
  func race() async throws {
    let link = try await invite()
    let other = TestBrowser(gatehouse)
    let first = try await browser.way(back: try await browser.submit([:], on: link), portal)
    let second = try await other.way(back: try await other.submit([:], on: link), portal, as: "ben")
    #expect(await browser.get(first).location == "/account")
    let refused = await other.get(second)
    #expect(refused.status == .forbidden)
    #expect(refused.text.contains("is over, or is for another user name"))
    #expect(try await gatehouse.count("account") == 1)
  }

  @Test("somebody named by their user name needs no link; nobody else can use theirs")
  func named() async throws {
    let link = try await invite(user: "ana")
    #expect(await browser.get(link).text.contains("as <b><bdi>ana</bdi></b>"))
    let stranger = TestBrowser(gatehouse)
    let refused = try await accept(link, stranger, as: "ben")
    #expect(refused.status == .forbidden)
    #expect(try await gatehouse.here.openInvitations().count == 1)
    let retry = "/signin/demo?prompt=login"
    #expect(refused.text.contains("href=\"\(retry)\">Sign in as somebody else</a>"))
    let trip = await stranger.get(retry)
    #expect(trip.location?.contains("force_login=true") == true, "the portal asks again who it is")
    let back = try await stranger.travel(trip, portal)
    #expect(back.location == "/account")
    #expect(try await gatehouse.here.openInvitations().isEmpty)
  }

  @Test("an invitation ends after a week, and is then forgotten")
  func expires() async throws {
    let link = try await invite(user: "ana")
    let trip = try await browser.submit([:], on: link)
    gatehouse.time.advance(by: Invitation.lifetime)
    #expect(await browser.get(link).status == .notFound)
    #expect(try await browser.travel(await browser.get("/signin/demo"), portal).status == .forbidden)
    #expect(trip.status == .seeOther)
    try await SweepExpired(gatehouse.here)()
    #expect(try await gatehouse.count("invitation") == 0)
  }

  @Test("an administrator invites on the connection's page, sees the link once, and can withdraw it")
  func dashboard() async throws {
    let root = TestBrowser(gatehouse, try await gatehouse.administrator())
    let posted = try await root.submit(
      ["invitee_name": " Bo Ek ", "invitee_username": ""], on: "/admin/connections/demo",
      to: "/admin/connections/demo/invite")
    let shown = await root.follow(posted)
    let mark = try #require(shown.text.firstRange(of: "<code id=\"link\">http://localhost:8080"))
    let link = String(shown.text[mark.upperBound...].prefix { $0 != "<" })
    #expect(await browser.get(link).status == .ok)
    #expect(await root.follow(posted).text.contains("cannot be shown again"))
    #expect(try await gatehouse.here.openInvitations().count == 1)
    let page = await root.get("/admin/connections/demo")
    #expect(page.text.contains("<bdi>Bo Ek</bdi>"))
    let id = try #require(try await gatehouse.here.openInvitations().first?.id)
    let withdrawn = try await root.submit(
      [:], on: "/admin/connections/demo", to: "/admin/connections/demo/invitations/\(id)/withdraw")
    #expect(await root.follow(withdrawn).text.contains("The invitation of <bdi>Bo Ek</bdi> was withdrawn"))
    #expect(await browser.get(link).status == .notFound)
    #expect(try await gatehouse.auditNames().contains(.invitationWithdrawn))
  }

  @Test("a name that hides characters is refused at its field", arguments: ["Bo\u{202E}", "a\u{0007}"])
  func mistakes(name: String) async throws {
    let root = TestBrowser(gatehouse, try await gatehouse.administrator())
    let answer = try await root.submit(
      ["invitee_name": name], on: "/admin/connections/demo", to: "/admin/connections/demo/invite")
    #expect(answer.status == 422)
    #expect(answer.text.contains("id=\"invitee_name-error\""))
    #expect(try await gatehouse.count("invitation") == 0)
  }

  @Test("the page of a link is no way around a foreign form, nor to a connection that is switched off")
  func safety() async throws {
    let link = try await invite()
    let ticket = String(link.drop { $0 != "=" }.dropFirst())
    _ = await browser.get(link)
    #expect(await browser.post("/invitation", ["ticket": ticket, "csrf": "x"]).status == .forbidden)
    let (id, now) = (connection.id, gatehouse.time.now)
    try await gatehouse.store.write { try $0.setConnection(id, disabled: true, at: now) }
    #expect(await browser.get(link).text.contains("has switched Demo off"))
  }
}
