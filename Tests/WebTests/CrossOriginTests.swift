import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Web

@Suite("Web pages of apps, at other origins")
struct CrossOriginTests {
  private let gatehouse: TestInstallation
  private let client: TestClient
  private let person: TestPerson

  init() async throws {
    gatehouse = try await TestInstallation()
    client = try await gatehouse.client(.public, scope: "openid")
    person = try await gatehouse.person()
  }

  private func preflight(_ path: String, from origin: FieldValue, method: FieldValue = "POST") async -> Response {
    await gatehouse.send(
      .options, path,
      headers: [
        "origin": origin, "access-control-request-method": method,
        "access-control-request-headers": "authorization, DPoP, cookie",
      ])
  }

  @Test(
    "may call what apps call, from where a registered app's page runs",
    arguments: [
      "/oauth2/token", "/oauth2/revoke", "/oauth2/userinfo", "/oauth2/par", "/v1/token", "/v1/connections",
      "/v1/proxy/demo/x",
    ])
  func preflights(path: String) async throws {
    let answer = await preflight(path, from: "https://app.example")
    #expect(answer.status == .noContent)
    #expect(answer.headers["access-control-allow-origin"] == "https://app.example")
    #expect(answer.headers["access-control-allow-headers"] == "authorization, dpop")
    #expect(answer.headers["access-control-allow-credentials"] == nil && answer.headers["vary"] == "Origin")
    for origin: FieldValue in [
      "https://evil.example", "https://app.example.evil.example", "http://app.example", "null",
    ] {
      #expect(await preflight(path, from: origin).headers["access-control-allow-origin"] == nil, "\(origin.text)")
    }
  }

  @Test(
    "may not call what people see, nor what only servers ask",
    arguments: [
      "/oauth2/authorize", "/signin", "/consent", "/device", "/account", "/admin", "/oauth2/introspect",
      "/oauth2/end_session", "/oauth2/device_authorization",
    ])
  func closed(path: String) async throws {
    for method: FieldValue in ["GET", "POST"] {
      let answer = await preflight(path, from: "https://app.example", method: method)
      #expect(answer.headers["access-control-allow-origin"] == nil)
      #expect(answer.status == .methodNotAllowed || answer.status == .notFound, "\(answer.status.code)")
    }
    let opened = await gatehouse.send(.get, path, headers: ["origin": "https://app.example"])
    #expect(opened.headers["access-control-allow-origin"] == nil)
  }

  @Test("read their own app's answers, refusals too, and no other app's")
  func answers() async throws {
    let other = try await gatehouse.client(
      .public, scope: "openid", redirectURI: "https://other.example/back")
    let code = try await gatehouse.code(for: client, person, scope: "openid")
    var fields = gatehouse.redemption(code)
    fields.append("client_id", client.id)
    let foreign = await gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "client_id": client.id],
      headers: ["origin": "https://other.example"])
    #expect(foreign.headers["access-control-allow-origin"] == nil)
    let refused = await gatehouse.post(
      "/oauth2/token", ["grant_type": "refresh_token", "client_id": other.id],
      headers: ["origin": "https://other.example"])
    #expect(refused.status == .badRequest)
    #expect(refused.headers["access-control-allow-origin"] == "https://other.example")
    let tokens = await gatehouse.post("/oauth2/token", fields, headers: ["origin": "https://app.example"])
    #expect(tokens.status == .ok && tokens.headers["access-control-allow-origin"] == "https://app.example")
    #expect(tokens.headers["access-control-expose-headers"]?.contains("DPoP-Nonce, WWW-Authenticate") == true)

    let access = try #require(try tokens.json.string("access_token"))
    let token = try #require(FieldValue("Bearer \(access)"))
    for (origin, mayRead) in [("https://app.example", true), ("https://other.example", false)] {
      let field = try #require(FieldValue(origin))
      let answer = await gatehouse.send(.get, "/oauth2/userinfo", headers: ["authorization": token, "origin": field])
      #expect(answer.headers["access-control-allow-origin"] == (mayRead ? origin : nil))
      let unknown = await gatehouse.send(
        .get, "/oauth2/userinfo", headers: ["authorization": "Bearer none", "origin": field])
      #expect(unknown.status == .unauthorized && unknown.headers["access-control-allow-origin"] == origin)
    }
  }

  @Test("are forgotten with their client, and found when one is registered")
  func changes() async throws {
    #expect(await preflight("/oauth2/token", from: "https://late.example").status != .noContent)
    let late = try await gatehouse.client(.public, scope: "openid", redirectURI: "https://late.example/cb")
    #expect(await preflight("/oauth2/token", from: "https://late.example").status == .noContent)
    try await gatehouse.change(.disable, late)
    #expect(await preflight("/oauth2/token", from: "https://late.example").status != .noContent)
  }

  @Test("run at any port of a loopback address, but at the registered one elsewhere")
  func loopback() async throws {
    _ = try await gatehouse.client(.public, scope: "openid", redirectURI: "http://127.0.0.1/cb")
    _ = try await gatehouse.client(.public, scope: "openid", redirectURI: "https://port.example:8443/cb")
    for (origin, isOpen) in [
      ("http://127.0.0.1:5173", true), ("http://127.0.0.1", true), ("http://127.0.0.2", false),
      ("https://port.example:8443", true), ("https://port.example", false), ("http://127.0.0.1:5173/", false),
    ] {
      let answer = await preflight("/oauth2/token", from: try #require(FieldValue(origin)))
      #expect((answer.status == .noContent) == isOpen, "\(origin)")
    }
  }
}
