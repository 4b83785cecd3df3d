import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("A portal by password or typed token behind a network that asks for a password", .timeLimit(.minutes(1)))
struct PasswordLayerTests {
  private let gatehouse: TestInstallation
  private let portal: TestPortal
  private let person: TestPerson
  private let browser: TestBrowser

  /// Everything wants a login.
  private static func gate(_ request: Request) -> Response? {
    if ["/_counters", "/_clock"].contains(request.path) { return nil }
    if request.headers["authorization"] == "Basic \(TestInstallation.base64(Array("ana:door".utf8)))" { return nil }
    return Response(status: .unauthorized, headers: ["www-authenticate": "Basic realm=\"Door\""])
  }

  init() async throws {
    gatehouse = try await TestInstallation()
    portal = try TestPortal(gate: Self.gate)
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
  }

  private func addDoor() async throws {
    var network = Connection(
      id: try #require(ConnectionID("door")), name: "Door", kind: .password, origin: portal.origin, clientID: "",
      createdAt: gatehouse.time.now)
    network.network = NetworkOptions(scheme: .basic, realm: "Door")
    network.resources = [try #require(ResourcePattern(portal.origin))]
    network.reach.hosts = [portal.hostAndPort]
    try await gatehouse.store.write { [network] in try $0.insert(network, clientSecret: nil) }
  }

  /// Adds a connection to the portal as an administrator does.
  private func add(_ kind: Connection.Kind, _ more: [(String, String)] = []) async throws -> Response {
    var fields: QueryItems = [
      "kind": kind.rawValue, "name": "Maps", "id": "maps", "portal_url": portal.origin, "resources": portal.origin,
    ]
    for (name, value) in more { fields.append(name, value) }
    let admin = TestBrowser(gatehouse, try await gatehouse.administrator())
    return try await admin.submit(fields, on: "/admin/connections/new")
  }

  private func openDoor() async throws {
    let door = try await browser.submit(["username": "ana", "password": "door"], on: "/connect/door")
    try #require(door.status == .seeOther, "\(door.text)")
  }

  private func vend(_ path: String) async throws -> JSONValue {
    let ids = [try #require(ConnectionID("maps")), try #require(ConnectionID("door"))]
    let access = try await gatehouse.tokens(for: try await gatehouse.client(connections: ids), person).access
    let query: QueryItems = ["resource": portal.origin + path]
    let answer = await gatehouse.send(
      .get, query.appended(to: "/v1/token"), headers: ["authorization": try #require(FieldValue("Bearer \(access)"))])
    return try answer.json
  }

  @Test("is connected by its form, checked, kept fresh, and used for a federated server, all through the network")
  func password() async throws {
    try await addDoor()
    #expect(try await add(.token, [("token_minutes", "30")]).status == .seeOther)
    let login: QueryItems = ["username": "ana", "password": "correct horse battery", "keep": "1"]
    let outside = try await browser.submit(login, on: "/connect/maps")
    #expect(outside.text.contains("Maps stands behind Door: connect that first"), "\(outside.text)")
    #expect(try await portal.calls(of: "generateToken") == 0)
    try await openDoor()
    let inside = try await browser.submit(login, on: "/connect/maps")
    #expect(inside.location == "/account?connected=maps", "\(inside.text)")
    let first = try await vend("/sharing/rest/community/self")
    #expect(first.string("proxy_reason") == "password" && first.string("access_token") != nil, "\(first)")
    let layer = try await vend("/server/rest/services/Traffic/FeatureServer/0")
    #expect(layer.string("access_token") != nil && layer.string("access_token") != first.string("access_token"))
    gatehouse.time.advance(by: 31 * 60)
    await portal.advance(by: 31 * 60)
    let later = try await vend("/sharing/rest/community/self")
    #expect(later.string("access_token") != nil && later.string("access_token") != first.string("access_token"))
    let report = try await browser.submit([:], on: "/signout")
    #expect(report.status == .ok)
    #expect(try await gatehouse.count("credential") == 0)
  }

  @Test("takes a token that was made elsewhere, which is tried through the network")
  func typedToken() async throws {
    try await addDoor()
    #expect(try await add(.pregeneratedToken).status == .seeOther)
    let made = try await portal.generateToken(referer: "https://own.example")
    let typed: QueryItems = [
      "token": made.string("token"), "referer": "https://own.example",
      "expires": String(try #require(made.integer("expires"))),
    ]
    let outside = try await browser.submit(typed, on: "/connect/maps")
    #expect(outside.text.contains("Maps stands behind Door: connect that first"), "\(outside.text)")
    try await openDoor()
    let inside = try await browser.submit(typed, on: "/connect/maps")
    #expect(inside.location == "/account?connected=maps", "\(inside.text)")
    #expect(try await vend("/sharing/rest/community/self").string("access_token") != nil)
  }

  @Test("is refused where no connection opens the network, and for what acts for no person, with what to do about it")
  func refused() async throws {
    let unknown = try await add(.token)
    #expect(unknown.text.contains("make a connection of that first"), "\(unknown.text)")
    try await addDoor()
    let application = try await add(
      .oauthApplication, [("client_id", "gatehouse-demo"), ("client_secret", "gatehouse-demo-secret")])
    #expect(application.text.contains("lets people through and nothing that acts for none"), "\(application.text)")
    #expect(try await gatehouse.count("connection") == 1)
  }
}
