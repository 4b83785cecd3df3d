import HTTP
import JSON
import Simulator
import Testing

@Suite("generateToken")
struct GenerateTokenTests {
  let caller = Caller()

  private func generate(_ extra: [String: String] = [:]) async throws -> JSONValue {
    var form: QueryItems = ["username": "ana", "password": "correct horse battery"]
    for (name, value) in extra { form.append(name, value) }
    return try await caller.portal("/generateToken", form)
  }

  @Test(
    "answers token, absolute milliseconds and ssl; the minutes asked are clamped",
    arguments: [
      ("", 120), ("60", 60), ("21600", 20_160), ("-1", 20_160),
    ])
  func generates(expiration: String, minutes: Int64) async throws {
    let now = try #require(try await caller.control(.get, "/_clock").integer("now"))
    let answer = try await generate(["expiration": expiration])
    #expect(try #require(answer.object).map(\.name) == ["token", "expires", "ssl"])
    let life = try #require(answer.integer("expires")) - now
    #expect((minutes * 60_000...minutes * 60_000 + 60_000).contains(life))
    #expect(try await caller.refusal(of: try #require(answer.string("token"))) == nil)
  }

  @Test(
    "refuses as documented",
    arguments: [
      (["username": "ana", "password": "wrong"], "Invalid username or password."),
      (["username": "eve", "password": "wrong"], "Invalid username or password."),
      (["password": "x"], "'username' must be specified."), (["username": "x"], "'password' must be specified."),
      (["username": "x", "password": "y", "client": "referer"], "'referer' must be specified."),
      (["serverUrl": "http://server.localhost:8090/server"], "Unable to get token from request or cookie."),
    ])
  func refuses(fields: [String: String], detail: String) async throws {
    var form = QueryItems()
    for (name, value) in fields { form.append(name, value) }
    #expect(
      try await caller.portal("/generateToken", form) == [
        "error": ["code": 400, "message": "Unable to generate token.", "details": [.string(detail)]]
      ])
  }

  @Test("is not offered by GET")
  func noGet() async throws {
    let answer = try await caller.portal(
      "/generateToken", ["username": "ana", "password": "correct horse battery"], .get)
    #expect(answer["error"]?.integer("code") == 405)
  }

  @Test("five wrong passwords lock the account for 15 minutes, with the same words")
  func locks() async throws {
    for _ in 0..<5 { _ = try await caller.portal("/generateToken", ["username": "ana", "password": "wrong"]) }
    #expect(try await generate()["error"]?.strings("details") == ["Invalid username or password."])
    try await caller.control(.post, "/_clock", ["advance": 900])
    #expect(try await generate().string("token") != nil)
  }

  @Test("a token bound to a referer needs it on every call")
  func referer() async throws {
    let answer = try await generate(["client": "referer", "referer": "https://gate.example.org"])
    let token = try #require(answer.string("token"))
    #expect(try await caller.refusal(of: token) == 498)
    var bound = caller
    bound.headers.set("referer", "https://gate.example.org")
    #expect(try await bound.refusal(of: token) == nil)
    bound.headers.set("referer", "https://gate.example.org/other")
    #expect(try await bound.refusal(of: token) == 498)
  }

  @Test(
    "a token bound to an address needs it",
    arguments: [
      (["client": "requestip"], nil), (["client": "ip", "ip": "127.0.0.1"], nil),
      (["client": "ip", "ip": "192.0.2.1"], 498 as Int64),
    ])
  func address(fields: [String: String], code: Int64?) async throws {
    let token = try #require(try await generate(fields).string("token"))
    #expect(try await caller.refusal(of: token) == code)
  }
}
