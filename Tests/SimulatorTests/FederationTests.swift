import HTTP
import JSON
import Simulator
import Testing

@Suite("The federated server and the traffic map")
struct FederationTests {
  let caller = Caller()

  private func serverToken(of user: String) async throws -> String {
    try #require(try await caller.serverToken(try await caller.tokens(for: user).access).string("token"))
  }

  @Test(
    "rest/info names the portal exactly",
    arguments: [
      ("server.localhost:8090", "/server", "http://portal.localhost:8090"),
      ("127.0.0.1:8090", "/server", "http://127.0.0.1:8090"), ("server.localhost", "", "http://portal.localhost"),
    ])
  func owner(host: String, root: String, portal: String) async throws {
    var caller = caller
    caller.host = host
    let answer = try await caller.send(.get, root + "/rest/info", ["f": "json"]).json
    #expect(answer.string("owningSystemUrl") == portal)
    #expect(answer["authInfo"]?.string("tokenServicesUrl") == portal + "/sharing/rest/generateToken")
  }

  @Test("rest/info names the web adaptor that is configured")
  func ownerContext() async throws {
    var configuration = SimulatorConfiguration()
    configuration.portalContext = "/portal"
    let answer = try await Caller(configuration).server("/info")
    #expect(answer.string("owningSystemUrl") == "http://portal.localhost:8090/portal")
  }

  @Test("the traffic layer answers 499, 498, 403 or features", arguments: ["", "/query"])
  func traffic(suffix: String) async throws {
    let path = "/services/Traffic/FeatureServer/0" + suffix
    #expect(try await caller.server(path)["error"]?.integer("code") == 499)
    #expect(try await caller.server(path, token: "bad")["error"]?.integer("code") == 498)
    #expect(try await caller.server(path, token: try await serverToken(of: "ben"))["error"]?.integer("code") == 403)
    let answer = try await caller.server(path, token: try await serverToken(of: "ana"))
    #expect(answer["error"] == nil)
    #expect(answer.array("fields") != nil)
    if suffix == "/query" { #expect(answer.array("features")?.count == 3) }
  }

  @Test("the public layer answers everyone")
  func roads() async throws {
    #expect(try await caller.server("/services/Roads/FeatureServer/0/query").array("features")?.count == 2)
  }

  @Test("an expired server token is met with 498")
  func expires() async throws {
    let token = try await serverToken(of: "ana")
    try await caller.control(.post, "/_clock", ["advance": 7_201])
    let answer = try await caller.server("/services/Traffic/FeatureServer/0", token: token)
    #expect(answer["error"]?.integer("code") == 498)
  }

  @Test("the portal's own token is good there only if so configured", arguments: [false, true])
  func portalToken(isAccepted: Bool) async throws {
    var configuration = SimulatorConfiguration()
    configuration.serverAcceptsPortalTokens = isAccepted
    let caller = Caller(configuration)
    let token = try await caller.tokens().access
    let answer = try await caller.server("/services/Traffic/FeatureServer/0", token: token)
    #expect(answer["error"]?.integer("code") == (isAccepted ? nil : 498))
  }

  @Test(
    "a server token is made for servers of this portal only",
    arguments: [
      ("http://server.localhost:8090/server", true), ("http://server.localhost:8090/server/", true),
      ("http://server.localhost:8090/server/rest/services/Traffic/FeatureServer/0", true),
      ("http://portal.localhost:8090/server", true), ("http://SERVER.localhost:8090/server", true),
      ("http://server.localhost:8091/server", false), ("https://server.localhost:8090/server", false),
      ("http://evil.example/server", false), ("http://server.localhost.evil.example:8090/server", false),
      ("http://portal.localhost:8090/other", false), ("server", false),
    ])
  func serverURLs(url: String, isFederated: Bool) async throws {
    let answer = try await caller.serverToken(try await caller.tokens().access, for: url)
    #expect((answer.string("token") != nil) == isFederated)
    #expect((answer["error"]?.integer("code") == 400) != isFederated)
  }

  @Test("a bad portal token makes no server token")
  func badPortalToken() async throws {
    #expect(try await caller.serverToken("bad")["error"]?.integer("code") == 498)
  }

  @Test("a server token is good at the root it was made for, and nowhere else")
  func otherRoot() async throws {
    let token = try #require(
      try await caller.serverToken(try await caller.tokens().access, for: "http://portal.localhost:8090/server")
        .string("token"))
    let path = "/services/Traffic/FeatureServer/0"
    #expect(try await caller.server(path, token: token)["error"]?.integer("code") == 498)
    let here = await caller.send(.get, "/server/rest" + path, ["f": "json", "token": token])
    #expect(try here.json.string("name") == "Traffic")
  }

  @Test("the catalogue lists what the caller may read", arguments: [(nil, 1), ("ben", 1), ("ana", 2)])
  func catalog(user: String?, count: Int) async throws {
    var token: String?
    if let user { token = try await serverToken(of: user) }
    #expect(try await caller.server("/services", token: token).array("services")?.count == count)
  }

  @Test("the web map is public and names a public and a protected layer of the server")
  func webMap() async throws {
    let id = "e5039444ef3c48b8a8fdc9227f9be7c1"
    #expect(try await caller.portal("/content/items/\(id)", [:], .get).string("type") == "Web Map")
    let data = try await caller.portal("/content/items/\(id)/data", [:], .get)
    #expect(
      data.array("operationalLayers")?.first?.string("url")
        == "http://server.localhost:8090/server/rest/services/Traffic/FeatureServer/0")
    #expect(
      data["baseMap"]?.array("baseMapLayers")?.first?.string("url")
        == "http://server.localhost:8090/server/rest/services/Roads/FeatureServer/0")
    #expect(try await caller.portal("/content/items/other/data", [:], .get)["error"]?.integer("code") == 400)
  }

  @Test("another portal's server says whose it is, and counts tokens that reach it")
  func stranger() async throws {
    var caller = caller
    caller.host = "stranger.localhost:8090"
    let info = try await caller.send(.get, "/server/rest/info", ["f": "json"]).json
    #expect(info.string("owningSystemUrl") == "https://portal.stranger.example/portal")
    let path = "/server/rest/services/Traffic/FeatureServer/0"
    #expect(try await caller.send(.get, path, ["f": "json"]).json["error"]?.integer("code") == 499)
    #expect(try await caller.control(.get, "/_counters") == ["stranger": 2])
    _ = await caller.send(.get, path, ["f": "json", "token": "given-away"])
    #expect(try await caller.control(.get, "/_counters").integer("stranger.token") == 1)
  }

  @Test("the portal lists its servers to signed-in users")
  func servers() async throws {
    #expect(try await caller.portal("/portals/self/servers")["error"]?.integer("code") == 499)
    let answer = try await caller.portal("/portals/self/servers", ["token": try await caller.tokens().access])
    #expect(answer.array("servers")?.map { $0.string("url") } == ["http://server.localhost:8090/server"])
  }

  @Test("a bad token is refused even where none is needed", arguments: ["/search", "/portals/self"])
  func badTokenOnPublic(path: String) async throws {
    #expect(try await caller.portal(path)["error"] == nil)
    #expect(try await caller.portal(path, ["token": "bad"])["error"]?.integer("code") == 498)
  }

  @Test("the server's host has no portal")
  func noPortalThere() async throws {
    var caller = caller
    caller.host = "server.localhost:8090"
    #expect(await caller.authorize().status == .notFound)
  }
}
