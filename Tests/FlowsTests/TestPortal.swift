import Crypto
import Domain
import HTTP
import HTTPServer
import JSON
import Simulator
import Testing
import Upstream

@testable import Flows

/// A simulated ArcGIS portal behind a real socket.
final class TestPortal: Sendable {
  let server: TestServer
  private let simulator: UpstreamSimulator

  init() throws {
    let simulator = UpstreamSimulator()
    self.simulator = simulator
    server = try TestServer { await simulator.respond(to: $0) }
  }

  /// Spoils the next `times` answers of an endpoint.
  func fault(_ kind: String, at endpoint: String, value: Int64 = 0, times: Int64 = 1) async {
    let json: JSONValue = [
      "endpoint": .string(endpoint), "kind": .string(kind), "value": .integer(value), "times": .integer(times),
    ]
    _ = await ask(.put, "/_faults", body: json.encoded())
  }

  /// How often an endpoint was called.
  func calls(of endpoint: String) async throws -> Int64 {
    try JSONValue(parsing: Array(text(of: await ask(.get, "/_counters")).utf8)).integer(endpoint) ?? 0
  }

  /// Signs `ana` in on the portal's own page and redeems the code.
  func signIn(_ registration: Registration, _ portals: OAuthUser, at now: Timestamp) async throws -> Upstream.SignedIn {
    let verifier = Random.token()
    let start = SignInStart(
      state: "state", challenge: Base64URL.encode(SHA256.hash(verifier)), nonce: "nonce")
    let url = try await portals.authorizationURL(start, registration)
    let page = text(of: await ask(.get, String(url.dropFirst(server.origin.count))))
    let form: QueryItems = [
      "oauth_state": value(after: "name=\"oauth_state\" value=\"", in: page), "username": "ana",
      "password": "correct horse battery",
    ]
    let answer = await ask(.post, try #require(value(after: "action=\"", in: page)), body: form.body)
    let location = try #require(answer.headers["location"])
    let back = try Form(query: Substring(#require(URLParts(location)?.query)))
    let redeemed = try await portals.redeem(
      SignInReturn(
        code: Secret(try #require(back["code"])), issuer: nil, verifier: Secret(verifier), nonce: "nonce"),
      registration, now: now)
    return try await portals.identify(redeemed, nonce: "nonce", registration, now: now)
  }

  private func ask(_ method: HTTP.Method, _ target: String, body: [UInt8] = []) async -> Response {
    var headers: Headers = ["content-type": "application/x-www-form-urlencoded"]
    if let host = FieldValue(server.hostAndPort) { headers.set("host", host) }
    let path = String(target.prefix { $0 != "?" })
    return await simulator.respond(
      to: Request(method: method, target: target, path: path, headers: headers, body: body))
  }

  private func text(of response: Response) -> String {
    guard case .bytes(let bytes) = response.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func value(after mark: String, in page: String) -> String? {
    page.firstRange(of: mark).map { String(page[$0.upperBound...].prefix { $0 != "\"" }) }
  }
}
