import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The notices of a person")
struct NoticeTests {
  private let gatehouse: TestInstallation
  private let account: Account

  init() async throws {
    gatehouse = try await TestInstallation()
    account = try await gatehouse.local("ana")
    _ = try await gatehouse.administrator()
  }

  private func signIn(_ browser: TestBrowser, as name: String = "ana") async throws {
    let fields: QueryItems = ["username": name, "password": TestInstallation.password]
    #expect(try await browser.submit(fields, on: "/signin").location == "/account")
  }

  /// The same browser after its session has ended.
  private func signedOut(_ browser: TestBrowser) -> TestBrowser {
    let next = TestBrowser(gatehouse, cookies: browser.cookies.filter { $0.key != "gh_s" })
    (next.headers, next.address) = (browser.headers, browser.address)
    return next
  }

  private func notices() async throws -> [Notice] {
    let id = account.id
    return try await gatehouse.store.read { try $0.notices(of: id, skipping: 0, limit: 99) }
  }

  @Test("tell of a sign-in in a new browser, but not of the first, nor of one that is known")
  func newBrowser() async throws {
    let first = TestBrowser(gatehouse)
    try await signIn(first)
    try await signIn(signedOut(first))
    #expect(try await notices().isEmpty)
    let second = TestBrowser(gatehouse)
    second.headers.set("user-agent", "Mozilla/5.0 (X11; Linux) Firefox/140.0")
    second.address = "192.0.2.9"
    try await signIn(second)
    try await signIn(signedOut(second))
    #expect(try await notices().map(\.kind) == [.newBrowser])
    let page = await first.get("/account").text
    #expect(page.contains("Firefox on Linux, from 192.0.2.9") && page.contains("not seen here before"))
  }

  @Test("tell one account nothing of another in the same browser, and store no value of its cookie")
  func sharedBrowser() async throws {
    let browser = TestBrowser(gatehouse)
    try await signIn(browser)
    _ = try await gatehouse.local("ben")
    let later = signedOut(browser)
    try await signIn(later, as: "ben")
    let mark = try #require(later.cookies["gh_k"])
    #expect(mark == browser.cookies["gh_k"])
    #expect(try await gatehouse.contents().allSatisfy { !$0.contains(mark) })
    #expect(try await gatehouse.count("known_browser") == 2)
    #expect(try await gatehouse.count("notice") == 0)
  }

  @Test("are read when the person says so, those that their page showed, and nobody else's")
  func markAsRead() async throws {
    let browser = TestBrowser(gatehouse)
    try await signIn(browser)
    try await signIn(TestBrowser(gatehouse))
    let id = try #require(try await notices().first?.id)
    let stranger = TestBrowser(gatehouse, try await gatehouse.person("Ben"))
    let theirs = await stranger.get("/account/notices")
    #expect(theirs.text.contains("There is nothing to tell."))
    let unfounded = await browser.post("/account/notices", ["notice": id.text])
    #expect(unfounded.status == .forbidden, "without the token of the page")
    let page = await browser.get("/account")
    #expect(page.text.contains(#"name="notice" value="\#(id)""#))
    let done = await browser.submit(["notice": id.text], after: page, to: "/account/notices")
    #expect(done.location == "/account")
    #expect(await !browser.get("/account").text.contains("What is new"))
    #expect(await browser.get("/account/notices").text.contains("not seen here before"), "it can be read again")
  }

  @Test("stand for 90 days, 30 on a page")
  func pages() async throws {
    let (id, now) = (account.id, gatehouse.time.now)
    try await gatehouse.store.write { tx in
      for number in 0..<31 {
        try tx.insert(
          Notice(id: NoticeID(random: "n\(number)"), account: id, kind: .passwordChanged, facts: .init(), at: now))
      }
    }
    let browser = TestBrowser(gatehouse, try await gatehouse.session(of: account))
    #expect(await browser.get("/account").text.contains("There are more notices"))
    #expect(await browser.get("/account/notices").text.contains("/account/notices?skip=30"))
    let second = await browser.get("/account/notices?skip=30").text
    #expect(second.contains("31 to 31") && second.contains("Your password was changed."))
    gatehouse.time.advance(by: Notice.daysKept * 24 * 60 * 60 + 1)
    try await SweepExpired(gatehouse.here)()
    #expect(try await notices().isEmpty)
  }
}
