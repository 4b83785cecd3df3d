import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("What a person or an administrator ends")
struct EndedAtOnceTests {
  enum Ending: String, CaseIterable, Sendable {
    case nothing, consentWithdrawn, accountDisabled, clientDisabled, signedOut, revoked

    /// Whether `act` goes on: a code that waits is no part of a token that the app gives back.
    func leaves(_ act: Act) -> Bool { self == .nothing || self == .revoked && act == .redeem }
  }

  /// What an app can do with what it holds.
  enum Act: String, CaseIterable, Sendable {
    case vend, userinfo, introspect, introspectRefreshToken, refresh, redeem
  }

  @Test("has ended for every use at the next request, and nothing has where nothing ended", arguments: Ending.allCases)
  func here(_ ending: Ending) async throws {
    let stage = try await EndingStage(otherInstance: false)
    // What is known of it is kept in memory from here on.
    for act in [Act.vend, .introspect] { #expect(try await stage.works(act)) }
    try await stage.end(ending)
    for act in Act.allCases { #expect(try await stage.works(act) == ending.leaves(act), "\(act)") }
  }

  @Test("has ended within a second at another instance on the same database", arguments: Ending.allCases)
  func elsewhere(_ ending: Ending) async throws {
    let stage = try await EndingStage(otherInstance: true)
    let background = Task { await BackgroundWork(stage.asked.here).run() }
    defer { background.cancel() }
    for act in [Act.vend, .introspect] { #expect(try await stage.works(act)) }
    try await stage.end(ending)
    try await Task.sleep(for: .milliseconds(900))
    for act in Act.allCases { #expect(try await stage.works(act) == ending.leaves(act), "\(act)") }
  }

  @Test("by a sign-out leaves what the person allowed the app in their absence")
  func offline() async throws {
    let stage = try await EndingStage(otherInstance: false, scope: "vend openid offline_access")
    try await stage.end(.signedOut)
    for act in Act.allCases { #expect(try await stage.works(act) == (act != .redeem), "\(act)") }
  }
}

/// An app that holds everything it can get, at an installation with or without a second instance.
private struct EndingStage {
  let first: TestInstallation
  /// The one that the app asks.
  let asked: TestInstallation
  let client: TestClient
  let person: TestPerson
  let resource: String
  let access: String
  let refresh: String
  let code: String
  private let portal: TestPortal

  init(otherInstance: Bool, scope: String = "vend openid") async throws {
    first = try await TestInstallation()
    portal = try TestPortal()
    let connection = try await first.connection(to: portal)
    client = try await first.client(scope: "vend openid offline_access", connections: [connection.id])
    person = try await first.person()
    try await first.connect(person, to: connection, at: portal)
    resource = portal.origin + "/sharing/rest/portals/self"
    let redeemed = await first.post(
      "/oauth2/token", first.redemption(try await first.code(for: client, person, scope: scope)), basic: client.basic)
    access = try #require(try redeemed.json.string("access_token"))
    refresh = try #require(try redeemed.json.string("refresh_token"))
    code = try await first.code(for: client, person, scope: scope)
    asked = otherInstance ? try await TestInstallation(beside: first) : first
  }

  func end(_ ending: EndedAtOnceTests.Ending) async throws {
    let here = first.here
    switch ending {
    case .nothing: break
    case .consentWithdrawn:
      let path = "/account/apps/\(client.id)"
      #expect(try await TestBrowser(first, person).submit([:], on: path).status == .seeOther)
    case .accountDisabled:
      try await ChangeAccount(here)(person.account.id, disabled: true, by: nil, TestInstallation.visitor)
    case .clientDisabled: try await first.change(.disable, client)
    case .signedOut:
      try await EndBrowserSession(here)(person.signedIn, by: nil, TestInstallation.visitor)
    case .revoked:
      let answer = await first.post("/oauth2/revoke", ["token": refresh], basic: client.basic)
      #expect(answer.status == .ok && answer.text.isEmpty)
    }
  }

  /// Whether the app still gets somewhere.
  func works(_ act: EndedAtOnceTests.Act) async throws -> Bool {
    let authorization = try #require(FieldValue("Bearer \(access)"))
    let answer: Response
    switch act {
    case .vend:
      let query: QueryItems = ["resource": resource]
      answer = await asked.send(.get, query.appended(to: "/v1/token"), headers: ["authorization": authorization])
    case .userinfo: answer = await asked.send(.get, "/oauth2/userinfo", headers: ["authorization": authorization])
    case .introspect, .introspectRefreshToken:
      let token = act == .introspect ? access : refresh
      answer = await asked.post("/oauth2/introspect", ["token": token], basic: client.basic)
      return try answer.status == .ok && answer.json.bool("active") == true
    case .refresh:
      answer = await asked.post(
        "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": refresh], basic: client.basic)
    case .redeem: answer = await asked.post("/oauth2/token", asked.redemption(code), basic: client.basic)
    }
    return answer.status == .ok
  }
}
