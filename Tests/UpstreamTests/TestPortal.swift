import Crypto
import Domain
import HTTP
import HTTPClient
import JSON
import Simulator
import Testing

@testable import Upstream

/// A simulated portal behind a real socket, and our registration there.
struct TestPortal {
  static let redirectURI = "http://localhost:8080/callback/demo"
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

  let loopback: Loopback
  let simulator: UpstreamSimulator
  let portals: OAuthUser
  var connection: Connection

  init(_ configuration: SimulatorConfiguration = SimulatorConfiguration()) throws {
    let simulator = UpstreamSimulator(configuration)
    self.simulator = simulator
    loopback = try Loopback { await simulator.respond(to: $0) }
    portals = try Upstreams(client: OutboundClient()).portals
    let id = try #require(ConnectionID("demo"))
    connection = Connection(
      id: id, name: "Demo", kind: .oauthUser, origin: loopback.origin + configuration.portalContext,
      clientID: "gatehouse-demo", createdAt: Samples.now)
    connection.reach.hosts = [loopback.hostAndPort]
    connection.resources = try [#require(ResourcePattern(loopback.origin))]
  }

  var registration: Registration {
    Registration(connection: connection, clientSecret: nil, redirectURI: Self.redirectURI)
  }

  /// What a browser brings back after signing in on the portal's page.
  func browse(state: String = "state", user: String = "ana") async throws -> SignInReturn {
    let challenge = Base64URL.encode(SHA256.hash(Self.verifier))
    let url = try await portals.authorizationURL(
      SignInStart(state: state, challenge: challenge, nonce: "nonce"), registration)
    let page = try await text(of: respond(.get, url))
    let formID: String = try #require(Self.value(after: "name=\"oauth_state\" value=\"", in: page))
    let form: QueryItems = [
      "oauth_state": formID,
      "username": user, "password": "correct horse battery",
    ]
    let action = try #require(Self.value(after: "action=\"", in: page))
    let answer = await respond(.post, loopback.origin + action, form)
    let location = try #require(answer.headers["location"])
    let query = try #require(URLParts(location)?.query)
    let back = try Form(query: Substring(query))
    #expect(back["state"] == state)
    return SignInReturn(
      code: Secret(try #require(back["code"])), issuer: nil, verifier: Secret(Self.verifier), nonce: "nonce")
  }

  func signIn(user: String = "ana") async throws -> SignedIn {
    try await portals.signIn(try await browse(user: user), registration)
  }

  func refresh(
    _ tokens: UpstreamTokens, now: Timestamp = Samples.now, isRepeated: Bool = false
  ) async throws -> UpstreamTokens {
    let answer = try await portals.requestRefresh(
      RefreshRequest(tokens: tokens, isRepeated: isRepeated, now: now), registration)
    return try await portals.tokens(from: answer, replacing: tokens, registration)
  }

  /// Sets a fault for the next `times` calls of an endpoint.
  func fault(_ kind: String, at endpoint: String, value: Int64 = 0, times: Int64 = 1) async {
    let json: JSONValue = [
      "endpoint": .string(endpoint), "kind": .string(kind), "value": .integer(value), "times": .integer(times),
    ]
    _ = await simulator.respond(
      to: Request(method: .put, target: "/_faults", path: "/_faults", body: json.encoded()))
  }

  private func respond(_ method: Method, _ url: String, _ form: QueryItems? = nil) async -> Response {
    let target = String(url.dropFirst(loopback.origin.count))
    var headers: Headers = ["content-type": "application/x-www-form-urlencoded"]
    if let host = FieldValue(loopback.hostAndPort) { headers.set("host", host) }
    let path = String(target.prefix { $0 != "?" })
    return await simulator.respond(
      to: Request(method: method, target: target, path: path, headers: headers, body: form?.body ?? []))
  }

  private func text(of response: Response) throws -> String {
    guard case .bytes(let bytes) = response.body else {
      Issue.record("the page has no body")
      return ""
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func value(after mark: String, in page: String) -> String? {
    page.firstRange(of: mark).map { String(page[$0.upperBound...].prefix { $0 != "\"" }) }
  }
}
