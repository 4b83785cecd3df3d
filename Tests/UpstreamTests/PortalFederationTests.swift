import Domain
import HTTP
import HTTPClient
import JSON
import Simulator
import Testing

@testable import Upstream

@Suite("A portal's federated servers", .timeLimit(.minutes(1)))
struct PortalFederationTests {
  private func resource(_ text: String) throws -> ResourceURL { try #require(ResourceURL(text)) }

  @Test("get a token of their own, made from the portal's")
  func serverToken() async throws {
    let portal = try TestPortal()
    let layer = try resource(portal.loopback.origin + "/server/rest/services/Roads/FeatureServer/0")
    let root = portal.loopback.origin + "/server"
    #expect(portal.portals.federation(for: layer, portal.connection) == .server(root: root))
    #expect(portal.loopback.requests.isEmpty)
    let server = try await portal.portals.server(at: root, portal.registration, now: Samples.now)
    #expect(portal.portals.isFederated(server, portal.connection))
    #expect(server.answeredAt == Samples.now && server.askAgainAt == Samples.now + 600)
    let tokens = try await portal.signIn().tokens
    let token = try await portal.portals.serverToken(
      root: root, portalToken: tokens.accessToken, portal.registration, now: Timestamp(seconds: 0))
    #expect(!token.token.isEmpty && token.token != tokens.accessToken)
    let form = try #require(portal.loopback.requests(at: "/sharing/rest/generateToken").last?.form)
    #expect(form["serverUrl"] == root && form["expiration"] == "60" && form["token"] != nil)
    await portal.loopback.stop()
  }

  @Test("The portal's own pages take the portal's token without any question")
  func portalItself() async throws {
    let portal = try TestPortal()
    let page = try resource(portal.loopback.origin + "/sharing/rest/content/items/1")
    #expect(portal.portals.federation(for: page, portal.connection) == .portal)
    #expect(portal.loopback.requests.isEmpty)
    await portal.loopback.stop()
  }

  @Test("A server that names another portal gets nothing")
  func foreignServer() async throws {
    var configuration = SimulatorConfiguration()
    configuration.portalContext = "/portal"
    var portal = try TestPortal(configuration)
    let root = portal.loopback.origin + "/server"
    let server = try await portal.portals.server(at: root, portal.registration, now: Samples.now)
    #expect(portal.portals.isFederated(server, portal.connection))
    portal.connection.origin = portal.loopback.origin + "/other"
    #expect(!portal.portals.isFederated(server, portal.connection))
    await portal.loopback.stop()
  }

  @Test("A host that nobody declared is not even asked")
  func undeclared() async throws {
    let portal = try TestPortal()
    let other = try Loopback { _ in Response(status: .ok, body: .bytes(Array("{}".utf8))) }
    let layer = try resource(other.origin + "/server/rest/services/Roads/FeatureServer/0")
    #expect(portal.portals.federation(for: layer, portal.connection) == .notFederated)
    #expect(other.requests.isEmpty)
    await other.stop()
    await portal.loopback.stop()
  }

  @Test("No request to a server before it is known to be federated carries a token")
  func probesWithoutToken() async throws {
    let portal = try TestPortal()
    let layer = try resource(portal.loopback.origin + "/server/rest/services/Roads/FeatureServer/0?token=abc")
    let root = portal.loopback.origin + "/server"
    #expect(portal.portals.federation(for: layer, portal.connection) == .server(root: root))
    _ = try await portal.portals.server(at: root, portal.registration, now: Samples.now)
    let probe = try #require(portal.loopback.requests.first)
    #expect(probe.target == "/server/rest/info?f=json")
    #expect(probe.headers["x-esri-authorization"] == nil && probe.headers["authorization"] == nil)
    await portal.loopback.stop()
  }

  @Test(
    "A server token that is not given does not condemn the credential, a dead portal token does",
    arguments: [("https://unknown.example.org/server", true, Verdict.misconfigured), ("/server", false, .refused)])
  func refusals(root: String, isAlive: Bool, verdict: Verdict) async throws {
    let portal = try TestPortal()
    let token = isAlive ? try await portal.signIn().tokens.accessToken : Secret("dead")
    let root = root.hasPrefix("/") ? portal.loopback.origin + root : root
    let found = try await Verdict.of {
      try await portal.portals.serverToken(root: root, portalToken: token, portal.registration, now: Samples.now)
    }
    #expect(found == verdict)
    await portal.loopback.stop()
  }

  @Test("An administrator may type any page of the portal; this machine's address declares itself")
  func inspects() async throws {
    let portal = try TestPortal()
    var draft = portal.connection
    draft.origin = portal.loopback.origin + "/home/index.html?x=1"
    draft.resources = []
    draft.reach.hosts = []
    let saved = try await portal.portals.inspect(draft)
    #expect(saved.origin == portal.loopback.origin)
    #expect(saved.resources.map(\.text) == [portal.loopback.origin])
    #expect(saved.reach.hosts == [portal.loopback.hostAndPort])
    await portal.loopback.stop()
  }

  @Test(
    "An address that is no portal is explained to the administrator",
    arguments: [
      (200, "<html>Welcome</html>"), (200, #"{"hello":"world"}"#), (200, #"{"isPortal":true,"supportsOAuth":false}"#),
      (200, #"{"isPortal":true,"supportsOAuth":true,"currentVersion":"4.3"}"#), (404, ""), (401, ""), (302, ""),
      (200, #"{"error":{"code":499,"message":"Token Required"}}"#),
    ])
  func explains(status: Int, body: String) async throws {
    let loopback = try Loopback { _ in
      Response(status: Status(integerLiteral: status), body: .bytes(Array(body.utf8)))
    }
    let draft = try Samples.connection(origin: loopback.origin)
    let portals = try Upstreams(client: OutboundClient()).portals
    let failure = await #expect(throws: UpstreamFailure.self) { try await portals.inspect(draft) }
    #expect(failure?.text.contains("127.0.0.1") == true)
    await loopback.stop()
  }

  @Test(
    "What cannot be a portal is refused before anything is sent",
    arguments: ["", "nonsense at all", "http://gis.example.org/portal", "ftp://gis.example.org"])
  func refusesAddresses(typed: String) async throws {
    let draft = try Samples.connection(origin: typed)
    let portals = try Upstreams(client: OutboundClient()).portals
    #expect(try await Verdict.of { try await portals.inspect(draft) } == .misconfigured)
  }
}
