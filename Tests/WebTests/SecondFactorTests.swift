import Crypto
import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The second step of a sign-in")
struct SecondFactorTests {
  private let gatehouse: TestInstallation
  private let account: Account
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    _ = try await gatehouse.local("root", role: .administrator)
    account = try await gatehouse.local("ana", role: .administrator)
    browser = TestBrowser(gatehouse)
    _ = try await signIn(browser)
  }

  @discardableResult
  private func signIn(_ browser: TestBrowser, ticket: String = "") async throws -> Response {
    try await browser.submit(
      ["username": "ana", "password": TestInstallation.password],
      on: ticket.isEmpty ? "/signin" : "/signin?ticket=\(ticket)")
  }

  /// The code that an app with `secret` shows now, or some steps away.
  private func code(_ secret: [UInt8], steps: Int64 = 0) -> String {
    TimeBasedCode.code(secret, step: TimeBasedCode.step(at: gatehouse.time.now.seconds) + steps)
  }

  private static func decode(_ text: String) -> [UInt8] {
    var (bytes, buffer, bits): ([UInt8], Int, Int) = ([], 0, 0)
    for letter in text.utf8 where letter != UInt8(ascii: " ") {
      buffer = (buffer << 5 | Int(letter >= 0x41 ? letter - 0x41 : letter - 0x32 + 26)) & 0xFFFF
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return bytes
  }

  /// Sets an app up as the pages say; gives its secret and the recovery codes.
  private func setUp() async throws -> (secret: [UInt8], codes: [String]) {
    let begun = try await browser.submit([:], on: "/account/security", to: "/account/security/authenticator/new")
    let page = await browser.follow(begun)
    #expect(page.text.contains("<svg class=\"qr\""))
    let typed = try #require(page.text.split(separator: "<code class=\"key\">").last?.split(separator: "<").first)
    let secret = Self.decode(String(typed))
    #expect(secret.count == 20)
    let wrong = await browser.submit(["code": "000000"], after: page, to: "/account/security/authenticator")
    #expect(wrong.status == 422 && wrong.text.contains("This is not the code of now."))
    let right = await browser.submit(["code": code(secret)], after: page, to: "/account/security/authenticator")
    let codes = await browser.follow(right).text.split(separator: "<li><code>").dropFirst().map {
      String($0.prefix { $0 != "<" })
    }
    try #require(codes.count == 10)
    if let location = right.location { #expect(!(await browser.get(location)).text.contains(codes[0])) }
    gatehouse.time.advance(by: 60)
    return (secret, codes)
  }

  @Test("a code of the app is asked for after the password, and signs in once")
  func signsIn() async throws {
    let (secret, _) = try await setUp()
    let other = TestBrowser(gatehouse)
    let asked = try await signIn(other, ticket: "device")
    #expect(asked.location == "/second-factor?ticket=device")
    #expect(other.cookies["gh_s"] == nil && other.cookies["gh_d"] == nil)
    #expect(await other.get("/account").location == "/signin")
    let now = code(secret)
    let typed = "\(now.prefix(3)) \(now.suffix(3))"
    let answer = try await other.submit(["code": typed], on: "/second-factor?ticket=device")
    #expect(answer.location == "/device")
    #expect(other.cookies["gh_f"] == nil && other.cookies["gh_d"] != nil)
    #expect(await other.get("/account").status == .ok)
    let sessions = try await gatehouse.store.read { [account] in try $0.sessions(of: account.id) }
    #expect(sessions.contains { $0.methods.names == ["pwd", "otp", "mfa"] })

    let replay = TestBrowser(gatehouse)
    try await signIn(replay)
    #expect(try await replay.submit(["code": now], on: "/second-factor").status == 422, "each code counts once")
    #expect(try await replay.submit(["code": code(secret, steps: -1)], on: "/second-factor").status == 422)
    #expect(try await replay.submit(["code": code(secret, steps: 1)], on: "/second-factor").status == .seeOther)
    let names = try await gatehouse.audit().map(\.name)
    #expect(names.contains(.factorAdded) && names.contains(.secondFactorFailed))
  }

  @Test("two browsers cannot use the same code")
  func race() async throws {
    let (secret, _) = try await setUp()
    let browsers = [TestBrowser(gatehouse), TestBrowser(gatehouse), TestBrowser(gatehouse)]
    var signedIn = 0
    for one in browsers { try await signIn(one) }
    for one in browsers where try await one.submit(["code": code(secret)], on: "/second-factor").status == .seeOther {
      signedIn += 1
    }
    #expect(signedIn == 1)
  }

  @Test("the administration asks for it, too, and an administrator's step leads nowhere else")
  func administration() async throws {
    let (secret, _) = try await setUp()
    let other = TestBrowser(gatehouse)
    #expect(try await signIn(other, ticket: "admin").location == "/second-factor?ticket=admin")
    let page = await other.get("/second-factor")
    let answer = await other.submit(["code": code(secret)], after: page, to: "/second-factor")
    #expect(answer.location == "/admin")
    #expect(other.cookies["gh_s"] == nil)
    #expect(await other.get("/admin").status == .ok)
    let late = TestBrowser(gatehouse)
    let asked = try #require(await late.get("/admin/clients?after=x").location)
    #expect(asked == "/signin?ticket=admin:%2Fadmin%2Fclients%3Fafter%3Dx")
    gatehouse.time.advance(by: 60)
    let second = try #require(try await signIn(late, ticket: "admin:/admin/clients?after=x").location)
    let proof = try await late.submit(["code": code(secret)], on: second, to: "/second-factor")
    #expect(proof.location == "/admin/clients?after=x")
  }

  @Test("a recovery code signs in once, however it is typed")
  func recovery() async throws {
    let (_, codes) = try await setUp()
    let typed = codes[3].lowercased().replacing("-", with: " ")
    let other = TestBrowser(gatehouse)
    try await signIn(other)
    #expect(try await other.submit(["recovery_code": typed], on: "/second-factor").location == "/account")
    let again = TestBrowser(gatehouse)
    try await signIn(again)
    #expect(try await again.submit(["recovery_code": codes[3]], on: "/second-factor").status == 422)
    #expect(await other.get("/account/security").text.contains("9 of 10 left"))

    let made = try await other.submit([:], on: "/account/security", to: "/account/security/recovery-codes")
    #expect(await other.follow(made).text.split(separator: "<li><code>").count == 11)
    #expect(try await again.submit(["recovery_code": codes[4]], on: "/second-factor").status == 422, "those are void")
  }

  @Test("guessing is slowed down, which does not lock the owner out")
  func throttle() async throws {
    let (secret, codes) = try await setUp()
    let owner = TestBrowser(gatehouse)
    try await signIn(owner)
    _ = try await owner.submit(["code": code(secret)], on: "/second-factor")
    let stranger = TestBrowser(gatehouse)
    try await signIn(stranger)
    for _ in 0..<6 { #expect(try await stranger.submit(["code": "123"], on: "/second-factor").status == 422) }
    let slowed = try await stranger.submit(["code": code(secret, steps: 1)], on: "/second-factor")
    #expect(slowed.status == 429 && slowed.headers["retry-after"] == "2")
    let known = TestBrowser(gatehouse, cookies: owner.cookies.filter { $0.key == "gh_d" })
    try await signIn(known)
    #expect(try await known.submit(["code": code(secret, steps: 1)], on: "/second-factor").status == .seeOther)

    gatehouse.time.advance(by: 60)
    for network in 0..<14 {
      stranger.address = "192.0.2.\(network)"
      #expect(try await stranger.submit(["code": "123"], on: "/second-factor").status == 422)
    }
    stranger.address = "198.51.100.7"
    let all = try await stranger.submit(["code": code(secret)], on: "/second-factor")
    #expect(all.status == 429, "codes that somebody may hit on are counted over all networks")
    #expect(try await stranger.submit(["recovery_code": codes[0]], on: "/second-factor").status == .seeOther)
  }

  @Test("the step belongs to one browser, ends after ten minutes and with the password")
  func pending() async throws {
    _ = try await setUp()
    let one = TestBrowser(gatehouse)
    try await signIn(one)
    let stolen = TestBrowser(gatehouse, cookies: one.cookies.filter { $0.key == "gh_f" })
    #expect(await stolen.get("/second-factor").location == "/signin")
    #expect(await one.get("/second-factor").status == .ok)
    gatehouse.time.advance(by: 10 * 60)
    #expect(await one.get("/second-factor").location == "/signin")
    try await signIn(one)
    let page = await one.get("/second-factor")
    let (now, hash) = (gatehouse.time.now + 1, try Argon2id().hash(Array("another long password".utf8)))
    try await gatehouse.store.write { [account] in try $0.setPasswordHash(hash, of: account.id, at: now) }
    #expect(await one.submit(["code": "1"], after: page, to: "/second-factor").location == "/signin")
    #expect(await TestBrowser(gatehouse).get("/second-factor").location == "/signin")
  }

  @Test("turning it off takes a fresh sign-in, and voids the recovery codes")
  func turnOff() async throws {
    let (secret, _) = try await setUp()
    gatehouse.time.advance(by: 5 * 60)
    let page = await browser.get("/account/security")
    let off = "/account/security/authenticator/off"
    #expect(await browser.submit([:], after: page, to: off).location == "/signin?ticket=security")
    try await signIn(browser, ticket: "security")
    let answer = try await browser.submit(["code": code(secret)], on: "/second-factor?ticket=security")
    #expect(answer.location == "/account/security")
    let done = try await browser.submit([:], on: "/account/security", to: off)
    #expect(await browser.follow(done).text.contains("asked for no more"))
    #expect(try await signIn(TestBrowser(gatehouse)).location == "/account")
    #expect(try await gatehouse.count("recovery_code") == 0)
    #expect(try await gatehouse.count("authenticator") == 0)
  }

  @Test("nothing that is secret stands in the database as it is")
  func sealed() async throws {
    let (_, codes) = try await setUp()
    #expect(try await gatehouse.count("recovery_code") == 10)
    let mac = TokenHash(of: codes[0].replacing("-", with: ""))
    let isTaken = try await gatehouse.store.write { [account] in try $0.consumeRecoveryCode(mac, of: account.id) }
    #expect(!isTaken, "a plain hash of the code does not count")
  }

  @Test("a secret that nobody confirmed asks for nothing, and is forgotten")
  func unconfirmed() async throws {
    _ = try await browser.submit([:], on: "/account/security", to: "/account/security/authenticator/new")
    #expect(try await signIn(TestBrowser(gatehouse)).location == "/account")
    gatehouse.time.advance(by: AuthenticatorSecret.confirmationTime)
    try await SweepExpired(gatehouse.here)()
    #expect(try await gatehouse.count("authenticator") == 0)
  }

  @Test("an administrator removes it for somebody who has lost everything, which the audit tells")
  func removed() async throws {
    _ = try await setUp()
    let root = try await gatehouse.administrator("Chief")
    let admin = TestBrowser(gatehouse, root)
    let path = "/admin/accounts/\(account.id)/factors"
    #expect(await admin.get(path).text.contains("10 left"))
    let answer = try await admin.submit([:], on: path)
    #expect(await admin.follow(answer).text.contains("The password alone signs in"))
    #expect(try await signIn(TestBrowser(gatehouse)).location == "/account")
    #expect(await admin.get("/admin/accounts/\(root.account.id)/factors").status == .badRequest, "not their own")
    let event = try #require(try await gatehouse.audit().first { $0.name == .factorRemoved })
    #expect(event.actor == .account(root.account.id) && event.account == account.id)
    let again = await admin.submit([:], after: await admin.get("/admin/accounts"), to: path)
    #expect(again.status == .badRequest, "there is nothing left")
  }
}
