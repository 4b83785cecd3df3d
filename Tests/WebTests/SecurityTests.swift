import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("What protects an account")
struct SecurityTests {
  private let gatehouse: TestInstallation
  private let account: Account
  private let browser: TestBrowser
  private static let other = "nine violet umbrellas dancing"

  init() async throws {
    gatehouse = try await TestInstallation()
    _ = try await gatehouse.local("root", role: .administrator)
    account = try await gatehouse.local("ana")
    browser = TestBrowser(gatehouse)
    _ = try await signIn(browser)
  }

  private func signIn(
    _ browser: TestBrowser, _ password: String = TestInstallation.password, ticket: String = ""
  ) async throws -> Response {
    try await browser.submit(
      ["username": "ana", "password": password], on: ticket.isEmpty ? "/signin" : "/signin?ticket=\(ticket)")
  }

  private func change(
    from present: String = TestInstallation.password, to new: String = other, again: String? = nil,
    endOthers: Bool = false
  ) async throws -> Response {
    var fields: QueryItems = ["present_password": present, "password": new, "password_again": again ?? new]
    if endOthers { fields.append("end_others", "1") }
    return try await browser.submit(fields, on: "/account/security/password")
  }

  @Test("password managers find the page that changes the password")
  func wellKnown() async throws {
    #expect(await browser.get("/.well-known/change-password").location == "/account/security/password")
    #expect(
      await TestBrowser(gatehouse).get("/account/security/password").location == "/signin?ticket=security:password")
  }

  @Test("a new password takes the place of the old one, and the device stays known")
  func changes() async throws {
    let elsewhere = TestBrowser(gatehouse)
    _ = try await signIn(elsewhere)
    gatehouse.time.advance(by: 2)
    let page = await browser.follow(try await change())
    #expect(page.text.contains("Your password is changed."))
    #expect(await elsewhere.get("/account").status == .ok, "nobody asked to end it")
    #expect(try await signIn(TestBrowser(gatehouse)).status == 422)
    let known = TestBrowser(gatehouse, cookies: browser.cookies.filter { $0.key == "gh_d" })
    for _ in 0..<6 { _ = try await signIn(TestBrowser(gatehouse), "wrong") }
    #expect(try await signIn(known, Self.other).status == .seeOther)
    let events = try await gatehouse.audit().filter { $0.name == .passwordChanged }
    #expect(events.map(\.actor) == [.account(account.id)])
  }

  @Test("other browsers are signed out with it if the person wants that, this one with its administration is not")
  func endsOthers() async throws {
    let elsewhere = TestBrowser(gatehouse)
    _ = try await signIn(elsewhere)
    let page = await browser.follow(try await change(endOthers: true))
    #expect(page.text.contains("Your password is changed. The other browsers are signed out."))
    #expect(await elsewhere.get("/account").location == "/signin")
    #expect(await browser.get("/account").status == .ok)
  }

  @Test(
    "says what is wrong with a new password, and changes nothing",
    arguments: [
      ("short", "at least 15 characters"), (TestInstallation.password, "This is the present password."),
      ("Password1234567!", "Many people use a password like this one"), ("anaanaanaanaanaana", "same few"),
    ])
  func objections(password: String, words: String) async throws {
    let answer = try await change(to: password)
    #expect(answer.status == 422)
    #expect(answer.text.contains(words))
    #expect(answer.text.contains("<title>Error: "))
    #expect(try await signIn(TestBrowser(gatehouse)).status == .seeOther)
  }

  @Test("the present password is needed, and guessing it is slowed down")
  func present() async throws {
    #expect(try await change(again: "something else altogether").text.contains("The two passwords differ"))
    for _ in 0..<6 {
      let answer = try await change(from: "wrong")
      #expect(answer.status == 422)
      #expect(answer.text.contains("This is not your present password"))
    }
    let answer = try await change()
    #expect(answer.status == 429)
    #expect(answer.headers["retry-after"] == "2")
    gatehouse.time.advance(by: 2)
    #expect(try await change().status == .seeOther)
    #expect(try await gatehouse.audit().contains { $0.name == .passwordChangeFailed && $0.outcome == .failure })
  }

  @Test("whoever has no password here is told so")
  func noPassword() async throws {
    let person = TestBrowser(gatehouse, try await gatehouse.person("Bo"))
    #expect(await person.get("/account/security/password").location == "/account/security")
    #expect(await person.get("/account/security").text.contains("You have none here"))
  }

  @Test("lists the browsers that are signed in, and ends the one that is chosen")
  func sessions() async throws {
    let phone = TestBrowser(gatehouse)
    phone.headers = ["user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"]
    _ = try await signIn(phone)
    let third = TestBrowser(gatehouse)
    _ = try await signIn(third)
    let page = await browser.get("/account/security")
    #expect(page.text.contains("Safari on iPhone"))
    #expect(page.text.contains("<bdi>127.0.0.1</bdi>"))
    #expect(page.text.split(separator: "This browser").count == 2)
    let sessions = try await gatehouse.store.read { [account] in try $0.sessions(of: account.id) }
    let one = try #require(sessions.first { $0.userAgent.contains("iPhone") })
    let answer = await browser.submit([:], after: page, to: "/account/security/sessions/\(one.publicID)/end")
    #expect(await browser.follow(answer).text.contains("That browser is signed out."))
    #expect(await phone.get("/account").location == "/signin")
    #expect(await third.get("/account").status == .ok)
    _ = await browser.submit([:], after: page, to: "/account/security/sessions/end")
    #expect(await third.get("/account").location == "/signin")
    #expect(await browser.get("/account").status == .ok)
  }

  @Test("nobody ends a session of somebody else")
  func foreignSession() async throws {
    let other = try await gatehouse.person("Bo")
    let page = await browser.get("/account/security")
    let answer = await browser.submit([:], after: page, to: "/account/security/sessions/\(other.session.publicID)/end")
    #expect(await browser.follow(answer).text.contains("No other browser was signed in."))
    #expect(await TestBrowser(gatehouse, other).get("/account").status == .ok)
  }

  @Test("what protects the account is changed within five minutes of a sign-in, and asks for another one later")
  func freshness() async throws {
    let elsewhere = TestBrowser(gatehouse)
    _ = try await signIn(elsewhere)
    let page = await browser.get("/account/security")
    gatehouse.time.advance(by: 5 * 60)
    let answer = await browser.submit([:], after: page, to: "/account/security/sessions/end")
    #expect(answer.location == "/signin?ticket=security")
    #expect(await elsewhere.get("/account").status == .ok)
    let again = await browser.get("/signin?ticket=security")
    #expect(again.text.contains("Sign in once more"))
    #expect(again.text.contains("value=\"ana\""), "nobody types the name again")
    #expect(try await signIn(browser, ticket: "security").location == "/account/security")
    _ = try await browser.submit([:], on: "/account/security", to: "/account/security/sessions/end")
    #expect(await elsewhere.get("/account").location == "/signin")
  }

  @Test("whoever came by an upstream does not change what protects an account with a password of its own")
  func foreignProof() async throws {
    let person = TestBrowser(gatehouse, try await gatehouse.session(of: account))
    let page = await person.get("/account/security")
    let answer = await person.submit([:], after: page, to: "/account/security/sessions/end")
    #expect(answer.location == "/signin?ticket=security")
  }

  @Test("a link shows no words that are not ours")
  func forgedNotice() async throws {
    #expect(!(await browser.get("/account/security?done=SGFja2Vk.x.y")).text.contains("Hacked"))
    let other = try await gatehouse.person("Bo")
    let link = gatehouse.here.signed("Hacked", for: "security \(other.account.id)")
    #expect(!(await browser.get("/account/security?done=\(link)")).text.contains("Hacked"))
  }

  @Test("forms from elsewhere change nothing", arguments: ["password", "sessions/end"])
  func foreignForms(path: String) async throws {
    #expect(await browser.post("/account/security/\(path)", [:]).status == .forbidden)
  }
}
