import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

struct VendTests {
  @Test("One GET gives the upstream's token with the headers to send", arguments: ["Bearer", "bearer", "BEARER"])
  func vends(scheme: String) async throws {
    let stage = try await VendStage()
    let answer = try await stage.get(authorization: ["\(scheme) \(stage.access)"])
    #expect(answer.status == .ok, "\(answer.text)")
    #expect(answer.headers["cache-control"] == "no-store")
    let json = try answer.json
    let token = try #require(json.string("access_token"))
    let header = try #require(json.array("headers")?.first)
    #expect(
      header.string("name")?.lowercased() == "x-esri-authorization" && header.string("value") == "Bearer \(token)")
    #expect(json.string("connection") == "demo" && json.string("resource_matched") == stage.portal.origin)
    #expect(json.string("issued_token_type") == VendAnswer.tokenType && json.string("token_type") == "Bearer")
    let (expires, refresh) = (try #require(json.integer("expires_in")), try #require(json.integer("refresh_after")))
    #expect(expires > 1700 && expires <= 1800 && refresh == expires - 60)
    #expect(json["refresh_token"] == nil)
    let event = try #require(try await stage.gatehouse.audit().first { $0.name == .vended })
    #expect(event.resource == stage.resource && event.client == stage.client.client.id)
    #expect(event.account == stage.person.account.id)
    #expect(event.detail?.contains(token) == false)
  }

  @Test("Without a token there is a challenge whose header names no error; one in the query is no token")
  func challenge() async throws {
    let stage = try await VendStage(connects: false)
    let inQuery: QueryItems = ["access_token": stage.access, "resource": stage.resource]
    for answer in [
      try await stage.get(authorization: []), try await stage.get("/v1/token", inQuery, authorization: []),
      try await stage.get(authorization: ["Basic YTpi"]),
      try await stage.get("/v1/connections", [:], authorization: []),
    ] {
      #expect(answer.status == .unauthorized)
      #expect(answer.headers["www-authenticate"] == "Bearer realm=\"gatehouse\"")
      #expect(try answer.error == "invalid_request" && answer.json.string("error_description") != nil)
    }
  }

  @Test("What is neither portal nor server is no target, which is nobody's fault; a server there is soon found")
  func noServer() async throws {
    let stage = try await VendStage()
    for path in ["", "/nothing", "/nothing/rest/services"] {
      let answer = try await stage.get("/v1/token", ["resource": stage.portal.origin + path])
      #expect(try answer.error == "invalid_target", "\(path)")
    }
    let server: QueryItems = ["resource": stage.portal.origin + "/server/rest/services/Traffic/FeatureServer/0"]
    await stage.portal.fault("status", at: "server.info", value: 404)
    #expect(try await stage.get("/v1/token", server).error == "invalid_target")
    stage.gatehouse.time.advance(by: FederatedServer.pause)
    #expect(try await stage.get("/v1/token", server).status == .ok)
  }

  @Test("Two tokens, or a malformed header, are an invalid request")
  func twoTokens() async throws {
    let stage = try await VendStage(connects: false)
    let bearer = "Bearer \(stage.access)"
    let inQuery: QueryItems = ["resource": stage.resource, "access_token": stage.access]
    for answer in [
      try await stage.get(authorization: [bearer, bearer]), try await stage.get("/v1/token", inQuery),
      try await stage.get(authorization: ["Bearer a b"]), try await stage.get(authorization: ["Bearer"]),
    ] {
      #expect(answer.status == .badRequest)
      #expect(try answer.error == "invalid_request")
    }
  }

  @Test("A token that is unknown, expired, revoked or without the scope vend does not vend")
  func deadTokens() async throws {
    let stage = try await VendStage(connects: false)
    let gatehouse = stage.gatehouse
    #expect(try await stage.get(authorization: ["Bearer unknown"]).status == .unauthorized)
    let plain = try await gatehouse.client(.public)
    var form = gatehouse.redemption(try await gatehouse.code(for: plain, stage.person))
    form.append("client_id", plain.id)
    let narrow = try #require(try await gatehouse.post("/oauth2/token", form).json.string("access_token"))
    let forbidden = try await stage.get(authorization: ["Bearer \(narrow)"])
    #expect(forbidden.status == .forbidden)
    #expect(forbidden.headers["www-authenticate"]?.contains("error=\"insufficient_scope\"") == true)
    _ = await gatehouse.post("/oauth2/revoke", ["token": stage.access], basic: stage.client.basic)
    let revoked = try await stage.get()
    #expect(revoked.status == .unauthorized)
    #expect(revoked.headers["www-authenticate"]?.contains("error=\"invalid_token\"") == true)
    #expect(try revoked.error == "invalid_token")
  }

  @Test(
    "A wrong target is refused",
    arguments: [
      ("resource", "https://example.org/", "invalid_target"), ("resource", "not a url", "invalid_target"),
      ("resource", "https://a@example.org/", "invalid_target"), ("resource", "", "invalid_request"),
      ("min_ttl", "x", "invalid_request"), ("min_ttl", "1209601", "invalid_request"),
    ])
  func wrongTarget(name: String, value: String, code: String) async throws {
    let stage = try await VendStage(connects: false)
    let query: QueryItems = name == "resource" ? ["resource": value] : ["resource": stage.resource, name: value]
    #expect(try await stage.get("/v1/token", query).error == code)
    let two: QueryItems = ["resource": stage.resource, "resource": stage.resource]
    #expect(try await stage.get("/v1/token", two).error == "invalid_target")
  }

  @Test("An unknown URL and one of a connection that the client may not use read the same")
  func noEnumeration() async throws {
    let stage = try await VendStage()
    let other = try await stage.gatehouse.client()
    let token = try await stage.gatehouse.tokens(for: other, stage.person).access
    let hidden = try await stage.get(authorization: ["Bearer \(token)"])
    let unknown = try await stage.get(
      "/v1/token", ["resource": "https://example.org/"], authorization: ["Bearer \(token)"])
    #expect(try hidden.error == "invalid_target")
    #expect(hidden.text == unknown.text)
  }

  @Test("Who acts for nobody has nobody's credentials")
  func clientAlone() async throws {
    let stage = try await VendStage()
    let granted = await stage.gatehouse.post(
      "/oauth2/token", ["grant_type": "client_credentials"], basic: stage.client.basic)
    let token = try #require(try granted.json.string("access_token"))
    #expect(try await stage.get(authorization: ["Bearer \(token)"]).error == "invalid_target")
    let list = try await stage.get("/v1/connections", [:], authorization: ["Bearer \(token)"])
    #expect(list.text == #"{"connections":[]}"#)
  }

  @Test("A person who is not connected is sent to the page that mends it")
  func notConnected() async throws {
    let stage = try await VendStage(connects: false)
    for answer in [try await stage.get(), await stage.exchange()] {
      #expect(answer.status == .badRequest)
      let json = try answer.json
      #expect(json.string("error") == "interaction_required" && json.string("reason") == "not_connected")
      let uri = try #require(json.string("interaction_uri"))
      #expect(uri.hasPrefix("http://localhost:8080/connect?resource=http%3A%2F%2F127.0.0.1"))
      let text = try #require(uri.split(separator: "&ticket=").last)
      let ticket = try #require(stage.gatehouse.here.ticket(String(text)))
      #expect(ticket.isFor(try #require(ResourceURL(stage.resource))))
      #expect(ticket.account == stage.person.account.id && ticket.client == stage.client.client.id)
    }
    let connections = try await stage.get("/v1/connections", [:]).json.array("connections")
    let item = try #require(connections?.first)
    #expect(item.bool("ready") == false && item.string("reason") == "not_connected")
    #expect(item.string("interaction_uri") != nil)
  }

  @Test("The list of connections says what can be used now")
  func connections() async throws {
    let stage = try await VendStage()
    let json = try await stage.get("/v1/connections", [:]).json
    let item = try #require(json.array("connections")?.first)
    #expect(item.string("id") == "demo" && item.string("kind") == "oauthUser" && item.bool("ready") == true)
    #expect(item.strings("resources") == [stage.portal.origin])
    #expect(item["interaction_uri"] == nil)
  }

  @Test("A client without the mark for raw tokens gets none, but the way by the proxy", arguments: [true, false])
  func proxyOnly(isExchange: Bool) async throws {
    let stage = try await VendStage(rawTokens: false)
    let answer = isExchange ? await stage.exchange() : try await stage.get()
    let json = try answer.json
    #expect(answer.status == .ok && json["access_token"] == nil && json["headers"] == nil)
    #expect(json.string("proxy_url") == "http://localhost:8080/v1/proxy/demo/sharing/rest/portals/self")
    #expect(json.string("proxy_reason") == "raw_token_not_allowed")
  }

  @Test("A consent taken back, and a connection switched off, count with the next request", arguments: [true, false])
  func ended(byPerson: Bool) async throws {
    let stage = try await VendStage()
    #expect(try await stage.get().status == .ok)
    let (account, client, id) = (stage.person.account.id, stage.client.client.id, stage.connection.id)
    if byPerson {
      try await stage.gatehouse.store.write { _ = try $0.deleteConsent(of: account, for: client) }
    } else {
      try await ChangeConnection(stage.gatehouse.here)(.disable, id, by: nil, TestInstallation.visitor)
    }
    #expect(try await stage.get().error == (byPerson ? "interaction_required" : "invalid_target"))
  }

  @Test("A hundred calls with an expired token refresh once")
  func oneRefresh() async throws {
    let stage = try await VendStage()
    let before = try #require(try await stage.get().json.string("access_token"))
    // The portal's token lives half an hour; ours is renewed beside it.
    stage.gatehouse.time.advance(by: 1796)
    let access = try await stage.gatehouse.tokens(for: stage.client, stage.gatehouse.session(of: stage.person.account))
      .access
    let answers = try await withThrowingTaskGroup(of: Response.self) { group in
      for _ in 0..<100 { group.addTask { try await stage.get(authorization: ["Bearer \(access)"]) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let tokens = try Set(answers.map { try $0.json.string("access_token") ?? $0.text })
    #expect(tokens.count == 1 && !tokens.contains(before))
    #expect(try await stage.portal.calls(of: "token") == 2, "the sign-in's and one refresh")
  }

  @Test("A wish for a long life renews at most what has aged, never on every call")
  func longWish() async throws {
    let stage = try await VendStage()
    let wish: QueryItems = ["resource": stage.resource, "min_ttl": "1500"]
    let first = try await stage.get("/v1/token", wish).json.string("access_token")
    stage.gatehouse.time.advance(by: 299)
    #expect(try await stage.get("/v1/token", wish).json.string("access_token") == first)
    stage.gatehouse.time.advance(by: 60)
    let renewed = try await stage.get("/v1/token", wish).json
    #expect(renewed.string("access_token") != first)
    #expect(try #require(renewed.integer("expires_in")) >= 1500)
  }

  @Test("While the upstream is down, a token that still works goes on being served; afterwards the app is told to wait")
  func upstreamDown() async throws {
    let stage = try await VendStage()
    let first = try await stage.get().json.string("access_token")
    await stage.portal.fault("status", at: "token", value: 503, times: 100)
    stage.gatehouse.time.advance(by: 1750)
    let access = try await stage.gatehouse.tokens(for: stage.client, stage.gatehouse.session(of: stage.person.account))
      .access
    #expect(try await stage.get(authorization: ["Bearer \(access)"]).json.string("access_token") == first)
    stage.gatehouse.time.advance(by: 60)
    let down = try await stage.get(authorization: ["Bearer \(access)"])
    #expect(down.status == .serviceUnavailable && down.headers["retry-after"] != nil)
    #expect(try down.error == "temporarily_unavailable")
  }
}
