import HTTP
import JSON
import Simulator
import Testing

@Suite("Counters, revocation and clock")
struct ControlTests {
  let caller = Caller()

  @Test("counts a thousand calls per endpoint and grant type, also those at once")
  func counts() async throws {
    let tokens = try await caller.tokens()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<1_000 {
        group.addTask {
          let answer = try await caller.refresh(tokens.refresh)
          #expect(answer.string("access_token") != nil)
        }
      }
      try await group.waitForAll()
    }
    let counters = try await caller.control(.get, "/_counters")
    #expect(counters.integer("token.refresh_token") == 1_000)
    #expect(counters.integer("token.authorization_code") == 1)
    #expect(counters.integer("token") == 1_001)
    #expect(counters.integer("authorize") == 1)
    #expect(counters.integer("signin") == 1)
  }

  @Test("counts calls that a fault ate, and resets")
  func resets() async throws {
    try await caller.control(.put, "/_faults", ["endpoint": "info", "kind": "status", "value": 500])
    _ = await caller.send(.get, "/sharing/rest/info")
    #expect(try await caller.control(.get, "/_counters") == ["info": 1])
    #expect(try await caller.control(.delete, "/_counters") == [:])
  }

  @Test("tells server tokens from those made with a password")
  func countsKinds() async throws {
    let tokens = try await caller.tokens()
    _ = try await caller.serverToken(tokens.access)
    _ = try await caller.portal("/generateToken", ["username": "ana", "password": "wrong"])
    let counters = try await caller.control(.get, "/_counters")
    #expect(counters.integer("generateToken") == 2)
    #expect(counters.integer("generateToken.server") == 1)
    #expect(counters.integer("generateToken.password") == 1)
  }

  @Test("a made-up grant type names no counter")
  func inventsNoCounter() async throws {
    _ = try await caller.portal("/oauth2/token", ["grant_type": "x", "client_id": "gatehouse-demo"])
    #expect(try await caller.control(.get, "/_counters") == ["token": 1])
  }

  @Test("revoking a user kills all of that user's tokens and nobody else's")
  func revokes() async throws {
    let ana = try await caller.tokens()
    let server = try #require(try await caller.serverToken(ana.access).string("token"))
    let ben = try await caller.tokens(for: "ben")
    #expect(try await caller.control(.post, "/_revoke", ["user": "ana"]) == ["revoked": 3])
    #expect(try await caller.refusal(of: ana.access) == 498)
    #expect(try TokenError(try await caller.refresh(ana.refresh)).code == 498)
    #expect(
      try await caller.server("/services/Traffic/FeatureServer/0", token: server)["error"]?.integer("code") == 498)
    #expect(try await caller.refusal(of: ben.access) == nil)
  }

  @Test(
    "refuses a switch turned the wrong way",
    arguments: [
      (Method.post, "/_revoke", #"{"user":"eve"}"#), (.post, "/_clock", #"{"advance":"soon"}"#),
      (.post, "/_clock", "{"), (.get, "/_revoke", ""), (.post, "/_counters", "{}"),
    ])
  func refuses(method: Method, path: String, body: String) async throws {
    let answer = await caller.send(method, path, body: Array(body.utf8))
    #expect(answer.status == .badRequest)
    #expect(try answer.json.string("error")?.hasSuffix(".") == true)
  }

  @Test("answers a malformed form with a sentence")
  func malformed() async throws {
    let answer = await caller.send(
      .post, "/sharing/rest/oauth2/token", body: Array("a=%GG".utf8), type: "application/x-www-form-urlencoded")
    #expect(answer.status == .badRequest)
    #expect(try answer.json["error"]?.strings("details")?.first?.contains("percent-encoded") == true)
  }

  @Test("pages load nothing from elsewhere and run no script", arguments: ["/", "/sharing/rest/info"])
  func pages(path: String) async throws {
    let page = await caller.send(.get, path)
    #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
    let text = try page.text
    #expect(text.contains("not a real portal"))
    #expect(!text.contains("<script"))
    #expect(text.contains("<html lang=\"en\">"))
    #expect(await caller.send(.get, "/_style.css").headers["content-type"]?.hasPrefix("text/css") == true)
  }
}
