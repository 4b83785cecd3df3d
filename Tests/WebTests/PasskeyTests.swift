import Crypto
import Domain
import Flows
import HTTP
import Storage
import TestAuthenticator
import Testing

@testable import Web

@Suite("Signing in with a passkey")
struct PasskeyTests {
  private static let new = "/account/security/passkeys/new"
  private let gatehouse: TestInstallation
  private let account: Account
  private let browser: TestBrowser
  private var device: TestAuthenticator

  init() async throws {
    gatehouse = try await TestInstallation()
    _ = try await gatehouse.local("root", role: .administrator)
    account = try await gatehouse.local("ana")
    browser = TestBrowser(gatehouse)
    device = try TestAuthenticator(relyingParty: "localhost", origin: TestInstallation.external)
    try await signIn(browser)
  }

  @discardableResult
  private func signIn(_ browser: TestBrowser) async throws -> Response {
    try await browser.submit(["username": "ana", "password": TestInstallation.password], on: "/signin")
  }

  private static func data(_ name: String, in page: Response) throws -> String {
    let mark = try #require(page.text.firstRange(of: "data-\(name)=\""), "\(page.text)")
    return String(page.text[mark.upperBound...].prefix { $0 != "\"" })
  }

  /// What the script of the page sends after the device made a key.
  private func made(for page: Response, by device: TestAuthenticator) throws -> QueryItems {
    let client = device.clientData("webauthn.create", challenge: try Self.data("challenge", in: page))
    return [
      "name": "Phone", "client_data": Base64URL.encode(client), "attestation": Base64URL.encode(device.attestation),
    ]
  }

  private func add(_ device: TestAuthenticator) async throws -> Response {
    let page = await browser.get(Self.new)
    return await browser.submit(try made(for: page, by: device), after: page, to: Self.new)
  }

  /// What the script of the page sends after the device answered its challenge.
  private func answer(
    to page: Response, by device: TestAuthenticator, handle: String? = nil
  ) throws -> QueryItems {
    let client = device.clientData("webauthn.get", challenge: try Self.data("challenge", in: page))
    return [
      "credential": Base64URL.encode(device.credential),
      "user_handle": Base64URL.encode(Array((handle ?? account.id.text).utf8)),
      "client_data": Base64URL.encode(client), "authenticator_data": Base64URL.encode(device.answerData),
      "signature": Base64URL.encode(try device.signature(over: client)),
    ]
  }

  @Test("needs neither name nor password, and comes with recovery codes")
  func signsIn() async throws {
    let shown = await browser.follow(try await add(device))
    #expect(shown.text.split(separator: "<li><code>").count == 11)
    #expect(await browser.get("/account/security").text.contains("<bdi>Phone</bdi>"))
    var device = device
    device.counter = 2
    let other = TestBrowser(gatehouse)
    let page = await other.get("/signin?ticket=device")
    let answer = await other.submit(try answer(to: page, by: device), after: page, to: "/passkey")
    #expect(answer.location == "/device")
    #expect(await other.get("/account").status == .ok)
    let sessions = try await gatehouse.store.read { [account] in try $0.sessions(of: account.id) }
    #expect(sessions.contains { $0.methods.names == ["hwk", "user", "mfa"] })
    let page2 = await other.get("/signin?ticket=admin")
    let admin = await other.submit(try self.answer(to: page2, by: device), after: page2, to: "/passkey")
    #expect(admin.status == 422, "Ana administers nothing")
  }

  @Test("each challenge counts once, in its browser, for five minutes")
  func challenges() async throws {
    _ = try await add(device)
    var device = device
    device.counter = 2
    let other = TestBrowser(gatehouse)
    let page = await other.get("/signin")
    let first = try answer(to: page, by: device)
    let stranger = TestBrowser(gatehouse)
    let strange = await stranger.get("/signin")
    #expect(await stranger.submit(first, after: strange, to: "/passkey").status == 422)
    #expect(await other.submit(first, after: page, to: "/passkey").location == "/account")
    device.counter = 3
    let again = await other.get("/signin?ticket=security")
    _ = again
    let fresh = TestBrowser(gatehouse, cookies: other.cookies.filter { $0.key == "gh_b" })
    let freshPage = await fresh.get("/signin")
    let replayed = try answer(to: page, by: device)
    #expect(await fresh.submit(replayed, after: freshPage, to: "/passkey").status == 422, "the challenge was used")
    let late = try answer(to: freshPage, by: device)
    gatehouse.time.advance(by: Passkey.challengeLifetime)
    #expect(await fresh.submit(late, after: freshPage, to: "/passkey").status == 422)
    #expect(try await gatehouse.count("used_challenge") == 2, "one registration, one sign-in")
    try await SweepExpired(gatehouse.here)()
    #expect(try await gatehouse.count("used_challenge") == 0)
  }

  /// What is wrong with an answer.
  enum Lie: CaseIterable { case origin, relyingParty, notVerified, counter, owner, unknown, otherKey, nothing }

  @Test("is refused when anything about it is wrong", arguments: Lie.allCases)
  func lies(lie: Lie) async throws {
    _ = try await add(device)
    var device = device
    device.counter = 2
    var handle: String?
    switch lie {
    case .origin: device.origin = "http://localhost:9999"
    case .relyingParty: device.relyingParty = "evil.example"
    case .notVerified: device.flags = 0x01
    case .counter: device.counter = 1
    case .owner: handle = "acct_somebodyelse"
    case .unknown: device.credential = [9, 9, 9]
    case .otherKey: device = try TestAuthenticator(relyingParty: "localhost", origin: TestInstallation.external)
    case .nothing: break
    }
    let other = TestBrowser(gatehouse)
    let page = await other.get("/signin")
    let fields: QueryItems = lie == .nothing ? [:] : try answer(to: page, by: device, handle: handle)
    let refused = await other.submit(fields, after: page, to: "/passkey")
    #expect(refused.status == 422)
    #expect(refused.text.contains("The passkey was not accepted"))
    #expect(other.cookies["gh_s"] == nil)
  }

  @Test("is a second step, too, of its own account alone and also where nobody is verified")
  func secondStep() async throws {
    _ = try await add(device)
    var device = device
    (device.counter, device.flags) = (2, 0x01)
    let other = TestBrowser(gatehouse)
    #expect(try await signIn(other).location == "/second-factor")
    let page = await other.get("/second-factor")
    #expect(try Self.data("known", in: page) == Base64URL.encode(device.credential))
    #expect(!page.text.contains("name=\"code\""), "no app shows codes")
    let answer = await other.submit(try answer(to: page, by: device), after: page, to: "/second-factor")
    #expect(answer.location == "/account")
    let sessions = try await gatehouse.store.read { [account] in try $0.sessions(of: account.id) }
    #expect(sessions.contains { $0.methods.names == ["pwd", "hwk", "user", "mfa"] })
    let alone = TestBrowser(gatehouse)
    let signInPage = await alone.get("/signin")
    device.counter = 3
    let refused = await alone.submit(try self.answer(to: signInPage, by: device), after: signInPage, to: "/passkey")
    #expect(refused.status == 422, "alone it has to verify the person")
  }

  @Test("is not added twice, by a page of somebody else, or unverified")
  func registrations() async throws {
    let page = await browser.get(Self.new)
    let fields = try made(for: page, by: device)
    #expect(await browser.submit(fields, after: page, to: Self.new).status == .seeOther)
    let again = await browser.get(Self.new)
    #expect(try Self.data("known", in: again) == Base64URL.encode(device.credential))
    #expect(await browser.submit(fields, after: again, to: Self.new).status == 422, "the challenge was used")
    #expect(try await add(device).status == 422, "the key is there")
    var other = try TestAuthenticator(relyingParty: "localhost", origin: TestInstallation.external)
    (other.credential, other.flags) = ([1], 0x01)
    #expect(try await add(other).status == 422)
    #expect(
      await browser.submit(["name": "x"], after: again, to: Self.new).text.contains("Your browser sent no passkey"))
    let mallory = try await gatehouse.local("mallory")
    let theirs = TestBrowser(gatehouse)
    _ = try await theirs.submit(["username": "mallory", "password": TestInstallation.password], on: "/signin")
    other.flags = 0x05
    let foreign = try made(for: again, by: other)
    let own = await theirs.get(Self.new)
    #expect(await theirs.submit(foreign, after: own, to: Self.new).status == 422)
    let none = try await gatehouse.store.read { try $0.passkeys(of: mallory.id) }
    #expect(none.isEmpty)
  }

  @Test("signs in no more once it is removed; the last factor takes the recovery codes along")
  func removed() async throws {
    _ = try await add(device)
    let passkeys = try await gatehouse.store.read { [account] in try $0.passkeys(of: account.id) }
    let id = try #require(passkeys.first?.id)
    let path = "/account/security/passkeys/\(id)/remove"
    let page = await browser.get("/account/security")
    let gone = await browser.follow(await browser.submit([:], after: page, to: path))
    #expect(gone.text.contains("signs in no more"))
    #expect(await browser.submit([:], after: page, to: path).status == .notFound)
    #expect(try await gatehouse.count("recovery_code") == 0)
    var device = device
    device.counter = 2
    let other = TestBrowser(gatehouse)
    let signInPage = await other.get("/signin")
    let fields = try answer(to: signInPage, by: device)
    #expect(await other.submit(fields, after: signInPage, to: "/passkey").status == 422)
    #expect(try await signIn(other).location == "/account")
  }

  @Test("is not offered at an address that is no name, nor to whoever has no password here")
  func notOffered() async throws {
    let numbered = try await TestInstallation(external: "http://127.0.0.1:8080")
    _ = try await numbered.local("root", role: .administrator)
    let page = await numbered.send(.get, "/signin", headers: ["host": "127.0.0.1:8080"])
    #expect(page.status == .ok && !page.text.contains("data-passkey"))
    let person = TestBrowser(gatehouse, try await gatehouse.person("Bo"))
    #expect(await person.get(Self.new).location == "/account/security")
  }
}
