import Domain
import Flows
import HTTP
import JSON
import Testing

@testable import Web

@Suite("An answer that is posted to the app (OAuth 2.0 Form Post Response Mode)")
struct FormPostTests {
  private static let posting = [("response_mode", "form_post")]
  private let gatehouse: TestInstallation
  private let person: TestPerson
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    person = try await gatehouse.person()
    browser = TestBrowser(gatehouse, person)
  }

  private func authorize(
    _ client: TestClient, state: String? = "a state", _ more: [(String, String)] = posting
  ) -> String {
    var fields = gatehouse.authorization(client, state: state)
    for (name, value) in more { fields.append(name, value) }
    return fields.appended(to: "/oauth2/authorize")
  }

  /// What the form of a page posts, and that it leads to the app alone.
  private func posted(
    _ page: Response, to target: String = TestClient.redirectURI, at origin: String = "https://app.example"
  ) throws -> [String: String] {
    #expect(page.status == .ok && page.location == nil, "\(page.text)")
    #expect(page.headers["cache-control"] == "no-store" && page.headers["referrer-policy"] == "strict-origin")
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.contains("; form-action \(origin); ") && policy.contains("script-src 'self';"), "\(policy)")
    #expect(page.text.components(of: "<form ") == 1 && page.text.contains("action=\"\(target)\" method=\"post\""))
    #expect(!page.text.contains("name=\"csrf\""))
    let names = ["code", "error", "error_description", "state", "iss"]
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in
        TestBrowser.hiddenValue(name, in: page.text).map { (name, $0) }
      })
  }

  @Test("has the code, the state and the issuer, on consent and by the consent of before; the code is good")
  func granted() async throws {
    let client = try await gatehouse.client()
    let handle = try await gatehouse.waiting(client, more: Self.posting)
    let first = try await browser.submit(["answer": "allow"], on: "/consent?ticket=\(handle)")
    let kept = "/consent?ticket=\(try await gatehouse.waiting(client, more: Self.posting))"
    for page in [first, await browser.get(authorize(client)), await browser.get(kept)] {
      let fields = try posted(page)
      #expect(fields.count == 3 && fields["state"] == "a state" && fields["iss"] == TestInstallation.external)
      #expect(page.text.contains("<script src=\"/assets/form-post.js\" defer></script>"))
      #expect(page.text.contains("It leads to <bdi>app.example</bdi>."))
      let answer = await gatehouse.post(
        "/oauth2/token", gatehouse.redemption(try #require(fields["code"])), basic: client.basic)
      #expect(answer.status == .ok, "\(answer.text)")
    }
  }

  @Test("tells the app of errors, too: at once, unasked, and when the person says no")
  func refused() async throws {
    let client = try await gatehouse.client()
    let stranger = TestBrowser(gatehouse)
    let early = try posted(await stranger.get(authorize(client, Self.posting + [("request", "e30.e30.")])))
    #expect(early["error"] == "request_not_supported" && early["state"] == "a state" && early["code"] == nil)
    let none = Self.posting + [("prompt", "none")]
    let silent = try posted(await stranger.follow(await stranger.get(authorize(client, none))))
    #expect(silent["error"] == "login_required" && silent["iss"] == TestInstallation.external)
    let handle = try await gatehouse.waiting(client, more: Self.posting)
    let denied = try await browser.submit(["answer": "deny"], on: "/consent?ticket=\(handle)")
    #expect(try posted(denied)["error"] == "access_denied")
    let long = try posted(await stranger.get(authorize(client, state: String(repeating: "s", count: 5000))))
    #expect(long["error"] == "invalid_request" && long["state"] == nil)
  }

  @Test("cannot be broken out of")
  func hostile() async throws {
    let client = try await gatehouse.client(redirectURI: "https://app.example/back?a=b&c='d'")
    let state = "\"><script>alert(1)</script>&amp;'"
    let page = await browser.get(authorize(client, state: state, Self.posting + [("scope", "more")]))
    let fields = try posted(page, to: "https://app.example/back?a=b&amp;c=&#39;d&#39;")
    #expect(fields["state"] == "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&#39;")
  }

  @Test("is pushed with the rest of a request")
  func pushed() async throws {
    let client = try await gatehouse.client()
    var fields = gatehouse.authorization(client)
    fields.append("response_mode", "form_post")
    let uri = try #require(
      try await gatehouse.post("/oauth2/par", fields, basic: client.basic).json.string("request_uri"))
    let opened: QueryItems = ["client_id": client.id, "request_uri": uri, "response_mode": "query"]
    let consent = await browser.follow(await browser.get(opened.appended(to: "/oauth2/authorize")))
    let handle = try #require(TestBrowser.hiddenValue("ticket", in: consent.text))
    let answer = try await browser.submit(["answer": "allow"], on: "/consent?ticket=\(handle)")
    #expect(try posted(answer)["code"] != nil)
  }

  @Test("is not for an app behind a scheme of its own, nor for the profile fapi2, and nobody is sent there")
  func notOffered() async throws {
    let native = try await gatehouse.client(.public, redirectURI: "com.example.field:/back")
    let answer = await browser.get(authorize(native))
    #expect(answer.status == .badRequest && answer.text.contains("needs a redirect URI with https"))
    #expect(answer.location == nil)
    let loopback = try await gatehouse.client(.public, redirectURI: "http://127.0.0.1:4711/cb")
    #expect(await browser.get(authorize(loopback)).location?.hasPrefix("/consent?") == true)
    var options = ClientOptions()
    (options.profile, options.authentication) = (.fapi2, .tlsSelfSigned)
    options.keys = .at("https://app.example/jwks")
    let strict = try await gatehouse.client(options: options)
    let refused = await browser.get(authorize(strict))
    #expect(refused.status == .badRequest && refused.text.contains("only query is offered"), "\(refused.text)")
  }

  @Test("goes to an app that nobody has checked only when the person presses the button")
  func unchecked() async throws {
    let stage = try await RegistrationStage()
    let app = try await stage.register()
    let fields: QueryItems = [
      "response_type": "code", "client_id": app.id, "redirect_uri": "https://app.example/back", "state": "s",
      "code_challenge": TestInstallation.challenge, "code_challenge_method": "S256", "scope": "vend",
      "response_mode": "form_post",
    ]
    let page = await TestBrowser(stage.gatehouse).get(fields.appended(to: "/oauth2/authorize"))
    #expect(try posted(page)["error"] == "invalid_scope")
    #expect(page.text.contains("<bdi>Garden</bdi>") && !page.text.contains("<script"))
  }
}

extension String {
  fileprivate func components(of separator: String) -> Int { split(separator: separator).count - 1 }
}
