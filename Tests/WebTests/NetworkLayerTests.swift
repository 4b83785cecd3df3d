import Domain
import Flows
import HTTP
import JSON
import Simulator
import Storage
import Synchronization
import Testing

@testable import Web

@Suite("A portal behind a network that asks for a password", .timeLimit(.minutes(1)))
struct NetworkLayerTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let maps: Connection
  private let person: TestPerson
  private let browser: TestBrowser
  private let client: TestClient

  /// Browsers reach the portal's own sign-in page; everything else wants a login.
  private static func gate(_ request: Request) -> Response? {
    let open = ["/sharing/rest/oauth2/authorize", "/sharing/rest/oauth2/signin", "/_counters", "/_faults"]
    if open.contains(where: request.path.hasPrefix) { return nil }
    if request.headers["authorization"] == "Basic \(TestInstallation.base64(Array("ana:door".utf8)))" { return nil }
    return Response(status: .unauthorized, headers: ["www-authenticate": "Basic realm=\"Door\""])
  }

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal(gate: Self.gate)
    let door = try #require(ConnectionID("door"))
    var network = Connection(
      id: door, name: "Door", kind: .password, origin: portal.origin, clientID: "", createdAt: gatehouse.time.now)
    network.network = NetworkOptions(scheme: .basic, realm: "Door")
    network.resources = [try #require(ResourcePattern(portal.origin))]
    network.reach.hosts = [portal.hostAndPort]
    try await gatehouse.store.write { [network] in try $0.insert(network, clientSecret: nil) }
    maps = try portal.connection(at: gatehouse.time.now)
    try await gatehouse.store.write { [maps] in try $0.insert(maps, clientSecret: nil) }
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
    client = try await gatehouse.client(connections: [maps.id, door])
  }

  private func connectBoth() async throws {
    let door = try await browser.submit(["username": "ana", "password": "door"], on: "/connect/door")
    try #require(door.status == .seeOther, "\(door.text)")
    let back = try await browser.travel(try await browser.submit([:], on: "/connect/demo"), portal)
    try #require(back.location == "/account?connected=demo")
  }

  private func ask(_ path: String, _ access: String) async throws -> Response {
    await gatehouse.send(
      .get, path, headers: ["authorization": try #require(FieldValue("Bearer \(access)"))])
  }

  private func vend(_ access: String) async throws -> JSONValue {
    let query: QueryItems = ["resource": portal.origin + "/sharing/rest/community/self?f=json"]
    return try await ask(query.appended(to: "/v1/token"), access).json
  }

  @Test("is asked for the outer sign-in first, and gives the token with the way by the proxy")
  func vends() async throws {
    let access = try await gatehouse.tokens(for: client, person).access
    let first = try await vend(access)
    #expect(first.string("error") == "interaction_required")
    let refused = try await gatehouse.audit().first { $0.name == .vendRefused }
    #expect(
      refused?.connection?.text == "demo" && first.string("interaction_uri")?.contains("/connect?resource=") == true)
    try await connectBoth()
    let vended = try await vend(access)
    #expect(vended.string("proxy_reason") == "password")
    #expect(vended.string("proxy_url")?.hasSuffix("/v1/proxy/demo/sharing/rest/community/self?f=json") == true)
    #expect(vended["headers"]?.array?.compactMap { $0.string("name") } == ["X-Esri-Authorization"])
    #expect(vended.string("access_token") != nil && !"\(vended)".contains("door\""))
    let answer = try await ask("/v1/proxy/demo/sharing/rest/community/self?f=json", access)
    let body = try await JSONValue(parsing: answer.collected)
    #expect(answer.status == .ok && body.string("username") == "ana")
  }

  @Test("after Continue without, a call by the proxy passes the network alone and brings the portal's own answer")
  func goesOn() async throws {
    let door = try await browser.submit(["username": "ana", "password": "door"], on: "/connect/door")
    try #require(door.status == .seeOther, "\(door.text)")
    let access = try await gatehouse.tokens(for: client, person).access
    let call = "/v1/proxy/demo/sharing/rest/community/self?f=json"
    let refused = try await ask(call, access).json
    let link = try #require(refused.string("interaction_uri")).dropFirst(TestInstallation.external.count)
    let page = await browser.get(String(link))
    #expect(page.text.contains("asks for an ArcGIS token"), "\(page.text)")
    var fields: QueryItems = ["do": "skip"]
    for name in ["connection", "asked"] { fields.append(name, TestBrowser.hiddenValue(name, in: page.text)) }
    _ = await browser.submit(fields, after: page, to: "/connect")
    let own = try await JSONValue(parsing: ask(call, access).collected)
    #expect(own["error"]?.integer("code") == 499, "\(own)")
    let audit = try await gatehouse.audit().filter { [.vended, .vendRefused].contains($0.name) }.prefix(2)
    #expect(audit.map(\.connection?.text) == ["demo", "door"])
    #expect(audit.first?.detail == "proxied GET without a credential, as the person wished, behind door")
    #expect(try await ask(call, access).json.string("error") == "interaction_required")
  }

  @Test("is told at sign-out through the network, which is forgotten last")
  func signOut() async throws {
    try await connectBoth()
    let report = try await browser.submit([:], on: "/signout")
    #expect(report.text.contains(">Revoked<") && report.text.contains("<bdi>Door</bdi>"))
    #expect(try await portal.calls(of: "revokeToken") == 1)
    #expect(try await gatehouse.count("credential") == 0)
  }

  @Test("is kept fresh through the network")
  func refreshes() async throws {
    try await connectBoth()
    let access = try await gatehouse.tokens(for: client, person).access
    let before = try await vend(access).string("access_token")
    gatehouse.time.advance(by: 31 * 60)
    await portal.advance(by: 31 * 60)
    let later = try await gatehouse.tokens(for: client, person).access
    let after = try await vend(later).string("access_token")
    #expect(after != nil && after != before)
  }
}

extension Response {
  /// The whole body, also one that is written piece by piece.
  fileprivate var collected: [UInt8] {
    get async throws {
      switch body {
      case .stream(_, let write):
        let writer = Collector()
        try await write(writer)
        return writer.bytes
      case .bytes(let bytes): return bytes
      default: return []
      }
    }
  }
}

private final class Collector: BodyWriter {
  private let written = Mutex<[UInt8]>([])

  var bytes: [UInt8] { written.withLock { $0 } }

  func write(_ bytes: [UInt8]) async throws { written.withLock { $0 += bytes } }
}
