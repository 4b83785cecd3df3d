import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("Setting a password by a link")
struct PasswordLinkTests {
  private let gatehouse: TestInstallation
  private let administrator: TestBrowser
  private static let password = "nine violet umbrellas dancing"

  init() async throws {
    gatehouse = try await TestInstallation()
    administrator = TestBrowser(gatehouse, try await gatehouse.administrator())
  }

  /// What the page shows whose address a form of the administration leads to.
  private func link(_ answer: Response) async throws -> String {
    #expect(answer.status == .seeOther)
    let page = await administrator.follow(answer)
    let shown = try #require(page.text.firstMatch(of: #/<code id="link">http://localhost:8080([^<]*)</code>/#)).1
    return String(shown).replacing("&amp;", with: "&")
  }

  private func newAccount(_ name: String = "bea") async throws -> String {
    try await link(
      try await administrator.submit(["username": name, "display_name": "Bea"], on: "/admin/accounts"))
  }

  private func signIn(_ name: String, _ password: String) async throws -> Response {
    try await TestBrowser(gatehouse).submit(["username": name, "password": password], on: "/signin")
  }

  private func set(_ link: String, _ password: String = password, again: String? = nil) async throws -> Response {
    try await TestBrowser(gatehouse).submit(["password": password, "password_again": again ?? password], on: link)
  }

  @Test("makes the first password of a new account, once")
  func first() async throws {
    let link = try await newAccount()
    #expect(try await signIn("bea", "").status.code == 422)
    #expect(await TestBrowser(gatehouse).get(link).text.contains("<bdi>bea</bdi>"))
    #expect(try await set(link).location == "/signin")
    #expect(try await signIn("bea", Self.password).location == "/account")
    #expect(await TestBrowser(gatehouse).get(link).status == .notFound)
    let events = try await gatehouse.audit().filter { $0.name == .passwordChanged }
    #expect(events.count == 1 && events[0].detail == "link")
  }

  @Test("gives a forgotten password anew, signs every browser out, and leaves the second step")
  func forgotten() async throws {
    let account = try await gatehouse.local("ana")
    let elsewhere = TestBrowser(gatehouse)
    _ = try await elsewhere.submit(["username": "ana", "password": TestInstallation.password], on: "/signin")
    let page = await administrator.get("/admin/accounts")
    let link = try await link(
      await administrator.submit([:], after: page, to: "/admin/accounts/\(account.id)/password"))
    #expect(await elsewhere.get("/account").status == .ok, "the link alone changes nothing")
    #expect(try await signIn("ana", TestInstallation.password).status == .seeOther)
    #expect(try await set(link).location == "/signin")
    #expect(await elsewhere.get("/account").location == "/signin")
    #expect(try await signIn("ana", TestInstallation.password).status.code == 422)
    #expect(try await signIn("ana", Self.password).status == .seeOther)
    let made = try await gatehouse.audit().filter { $0.name == .passwordLinkMade }
    #expect(made.map(\.account) == [account.id])
  }

  @Test("says what is wrong with a password, and stays good", arguments: ["short", "password password password"])
  func objections(password: String) async throws {
    let link = try await newAccount()
    #expect(try await set(link, password).status.code == 422)
    #expect(try await set(link, Self.password, again: "another long password here").status.code == 422)
    #expect(try await set(link).status == .seeOther)
  }

  @Test("counts no longer after a day, once there is another one, and while the account is disabled")
  func ends() async throws {
    let first = try await newAccount()
    let account = try #require(try await gatehouse.store.read { try $0.account(username: "bea") })
    let page = await administrator.get("/admin/accounts")
    let second = try await link(
      await administrator.submit([:], after: page, to: "/admin/accounts/\(account.id)/password"))
    #expect(await TestBrowser(gatehouse).get(first).status == .notFound)
    let now = gatehouse.time.now
    try await gatehouse.store.write { try $0.setAccount(account.id, disabled: true, at: now) }
    #expect(await TestBrowser(gatehouse).get(second).status == .notFound)
    try await gatehouse.store.write { try $0.setAccount(account.id, disabled: false, at: now) }
    #expect(await TestBrowser(gatehouse).get(second).status == .notFound, "who was locked out needs a new one")
    let third = try await link(
      await administrator.submit([:], after: page, to: "/admin/accounts/\(account.id)/password"))
    #expect(await TestBrowser(gatehouse).get(third).status == .ok)
    gatehouse.time.advance(by: PasswordLink.lifetime)
    #expect(await TestBrowser(gatehouse).get(third).status == .notFound)
    try await SweepExpired(gatehouse.here)()
    #expect(try await gatehouse.count("password_link") == 0)
  }

  @Test("stands beside a mailed one, and ends with the other and a waiting address when the password is set")
  func besideMailed() async throws {
    let link = try await newAccount()
    let (mailed, now) = (NewToken(), gatehouse.time.now)
    let account = try #require(try await gatehouse.store.read { try $0.account(username: "bea") })
    let address = try #require(EmailAddress("thief@mail.example"))
    try await gatehouse.store.write { tx in
      try tx.insertPasswordLink(mailed.hash, of: account.id, isMailed: true, expiresAt: now + 3600)
      try tx.put(EmailChange(account: account.id, address: address), expiresAt: now + 3600)
    }
    #expect(await TestBrowser(gatehouse).get(link).status == .ok)
    #expect(try await set("/password?ticket=\(mailed.secret.revealedText)").status == .seeOther)
    #expect(await TestBrowser(gatehouse).get(link).status == .notFound)
    #expect(try await gatehouse.count("email_change") == 0)
  }

  @Test("is not made by administrators for themselves, who know their password or have lost it")
  func ownAccount() async throws {
    let root = try await gatehouse.administrator("Two")
    let browser = TestBrowser(gatehouse, root)
    let answer = await browser.submit(
      [:], after: await browser.get("/admin/accounts"), to: "/admin/accounts/\(root.account.id)/password")
    #expect(answer.status == .badRequest && answer.text.contains("your own account"))
    #expect(try await gatehouse.count("password_link") == 0)
  }

  @Test("is not made for a name that is taken or none, nor for who signs in through a service")
  func refused() async throws {
    _ = try await gatehouse.local("ana")
    for name in ["ana", "ANA", "", "a b"] {
      let answer = try await administrator.submit(["username": name], on: "/admin/accounts")
      #expect(answer.status.code == 422, "\(name)")
    }
    let person = Account(
      id: AccountID(random: "b0"), name: "Bo", username: nil, role: .person, createdAt: gatehouse.time.now)
    try await gatehouse.store.write { try $0.insert(person) }
    let page = await administrator.get("/admin/accounts")
    let answer = await administrator.submit([:], after: page, to: "/admin/accounts/\(person.id)/password")
    #expect(answer.status == .badRequest)
    #expect(try await gatehouse.count("password_link") == 0)
  }

  @Test("is shown once, and the page then offers another one")
  func shownOnce() async throws {
    let answer = try await administrator.submit(["username": "bea"], on: "/admin/accounts")
    let page = try #require(answer.location)
    #expect(await administrator.get(page).text.contains("Copy the link now"))
    #expect(await administrator.get(page).text.contains("voids the one before"))
  }

  @Test("two browsers with one link set one password")
  func race() async throws {
    let link = try await newAccount()
    let pages = [TestBrowser(gatehouse), TestBrowser(gatehouse)]
    var opened: [Response] = []
    for browser in pages { opened.append(await browser.get(link)) }
    var statuses: [Int] = []
    for (browser, page) in zip(pages, opened) {
      let fields: QueryItems = ["password": Self.password, "password_again": Self.password]
      statuses.append(Int(await browser.submit(fields, after: page, to: "/password").status.code))
    }
    #expect(statuses.sorted() == [303, 404])
  }
}
