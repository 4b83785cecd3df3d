import HTTP
import JSON
import Simulator
import Testing

@Suite("What the portal says about itself and the caller")
struct IdentityTests {
  @Test(
    "info names the portal as the URL under which it was called",
    arguments: [
      ("portal.localhost:8090", ""), ("127.0.0.1:8090", "/portal"), ("gis.example.org", "/arcgis"),
    ])
  func info(host: String, context: String) async throws {
    var caller = Caller()
    caller.host = host
    caller.context = context
    let answer = try await caller.portal("/info", [:], .get)
    #expect(answer.string("owningSystemUrl") == "http://\(host)\(context)")
    #expect(answer["authInfo"]?.bool("isTokenBasedSecurity") == true)
    #expect(
      answer["authInfo"]?.string("tokenServicesUrl") == "http://\(host)\(context)/sharing/rest/generateToken")
  }

  @Test("over HTTPS every URL says so")
  func secureInfo() async throws {
    var caller = Caller()
    caller.isSecure = true
    #expect(
      try await caller.portal("/info", [:], .get).string("owningSystemUrl") == "https://portal.localhost:8090")
  }

  @Test("the root tells its version")
  func root() async throws {
    #expect(try await Caller().portal("", [:], .get).string("currentVersion") != nil)
  }

  @Test("portals/self answers everyone, and names the user of a token")
  func portalSelf() async throws {
    let caller = Caller()
    let anonymous = try await caller.portal("/portals/self", [:], .get)
    #expect(anonymous.bool("supportsOAuth") == true)
    #expect(anonymous["user"] == nil)
    let tokens = try await caller.tokens(for: "ben")
    let known = try await caller.portal("/portals/self", ["token": tokens.access], .get)
    #expect(known["user"]?.string("username") == "ben")
    #expect(known["appInfo"]?.string("appId") == "gatehouse-demo")
  }

  @Test(
    "community/self takes a token from header or field", arguments: ["x-esri-authorization", "authorization", "field"])
  func communitySelf(place: String) async throws {
    var caller = Caller()
    let token = try await caller.tokens().access
    if let name = FieldName(place), place != "field" {
      caller.headers.set(name, try #require(FieldValue("Bearer \(token)")))
    }
    let answer = try await caller.portal("/community/self", ["token": place == "field" ? token : nil], .get)
    #expect(answer.string("username") == "ana")
    #expect(answer.string("fullName") == "Ana")
    #expect(answer.string("orgId") != nil)
  }

  @Test("X-Esri-Authorization wins over Authorization")
  func headerOrder() async throws {
    var caller = Caller()
    let token = try await caller.tokens().access
    caller.headers.set("authorization", "Bearer of-the-web-tier")
    caller.headers.set("x-esri-authorization", try #require(FieldValue("Bearer \(token)")))
    #expect(try await caller.portal("/community/self").string("username") == "ana")
  }

  @Test("tells no token (499) from a bad one (498), inside a 200", arguments: [(nil, 499), ("bad", 498)])
  func refuses(token: String?, code: Int64) async throws {
    let answer = try await Caller().portal("/community/self", ["token": token])
    #expect(answer["error"]?.integer("code") == code)
    #expect(answer["error"]?.array("details") == [])
  }

  @Test("a server's token is no portal token")
  func serverTokenHere() async throws {
    let caller = Caller()
    let token = try #require(try await caller.serverToken(try await caller.tokens().access).string("token"))
    #expect(try await caller.refusal(of: token) == 498)
  }

  @Test("answers as f asks: json, pjson, else a page")
  func formats() async throws {
    let caller = Caller()
    let compact = await caller.send(.get, "/sharing/rest/info", ["f": "json"])
    let pretty = await caller.send(.get, "/sharing/rest/info", ["f": "pjson"])
    let page = await caller.send(.get, "/sharing/rest/info")
    #expect(try compact.json == pretty.json)
    #expect(try compact.bytes.contains(UInt8(ascii: "\n")) == false)
    #expect(try pretty.bytes.contains(UInt8(ascii: "\n")))
    #expect(page.headers["content-type"]?.hasPrefix("text/html") == true)
    #expect(page.status == .ok)
  }

  @Test("users are visible to signed-in users")
  func users() async throws {
    let caller = Caller()
    let token = try await caller.tokens().access
    #expect(try await caller.portal("/community/users/ben", ["token": token]).string("username") == "ben")
    #expect(try await caller.portal("/community/users/eve", ["token": token])["error"] != nil)
    #expect(try await caller.portal("/community/users/ben")["error"]?.integer("code") == 499)
  }
}
