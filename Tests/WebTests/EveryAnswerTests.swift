import Domain
import HTTP
import JSON
import SQL
import SQLite
import Storage
import Testing

@testable import Web

@Suite("Every answer")
struct EveryAnswerTests {
  private static let requests: [(HTTP.Method, String, Status)] = [
    (.get, "/v1/nothing", .notFound), (.get, "/oauth2/nothing", .notFound), (.get, "/.well-known/nothing", .notFound),
    (.get, "/oauth2/token", .methodNotAllowed), (.post, "/v1/token", .methodNotAllowed),
    (.delete, "/oauth2/userinfo", .methodNotAllowed), (.post, "/oauth2/token", .badRequest),
    (.get, "/v1/token", .unauthorized),
  ]

  @Test("to an app is one JSON object, whatever is wrong", arguments: requests)
  func isJSON(method: HTTP.Method, path: String, status: Status) async throws {
    let answer = try await TestInstallation().send(method, path)
    #expect(answer.status == status && answer.headers["content-type"] == "application/json", "\(path)")
    #expect(try answer.error != nil && answer.json.string("error_description") != nil, "\(path)")
    #expect((answer.headers["allow"] != nil) == (status == .methodNotAllowed))
  }

  @Test("to an app is JSON also when something fails on our side, and says nothing of it")
  func fault() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    try await gatehouse.database.close()
    let answer = await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
    #expect(answer.status == .internalServerError && answer.headers["content-type"] == "application/json")
    #expect(try answer.error == "server_error")
    #expect(!answer.text.lowercased().contains("database") && !answer.text.contains("SQL"))
  }

  @Test("has the name of its request: a new one, or the caller's own where that is plain")
  func requestID() async throws {
    let gatehouse = try await TestInstallation()
    let odd = ["short-1", "with blank", "a_b_c_d_e_f", "<script>12345", String(repeating: "a", count: 65)]
    for path in ["/health/ready", "/signin", "/oauth2/jwks", "/oauth2/token", "/nothing", "/v1/nothing"] {
      let own = await gatehouse.send(.get, path, headers: ["x-request-id": "An-Own-Name-1"])
      #expect(own.headers.values(of: "x-request-id") == ["An-Own-Name-1"], "\(path)")
      var names: Set<String> = []
      for given in [nil] + odd.map({ FieldValue($0) }) {
        let headers: Headers = given.map { ["x-request-id": $0] as Headers } ?? []
        let name = try #require(await gatehouse.send(.get, path, headers: headers).headers["x-request-id"])
        #expect(name.utf8.count >= 8 && !odd.contains(name), "\(path) \(name)")
        names.insert(name)
      }
      #expect(names.count == odd.count + 1, "\(path)")
    }
    let elsewhere = await gatehouse.send(.get, "/", headers: ["host": "evil.example"])
    #expect(elsewhere.status == 421 && elsewhere.headers["x-request-id"] != nil)
  }

  @Test("of a database that takes no more says when to come again; a browser is sent back only where all is verified")
  func busy() async throws {
    let gatehouse = try await TestInstallation()
    let client = try await gatehouse.client()
    var reservations: [WriteReservation] = []
    do { while true { reservations.append(try gatehouse.store.reserve()) } } catch DatabaseError.busy {}
    let token = await gatehouse.post("/oauth2/token", ["grant_type": "client_credentials"], basic: client.basic)
    let revoked = await gatehouse.post(
      "/oauth2/revoke", ["token": String(repeating: "x", count: 65)], basic: client.basic)
    for answer in [token, revoked] {
      #expect(answer.status == .serviceUnavailable && answer.headers["retry-after"] == "2")
      #expect(try answer.error == "temporarily_unavailable")
    }
    let good = await gatehouse.send(.get, gatehouse.authorization(client).appended(to: "/oauth2/authorize"))
    let start = TestClient.redirectURI + "?error=temporarily_unavailable&"
    #expect(good.location?.hasPrefix(start) == true && good.location?.contains("&state=a%20state&iss=") == true)
    var odd = gatehouse.authorization(client)
    odd.append("redirect_uri", "https://evil.example/")
    let bad = await gatehouse.send(.get, odd.appended(to: "/oauth2/authorize"))
    #expect(bad.status == .badRequest && bad.location == nil)
    withExtendedLifetime(reservations) {}
  }
}
