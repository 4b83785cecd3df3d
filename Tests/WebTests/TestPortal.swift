import Domain
import Flows
import HTTP
import HTTPServer
import JSON
import Logging
import Simulator
import Storage
import Testing

@testable import Web

/// A simulated ArcGIS portal behind a real socket.
final class TestPortal: Sendable {
  private let server: Server
  private let simulator: UpstreamSimulator

  /// `files` answers what is asked below `/home/files/`; `gate` answers first, where it lets nobody through.
  init(
    _ configuration: SimulatorConfiguration = SimulatorConfiguration(), files: Server.Handler? = nil,
    gate: (@Sendable (Request) -> Response?)? = nil
  ) throws {
    let simulator = UpstreamSimulator(configuration)
    self.simulator = simulator
    var server = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"), logger: Logger(level: .error))
    server.loopCount = 1
    server.limits.sizes.streamedPath = "/home/files/"
    self.server = Server(configuration: server) { request in
      if let refusal = gate?(request) { return refusal }
      if let files, request.path.hasPrefix("/home/files/") { return await files(request) }
      return await simulator.respond(to: request)
    }
    try self.server.start()
  }

  var hostAndPort: String { "127.0.0.1:\(server.port)" }

  var origin: String { "http://\(hostAndPort)" }

  /// The connection `demo`, not stored yet; it covers everything on the portal's host.
  func connection(_ text: String = "demo", at now: Timestamp) throws -> Connection {
    var connection = Connection(
      id: try #require(ConnectionID(text)), name: "Demo", kind: .oauthUser, origin: origin,
      clientID: "gatehouse-demo", createdAt: now)
    connection.reach.hosts = [hostAndPort]
    connection.resources = [try #require(ResourcePattern(origin))]
    return connection
  }

  func stop() async { await server.stop(within: .seconds(1)) }

  /// Spoils the next `times` answers of an endpoint.
  func fault(_ kind: String, at endpoint: String, value: Int64 = 0, times: Int64 = 1) async {
    let json: JSONValue = [
      "endpoint": .string(endpoint), "kind": .string(kind), "value": .integer(value), "times": .integer(times),
    ]
    _ = await ask(.put, "/_faults", body: json.encoded())
  }

  /// How often an endpoint was called.
  func calls(of endpoint: String) async throws -> Int64 {
    let answer = await ask(.get, "/_counters")
    return try JSONValue(parsing: Array(answer.text.utf8)).integer(endpoint) ?? 0
  }

  /// Moves the portal's clock on, as ``TestClock`` does ours.
  func advance(by seconds: Int64) async {
    _ = await ask(.post, "/_clock", body: (["advance": .integer(seconds)] as JSONValue).encoded())
  }

  /// A token of `ana` that was made without Gatehouse, bound to `referer`.
  func generateToken(referer: String) async throws -> JSONValue {
    let form: QueryItems = [
      "f": "json", "username": "ana", "password": "correct horse battery", "client": "referer", "referer": referer,
    ]
    return try await post(form, to: "/sharing/rest/generateToken")
  }

  /// What the portal answers to a form that Gatehouse has nothing to do with.
  func post(_ form: QueryItems, to path: String) async throws -> JSONValue {
    try JSONValue(parsing: Array(await ask(.post, path, body: form.body).text.utf8))
  }

  /// Locks an account as five wrong passwords elsewhere do.
  func lock(_ user: String) async {
    let form: QueryItems = ["f": "json", "username": user, "password": "wrong"]
    for _ in 0..<5 { _ = await ask(.post, "/sharing/rest/generateToken", body: form.body) }
  }

  /// What a service answers to whoever sends these headers.
  func answer(to url: String, _ headers: Headers) async throws -> JSONValue {
    let target = String(url.dropFirst(origin.count)) + "?f=json"
    var headers = headers
    if let host = FieldValue(hostAndPort) { headers.set("host", host) }
    let request = Request(
      method: .get, target: target, path: String(target.prefix { $0 != "?" }), headers: headers)
    return try JSONValue(parsing: Array(await simulator.respond(to: request).text.utf8))
  }

  /// Signs in on the portal's own page, where Gatehouse sent the browser; gives where the portal sends it back to.
  func signIn(at url: String, as user: String = "ana") async throws -> String {
    let page = await ask(.get, String(url.dropFirst(origin.count)))
    let action = try #require(Self.value(after: "action=\"", in: page.text))
    let form: QueryItems = [
      "oauth_state": TestBrowser.hiddenValue("oauth_state", in: page.text), "username": user,
      "password": "correct horse battery",
    ]
    let answer = await ask(.post, action, body: form.body)
    return try #require(answer.location)
  }

  private func ask(_ method: HTTP.Method, _ target: String, body: [UInt8] = []) async -> Response {
    var headers: Headers = ["content-type": "application/x-www-form-urlencoded"]
    if let host = FieldValue(hostAndPort) { headers.set("host", host) }
    return await simulator.respond(
      to: Request(
        method: method, target: target, path: String(target.prefix { $0 != "?" }), headers: headers, body: body))
  }

  private static func value(after mark: String, in page: String) -> String? {
    page.firstRange(of: mark).map { String(page[$0.upperBound...].prefix { $0 != "\"" }) }
  }
}

extension TestInstallation {
  /// Stores a connection to the portal.
  @discardableResult
  func connection(to portal: TestPortal) async throws -> Connection {
    let connection = try portal.connection(at: time.now)
    try await store.write { try $0.insert(connection, clientSecret: nil) }
    return connection
  }

  /// Lets a person sign in at the portal and keeps what it gives, through the flows of the product.
  func connect(_ person: TestPerson, to connection: Connection, at portal: TestPortal, as user: String = "ana")
    async throws
  {
    let browser = NewToken().hash
    let url = try await BeginSignIn(here)(
      connection.id, for: .connect(person.account.id), browser: browser, returnPath: nil)
    let back = try Form(query: Substring(#require(URLParts(try await portal.signIn(at: url, as: user))?.query)))
    let callback = CompleteSignIn.Callback(
      connection: connection.id, state: try #require(back["state"]), code: back["code"], error: back["error"],
      issuer: back["iss"])
    let outcome = try await CompleteSignIn(here)(callback, browser: browser, signedIn: person.signedIn, Self.visitor)
    guard case .connected = outcome else {
      Issue.record("the connection was not made: \(outcome)")
      return
    }
  }
}
