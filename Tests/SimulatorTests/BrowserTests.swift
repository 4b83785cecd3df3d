import HTTP
import JSON
import Simulator
import Testing

@Suite("The portal's own cookie")
struct BrowserTests {
  /// A browser in which ana has signed in.
  private func signedIn() async throws -> Caller {
    var caller = Caller()
    let answer = try await caller.submit(await caller.authorize())
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly"))
    #expect(cookie.contains("SameSite=Lax"))
    caller.headers.set("cookie", try #require(FieldValue(String(cookie.prefix { $0 != ";" }))))
    return caller
  }

  @Test("makes a second sign-in silent")
  func silent() async throws {
    let answer = await (try signedIn()).authorize()
    #expect(answer.status == .found)
    let code = try #require(try answer.query?["code"])
    let caller = try await signedIn()
    let own = try #require(try await caller.authorize().query?["code"])
    #expect(try await caller.redeem(own).string("username") == "ana")
    #expect(try await caller.redeem(code)["error"] != nil)
  }

  @Test("is ignored with force_login=true")
  func forced() async throws {
    let answer = await (try signedIn()).authorize(["force_login": "true"])
    #expect(answer.status == .ok)
    #expect(try answer.text.contains("<form"))
  }

  @Test("is cleared by sign-out, which sends the browser back to the app's own origin")
  func signsOut() async throws {
    let caller = try await signedIn()
    let tokens = try await caller.tokensSilently()
    let answer = await caller.send(
      .get, "/sharing/rest/oauth2/signout",
      ["client_id": "gatehouse-demo", "redirect_uri": "http://localhost:8080/signed-out"])
    #expect(answer.status == .found)
    #expect(answer.headers["location"] == "http://localhost:8080/signed-out")
    #expect(answer.headers["set-cookie"]?.contains("Max-Age=0") == true)
    #expect(await caller.authorize().status == .ok)
    #expect(try await caller.refusal(of: tokens.access) == nil, "sign-out revokes no token")
  }

  @Test(
    "is cleared without a redirect to anywhere else",
    arguments: [
      "https://evil.example/", "http://localhost:8081/", "http://localhost:8080.evil.example/", "",
    ])
  func signsOutHere(target: String) async throws {
    let caller = try await signedIn()
    let answer = await caller.send(.get, "/sharing/rest/oauth2/signout", ["redirect_uri": target])
    #expect(answer.status == .ok)
    #expect(answer.headers["location"] == nil)
    #expect(answer.headers["set-cookie"]?.contains("Max-Age=0") == true)
  }

  @Test("is never set on the host localhost, which another program shares", arguments: ["localhost", "localhost:8090"])
  func sharesNoHost(host: String) async throws {
    var caller = Caller()
    caller.host = host
    let answer = await caller.authorize()
    #expect(answer.status == 421)
    #expect(answer.headers["set-cookie"] == nil)
  }

  @Test("is Secure over HTTPS")
  func secure() async throws {
    var caller = Caller()
    caller.isSecure = true
    let answer = try await caller.submit(await caller.authorize())
    #expect(answer.headers["set-cookie"]?.contains("; Secure") == true)
  }
}

extension Caller {
  /// The tokens of a browser that is signed in already.
  fileprivate func tokensSilently() async throws -> Tokens {
    try Tokens(try await redeem(try #require(try await authorize().query?["code"])))
  }
}
