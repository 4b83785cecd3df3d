import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

struct ConsentDecisionTests {
  private func step(
    _ gatehouse: TestInstallation, _ handle: String, _ person: TestPerson?
  ) async throws -> DecideConsent.Step {
    try await DecideConsent(gatehouse.here).step(handle, person?.signedIn, TestInstallation.visitor)
  }

  /// The handle of a request with a prompt.
  private func waiting(_ gatehouse: TestInstallation, _ client: TestClient, prompt: String?) async throws -> String {
    var fields = gatehouse.authorization(client)
    fields.append("prompt", prompt)
    let answer = await gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
    return try String(#require(answer.location).dropFirst("/consent?ticket=".count))
  }

  private func isQuestion(_ step: DecideConsent.Step) -> Bool { if case .ask = step { true } else { false } }

  private func isSignIn(_ step: DecideConsent.Step) -> Bool { if case .signIn = step { true } else { false } }

  private func target(_ step: DecideConsent.Step) -> String? {
    if case .answer(let response) = step { response.url } else { nil }
  }

  @Test("A confidential app is let on by the consent given before, which is not written down again")
  func silent() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    _ = try await gatehouse.code(for: client, person)
    let again = try await step(gatehouse, try await waiting(gatehouse, client, prompt: nil), person)
    let url = try #require(target(again))
    #expect(
      url.hasPrefix("https://app.example/back?code=")
        && url.hasSuffix("&state=a%20state&iss=http%3A%2F%2Flocalhost%3A8080#_"))
    let names = try await gatehouse.auditNames()
    #expect(names.filter { $0 == .consentGiven }.count == 1 && names.filter { $0 == .codeIssued }.count == 2)
  }

  @Test("The redirect has the code and the issuer, state only if it was sent, and nothing else")
  func nothingElse() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    for (state, names) in [("s", ["code", "state", "iss"]), (nil, ["code", "iss"])] as [(String?, [String])] {
      let fields = gatehouse.authorization(client, state: state)
      let answer = await gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
      let handle = try String(#require(answer.location).dropFirst("/consent?ticket=".count))
      let url = try await DecideConsent(gatehouse.here).allow(
        handle, connections: [], person.signedIn, TestInstallation.visitor
      ).url
      let items = url.dropFirst(TestClient.redirectURI.count + 1).prefix { $0 != "#" }.split(separator: "&")
      #expect(items.map { String($0.prefix { $0 != "=" }) } == names)
      #expect(items[0].utf8.count == "code=".utf8.count + 43)
    }
  }

  @Test("A public app is asked about every time unless its redirect URI is https", arguments: [true, false])
  func publicApp(isHTTPS: Bool) async throws {
    let gatehouse = try await TestInstallation()
    let uri = isHTTPS ? TestClient.redirectURI : "http://127.0.0.1/cb"
    let client = try await gatehouse.client(.public, redirectURI: uri)
    let person = try await gatehouse.person()
    _ = try await gatehouse.code(for: client, person)
    let again = try await step(gatehouse, try await waiting(gatehouse, client, prompt: nil), person)
    #expect(isQuestion(again) != isHTTPS)
    let none = try await step(gatehouse, try await waiting(gatehouse, client, prompt: "none"), person)
    #expect(target(none)?.contains(isHTTPS ? "?code=" : "?error=consent_required&") == true)
  }

  @Test("With prompt none there is an answer at once and never a page")
  func none() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let stranger = try await step(gatehouse, try await waiting(gatehouse, client, prompt: "none"), nil)
    #expect(target(stranger)?.contains("?error=login_required&") == true)
    let unasked = try await step(gatehouse, try await waiting(gatehouse, client, prompt: "none"), person)
    #expect(target(unasked)?.contains("?error=consent_required&") == true)
  }

  @Test(
    "Who is asked to sign in again, or to decide again, is asked although everything was done before",
    arguments: ["login", "consent", "consent login", "select_account"])
  func again(prompt: String) async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    _ = try await gatehouse.code(for: client, person)
    gatehouse.time.advance(by: 10)
    let handle = try await waiting(gatehouse, client, prompt: prompt)
    let first = try await step(gatehouse, handle, person)
    guard prompt != "consent" else {
      #expect(isQuestion(first))
      return
    }
    #expect(isSignIn(first))
    let second = try await step(gatehouse, handle, try await gatehouse.session(of: person.account))
    #expect(prompt == "consent login" ? isQuestion(second) : target(second)?.contains("?code=") == true)
  }

  @Test("One request yields one code, however often it is allowed")
  func once() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let handle = try await waiting(gatehouse, client, prompt: nil)
    let decide = DecideConsent(gatehouse.here)
    _ = try await decide.allow(handle, connections: [], person.signedIn, TestInstallation.visitor)
    await #expect(throws: Refusal.self) {
      try await decide.allow(handle, connections: [], person.signedIn, TestInstallation.visitor)
    }
  }

  @Test("Somebody who signed out in another tab gives no code")
  func signedOut() async throws {
    let gatehouse = try await TestInstallation()
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let handle = try await waiting(gatehouse, client, prompt: nil)
    let account = person.account.id
    try await gatehouse.store.write { _ = try $0.deleteSessions(of: account) }
    await #expect(throws: Refusal.self) {
      try await DecideConsent(gatehouse.here).allow(handle, connections: [], person.signedIn, TestInstallation.visitor)
    }
    #expect(try await !gatehouse.auditNames().contains(.consentGiven))
  }

  @Test("Only connections that the client may use can be allowed; refusing leads back to the app")
  func choices() async throws {
    let gatehouse = try await TestInstallation()
    let portal = try TestPortal()
    let connection = try await gatehouse.connection(to: portal)
    let (client, person) = (try await gatehouse.client(), try await gatehouse.person())
    let decide = DecideConsent(gatehouse.here)
    let handle = try await waiting(gatehouse, client, prompt: nil)
    _ = try await decide.allow(handle, connections: [connection.id], person.signedIn, TestInstallation.visitor)
    let consent = try await gatehouse.store.read { try $0.consent(of: person.account.id, for: client.client.id) }
    #expect(consent?.connections == [])
    let second = try await waiting(gatehouse, client, prompt: "consent")
    let url = try await decide.deny(second, person.signedIn, TestInstallation.visitor).url
    #expect(url.contains("?error=access_denied&") && url.contains("&state=a%20state&"))
  }
}
