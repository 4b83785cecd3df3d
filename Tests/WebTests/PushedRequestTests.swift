import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Flows
@testable import Web

@Suite("Pushed authorization requests")
struct PushedRequestTests {
  private static let prefix = "urn:ietf:params:oauth:request_uri:"

  private func push(
    _ stage: OpenIDStage, _ change: [(String, String?)] = [], basic: (id: String, secret: String)? = nil
  ) async -> Response {
    var fields = QueryItems()
    let given: [(String, String?)] = [
      ("response_type", "code"), ("redirect_uri", TestClient.redirectURI), ("scope", "openid"),
      ("code_challenge", TestInstallation.challenge), ("code_challenge_method", "S256"), ("state", "s"),
    ]
    for (name, value) in given where !change.contains(where: { $0.0 == name }) { fields.append(name, value) }
    for (name, value) in change { fields.append(name, value) }
    return await stage.gatehouse.post("/oauth2/par", fields, basic: basic ?? stage.client.basic)
  }

  private func open(_ stage: OpenIDStage, _ uri: String, client: String? = nil) async -> Response {
    let fields: QueryItems = ["client_id": client ?? stage.client.id, "request_uri": uri]
    return await stage.gatehouse.send(.get, fields.appended(to: "/oauth2/authorize"))
  }

  private func pushed(_ stage: OpenIDStage) async throws -> String {
    try #require(try await push(stage).json.string("request_uri"))
  }

  @Test("are answered 201 with a request_uri of 256 bits and how long it counts")
  func answer() async throws {
    let stage = try await OpenIDStage()
    let answer = await push(stage)
    #expect(answer.status == .created && answer.headers["cache-control"] == "no-store")
    let uri = try #require(try answer.json.string("request_uri"))
    #expect(uri.hasPrefix(Self.prefix) && uri.utf8.count == Self.prefix.utf8.count + 43)
    #expect(try answer.json.integer("expires_in") == 90)
  }

  @Test("are opened by client_id and request_uri alone, again when the page is loaded anew, and lead to a code")
  func opened() async throws {
    let stage = try await OpenIDStage()
    let uri = try await pushed(stage)
    let first = await open(stage, uri)
    let location = try #require(first.location)
    #expect(location.hasPrefix("/consent?ticket="))
    stage.gatehouse.time.advance(by: 60)
    #expect(await open(stage, uri).location == location)
    let handle = String(location.dropFirst("/consent?ticket=".count))
    let url = try await DecideConsent(stage.gatehouse.here).allow(
      handle, connections: [], stage.person.signedIn, TestInstallation.visitor
    ).url
    #expect(url.hasPrefix("https://app.example/back?code=") && url.contains("&state=s&iss="))
    let reused = await open(stage, uri)
    #expect(reused.status == .badRequest && reused.location == nil)
  }

  @Test("count for 90 seconds, and for the client that pushed them")
  func refusedAtTheBrowser() async throws {
    let stage = try await OpenIDStage()
    let uri = try await pushed(stage)
    let other = try await stage.gatehouse.client(grants: [.authorizationCode], scope: "openid")
    for answer in [
      await open(stage, uri, client: other.id), await open(stage, uri, client: "client_0"),
      await open(stage, Self.prefix + "unknown"),
    ] {
      #expect(answer.status == .badRequest && answer.location == nil)
    }
    stage.gatehouse.time.advance(by: 90)
    #expect(await open(stage, uri).status == .badRequest)
  }

  @Test(
    "are checked like requests of a browser, and told at once",
    arguments: [
      ("request_uri", "urn:ietf:params:oauth:request_uri:x", "invalid_request"),
      ("redirect_uri", "https://app.example/other", "invalid_request"), ("redirect_uri", nil, "invalid_request"),
      ("response_type", "token", "unsupported_response_type"), ("scope", "openid other", "invalid_scope"),
      ("code_challenge_method", "plain", "invalid_request"), ("client_id", "client_0", "invalid_request"),
      ("request", "e30.e30.", "request_not_supported"), ("max_age", "x", "invalid_request"),
      ("state", String(repeating: "s", count: 4097), "invalid_request"),
      ("claims", #"{"id_token":{"sub":{"value":"somebody"}}}"#, "invalid_request"),
      ("claims", #"{"id_token":{"acr":{"essential":true,"values":["gold"]}}}"#, "invalid_request"),
    ] as [(String, String?, String)])
  func refused(name: String, value: String?, code: String) async throws {
    let stage = try await OpenIDStage()
    let answer = await push(stage, [(name, value)])
    #expect(answer.status == .badRequest)
    #expect(try answer.error == code)
  }

  @Test("are for a client that proves who it is, by POST")
  func authentication() async throws {
    let stage = try await OpenIDStage()
    let wrong = await push(stage, basic: (stage.client.id, "wrong"))
    #expect(wrong.status == .unauthorized)
    #expect(try wrong.error == "invalid_client")
    let get = await stage.gatehouse.send(.get, "/oauth2/par")
    #expect(get.status == .methodNotAllowed && get.headers["allow"] == "POST")
  }

  @Test("are bounded for each network, as requests of a browser are")
  func flood() async throws {
    let stage = try await OpenIDStage()
    let here = stage.gatehouse.here
    while here.beginnings.take(TestInstallation.visitor.network, at: stage.gatehouse.time.now) == nil {}
    let refused = await push(stage)
    #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
    #expect(try refused.error == "slow_down")
    let page = await stage.gatehouse.send(
      .get, stage.gatehouse.authorization(stage.client).appended(to: "/oauth2/authorize"))
    #expect(page.status == 429 && page.headers["retry-after"] != nil && page.location == nil)
  }

  @Test("are the only ones that some clients may send")
  func required() async throws {
    let stage = try await OpenIDStage()
    var options = ClientOptions()
    options.requiresPushedRequests = true
    let client = try await stage.gatehouse.client(grants: [.authorizationCode], scope: "openid", options: options)
    let direct = await stage.gatehouse.send(
      .get, stage.gatehouse.authorization(client).appended(to: "/oauth2/authorize"))
    #expect(direct.location?.hasPrefix("https://app.example/back?error=invalid_request&") == true)
    let uri = try #require(try await push(stage, basic: client.basic).json.string("request_uri"))
    #expect(await open(stage, uri, client: client.id).location?.hasPrefix("/consent?ticket=") == true)
  }
}
