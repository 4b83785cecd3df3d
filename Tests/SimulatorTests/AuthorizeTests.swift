import HTTP
import Simulator
import Testing

@Suite("The sign-in page and the codes it sends")
struct AuthorizeTests {
  let caller = Caller()

  @Test("shows a form, and sends the browser back with a code and the same state")
  func signsIn() async throws {
    let page = await caller.authorize()
    #expect(page.status == .ok)
    #expect(try page.text.contains("not a real portal"))
    let answer = try await caller.submit(page)
    #expect(answer.status == .found)
    #expect(answer.headers["location"]?.hasPrefix(Caller.redirectURI + "?code=") == true)
    #expect(try answer.query?["state"] == "a b&c")
  }

  @Test("works under a web adaptor, whatever it is called", arguments: ["/portal", "/gis/portal"])
  func webAdaptor(context: String) async throws {
    var caller = caller
    caller.context = context
    let page = await caller.authorize()
    #expect(try page.text.contains("action=\"\(context)/sharing/rest/oauth2/signin\""))
    #expect(try await caller.submit(page).query?["code"] != nil)
  }

  @Test("answers Cancel with access_denied and the state")
  func cancels() async throws {
    let answer = try await caller.submit(await caller.authorize(), user: "", password: "", action: "cancel")
    #expect(answer.status == .found)
    let query = try #require(try answer.query)
    #expect(query["error"] == "access_denied")
    #expect(query["error_description"]?.isEmpty == false)
    #expect(query["state"] == "a b&c")
    #expect(query["code"] == nil)
  }

  @Test(
    "shows bad apps and redirect URIs as a page and redirects nowhere",
    arguments: [
      ("client_id", "stranger", "Invalid client_id"), ("client_id", "", "Invalid client_id"),
      ("redirect_uri", "https://evil.example/", "Invalid redirect_uri"), ("redirect_uri", "", "Invalid redirect_uri"),
      ("redirect_uri", "http://localhost:8080/callback/demo/", "Invalid redirect_uri"),
    ])
  func refusesOpenly(field: String, value: String, text: String) async throws {
    let answer = await caller.authorize([field: value])
    #expect(answer.status == .badRequest)
    #expect(answer.headers["location"] == nil)
    #expect(try answer.text.contains(text))
  }

  @Test(
    "tells the app about a request it cannot serve",
    arguments: [
      ("response_type", "token", "unsupported_response_type"), ("code_challenge", "", "invalid_request"),
      ("code_challenge", "short", "invalid_request"), ("code_challenge_method", "plain", "invalid_request"),
      ("code_challenge_method", "", "invalid_request"), ("expiration", "soon", "invalid_request"),
    ])
  func refusesToApp(field: String, value: String, error: String) async throws {
    let answer = await caller.authorize([field: value])
    #expect(answer.status == .found)
    #expect(try answer.query?["error"] == error)
    #expect(try answer.query?["state"] == "a b&c")
  }

  @Test("keeps the query a redirect URI has of its own")
  func keepsQuery() async throws {
    let uri = "https://app.example/back?tab=1"
    let caller = Caller(SimulatorConfiguration(clients: [SimulatedClient(id: "app", redirectURIs: [uri])]))
    let page = await caller.authorize(["client_id": "app", "redirect_uri": uri])
    #expect(try await caller.submit(page).headers["location"]?.hasPrefix(uri + "&code=") == true)
  }

  @Test("asks again after a wrong password, keeps the name, and escapes it")
  func wrongPassword() async throws {
    let page = try await caller.submit(await caller.authorize(), user: "<ana>", password: "wrong")
    #expect(page.status == .ok)
    #expect(try page.text.contains("Invalid username or password."))
    #expect(try page.text.contains("value=\"&lt;ana&gt;\""))
    #expect(page.headers["set-cookie"] == nil)
    #expect(try await caller.submit(page).query?["code"] != nil)
  }

  @Test("takes a form only once")
  func formOnce() async throws {
    let page = await caller.authorize()
    _ = try await caller.submit(page)
    let again = try await caller.submit(page)
    #expect(again.status == .badRequest)
    #expect(again.headers["location"] == nil)
  }
}
