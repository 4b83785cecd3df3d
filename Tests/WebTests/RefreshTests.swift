import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

struct RefreshTests {
  /// A person's app with tokens, at a Gatehouse of its own.
  private struct Stage {
    let gatehouse: TestInstallation
    let client: TestClient
    let person: TestPerson
    let access: String
    let refresh: String

    init() async throws {
      gatehouse = try await TestInstallation()
      client = try await gatehouse.client()
      person = try await gatehouse.person()
      (access, refresh) = try await gatehouse.tokens(for: client, person)
    }

    func ask(_ token: String? = nil, scope: String? = nil, as other: TestClient? = nil) async -> Response {
      await gatehouse.post(
        "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": token ?? refresh, "scope": scope],
        basic: (other ?? client).basic)
    }

    /// Refreshes with success and gives the successor.
    func successor(of token: String? = nil) async throws -> String {
      let answer = await ask(token)
      return try #require(try answer.json.string("refresh_token"), "\(answer.text)")
    }

    func isActive(_ token: String) async throws -> Bool? {
      try await gatehouse.introspect(token, client).bool("active")
    }
  }

  @Test("A refresh gives a new access token and a new refresh token that works on")
  func rotates() async throws {
    let stage = try await Stage()
    let second = try await stage.successor()
    #expect(second != stage.refresh && second.utf8.count == 65)
    stage.gatehouse.time.advance(by: 3600)
    #expect(try await stage.successor(of: second) != second)
  }

  @Test("Twenty refreshes at once all get the one successor, and nothing is revoked")
  func parallel() async throws {
    let stage = try await Stage()
    let answers = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<20 { group.addTask { await stage.ask() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let successors = try Set(answers.map { try $0.json.string("refresh_token") ?? $0.text })
    #expect(successors.count == 1)
    #expect(answers.allSatisfy { $0.status == .ok })
    let successor = try #require(successors.first)
    #expect(try await stage.successor(of: successor) != successor)
  }

  @Test("A lost answer is repeated within the window, three times at most")
  func replays() async throws {
    let stage = try await Stage()
    let successor = try await stage.successor()
    stage.gatehouse.time.advance(by: RefreshChain.parallelWindow)
    for _ in 0..<RefreshChain.maximumReplays { #expect(try await stage.successor() == successor) }
    #expect(try await stage.ask().error == "invalid_grant")
    #expect(try await stage.ask(successor).error == "invalid_grant")
  }

  @Test(
    "A used token after the window, or after its successor was used, ends the whole family", arguments: [true, false])
  func reuse(isLate: Bool) async throws {
    let stage = try await Stage()
    let answer = await stage.ask()
    let (access, successor) = (
      try #require(try answer.json.string("access_token")), try #require(try answer.json.string("refresh_token"))
    )
    if isLate {
      stage.gatehouse.time.advance(by: RefreshChain.replayWindow)
    } else {
      _ = try await stage.successor(of: successor)
    }
    #expect(try await stage.ask().error == "invalid_grant")
    #expect(try await stage.isActive(access) == false)
    #expect(try await stage.ask(successor).error == "invalid_grant")
    #expect(try await stage.gatehouse.auditNames().contains(.tokenReused))
  }

  @Test("The part that all tokens of a chain share ends nothing, as long as none was exchanged")
  func mangled() async throws {
    let stage = try await Stage()
    let mangled = stage.refresh.prefix(22) + String(repeating: "A", count: 43)
    #expect(try await stage.ask(String(mangled)).error == "invalid_grant")
    let revoked = await stage.gatehouse.post(
      "/oauth2/revoke", ["token": String(mangled)], basic: stage.client.basic)
    #expect(revoked.status == .ok)
    #expect(try await stage.isActive(stage.access) == true)
    _ = try await stage.successor()
  }

  @Test("Another client's attempt is refused and hurts nobody")
  func stranger() async throws {
    let stage = try await Stage()
    let thief = try await stage.gatehouse.client()
    _ = try await stage.successor()
    stage.gatehouse.time.advance(by: 3600)
    #expect(try await stage.ask(as: thief).error == "invalid_grant")
    #expect(try await stage.isActive(stage.access) == false, "an hour is longer than an access token lives")
    let fresh = try await Stage()
    let other = try await fresh.gatehouse.client()
    #expect(try await fresh.ask(as: other).error == "invalid_grant")
    #expect(try await fresh.isActive(fresh.access) == true)
    _ = try await fresh.successor()
  }

  @Test("The scope may narrow for one token and comes back; it never widens")
  func scope() async throws {
    let stage = try await Stage()
    #expect(try await stage.ask(scope: "vend more").error == "invalid_scope")
    let narrowed = await stage.ask(scope: "vend")
    #expect(try narrowed.json.string("scope") == "vend")
  }

  @Test("A narrowed scope is that of one token: the next refresh has the whole again")
  func narrowed() async throws {
    let stage = try await OpenIDStage()
    let first = try await stage.signIn(scope: "openid profile")
    func refresh(_ token: String?, _ scope: String?) async throws -> JSONValue {
      let answer = await stage.gatehouse.post(
        "/oauth2/token", ["grant_type": "refresh_token", "refresh_token": token, "scope": scope],
        basic: stage.client.basic)
      return try answer.json
    }
    let narrow = try await refresh(first.string("refresh_token"), "profile")
    #expect(narrow.string("scope") == "profile" && narrow["id_token"] == nil)
    let whole = try await refresh(narrow.string("refresh_token"), nil)
    #expect(whole.string("scope") == "openid profile" && whole["id_token"] != nil)
  }

  @Test("The answer says how long the token may rest, and when the authorization ends; introspection says the same")
  func ends() async throws {
    let stage = try await Stage()
    let day: Int64 = 24 * 60 * 60
    func refresh(_ token: String) async throws -> JSONValue { try await stage.ask(token).json }
    var answer = try await refresh(stage.refresh)
    #expect(
      answer.integer("refresh_token_timeout") == 14 * day && answer.integer("authorization_expires_in") == 30 * day)
    stage.gatehouse.time.advance(by: 12 * day)
    let held = try await stage.gatehouse.introspect(try #require(answer.string("refresh_token")), stage.client)
    #expect(held.integer("refresh_token_timeout") == 2 * day && held.integer("authorization_expires_in") == 18 * day)
    answer = try await refresh(try #require(answer.string("refresh_token")))
    stage.gatehouse.time.advance(by: 12 * day)
    let used = try #require(answer.string("refresh_token"))
    answer = try await refresh(used)
    #expect(answer.integer("refresh_token_timeout") == 6 * day && answer.integer("authorization_expires_in") == 6 * day)
    stage.gatehouse.time.advance(by: 20)
    let again = try await refresh(used)
    #expect(again.integer("refresh_token_timeout") == 6 * day - 20, "the same successor, which has aged")
  }

  @Test("Refreshing never outlives the authorization: thirty days, and the last access token ends with it")
  func absoluteEnd() async throws {
    let stage = try await Stage()
    var token = stage.refresh
    for _ in 0..<4 {
      stage.gatehouse.time.advance(by: 7 * 24 * 60 * 60)
      token = try await stage.successor(of: token)
    }
    stage.gatehouse.time.advance(by: 2 * 24 * 60 * 60 - 60)
    let last = await stage.ask(token)
    #expect(try last.json.integer("expires_in") == 60)
    let next = try #require(try last.json.string("refresh_token"))
    stage.gatehouse.time.advance(by: 60)
    #expect(try await stage.ask(next).error == "invalid_grant")
  }

  @Test("A token that nobody used for two weeks is worthless")
  func idleEnd() async throws {
    let stage = try await Stage()
    stage.gatehouse.time.advance(by: TokenFamily.idleLifetime)
    #expect(try await stage.ask().error == "invalid_grant")
  }

  @Test("Signing out, disabling the account or the client ends access and refresh at once", arguments: 0..<3)
  func ended(way: Int) async throws {
    let stage = try await Stage()
    let (account, now) = (stage.person.account.id, stage.gatehouse.time.now)
    switch way {
    case 0: _ = try await SignOut(stage.gatehouse.here)(account, TestInstallation.visitor)
    case 1: try await stage.gatehouse.store.write { try $0.setAccount(account, disabled: true, at: now) }
    default: try await stage.gatehouse.change(.disable, stage.client)
    }
    let answer = await stage.ask()
    #expect(try answer.error == (way == 2 ? "invalid_client" : "invalid_grant"))
    let claims = try #require(stage.gatehouse.here.verify(stage.access, at: now))
    #expect(try await stage.gatehouse.here.isLive(claims) == false)
  }
}
