import Domain
import Flows
import HTTP
import Testing

@testable import Web

@Suite("Setting up")
struct PortalSetUpTests {
  private let gatehouse: TestInstallation
  private let browser: TestBrowser
  private static let fields: QueryItems = [
    "username": "Root", "display_name": "Rut Ek", "password": "four unrelated words here",
    "password_again": "four unrelated words here",
  ]

  init() async throws {
    gatehouse = try await TestInstallation()
    browser = TestBrowser(gatehouse)
  }

  @Test("is what every way in leads to while nobody administers the installation")
  func pending() async throws {
    let home = await browser.get("/")
    #expect(home.status == .ok)
    #expect(home.text.contains("has no administrator yet"))
    #expect(await browser.get("/signin").location == "/")
  }

  @Test("makes the administrator once, signs them in, and shows the administration next")
  func once() async throws {
    let link = try await SetUp(gatehouse.here).makeLink().revealedText
    let answer = try await browser.submit(Self.fields, on: "/setup?ticket=\(link)")
    #expect(answer.status == .seeOther)
    #expect(answer.location == "/admin")
    let token = try #require(browser.cookies["gh_a"])
    let signedIn = try await gatehouse.here.session(token, kind: .administrator, at: gatehouse.time.now)
    #expect(signedIn?.account.name == "Rut Ek")
    #expect(signedIn?.account.username == "root")
    #expect(await TestBrowser(gatehouse).get("/setup?ticket=\(link)").location == "/")
    #expect(try await gatehouse.count("account") == 1)
  }

  @Test("a form sent twice makes one administrator")
  func twice() async throws {
    let link = try await SetUp(gatehouse.here).makeLink().revealedText
    let page = await browser.get("/setup?ticket=\(link)")
    let other = TestBrowser(gatehouse, cookies: browser.cookies)
    #expect(await browser.submit(Self.fields, after: page, to: "/setup").status == .seeOther)
    let fields: QueryItems = [
      "username": "second", "display_name": "", "password": "four unrelated words here",
      "password_again": "four unrelated words here",
    ]
    #expect(await other.submit(fields, after: page, to: "/setup").status == .notFound)
    #expect(try await gatehouse.count("account") == 1)
  }

  @Test("says what is wrong at each field, and keeps the link and what was typed but no password")
  func fields() async throws {
    let link = try await SetUp(gatehouse.here).makeLink().revealedText
    let answer = try await browser.submit(
      ["username": "a b", "display_name": "Rut \"<Ek>", "password": "short-secret", "password_again": "other"],
      on: "/setup?ticket=\(link)")
    #expect(answer.status == 422)
    for text in [
      "letters, digits", "at least 15 characters", "The two passwords differ", "value=\"a b\"", "Rut &quot;&lt;Ek&gt;",
    ] {
      #expect(answer.text.contains(text), "\(text)")
    }
    #expect(!answer.text.contains("short-secret"))
    #expect(await browser.submit(Self.fields, after: answer, to: "/setup").status == .seeOther)
  }

  @Test("a user name that is taken is an error of the field, and does not use up the link")
  func takenName() async throws {
    _ = try await gatehouse.local("root")
    let link = try await SetUp(gatehouse.here).makeLink().revealedText
    let answer = try await browser.submit(Self.fields, on: "/setup?ticket=\(link)")
    #expect(answer.status == 422)
    #expect(answer.text.contains("exists already"))
    #expect(try await SetUp(gatehouse.here).isOpen(link))
  }

  @Test("refuses any other link", arguments: ["", "?ticket=", "?ticket=wrong", "?ticket=a&ticket=b"])
  func otherLinks(query: String) async throws {
    _ = try await SetUp(gatehouse.here).makeLink()
    #expect([400, 404].contains(await browser.get("/setup\(query)").status))
  }

  @Test("refuses a link that is older than 30 minutes, also for a form opened before")
  func expired() async throws {
    let link = try await SetUp(gatehouse.here).makeLink().revealedText
    let page = await browser.get("/setup?ticket=\(link)")
    gatehouse.time.advance(by: SetupLink.lifetime)
    #expect(await browser.get("/setup?ticket=\(link)").status == .notFound)
    #expect(await browser.submit(Self.fields, after: page, to: "/setup").status == .notFound)
    #expect(try await gatehouse.count("account") == 0)
  }

  @Test("a link is worthless once the command line has made the administrator, who is signed in nowhere")
  func commandLine() async throws {
    let link = try await SetUp(gatehouse.here).makeLink().revealedText
    let page = await browser.get("/setup?ticket=\(link)")
    let draft = SetUp.Draft(username: "boss", name: "Bo", password: Secret("four unrelated words here"))
    _ = try await SetUp(gatehouse.here).createAdministrator(draft, another: false, TestInstallation.visitor)
    #expect(try await gatehouse.count("session") == 0)
    #expect(await browser.submit(Self.fields, after: page, to: "/setup").status == .notFound)
    #expect(try await gatehouse.count("account") == 1)
  }
}
