import Domain
import HTTP
import Testing

@testable import Web

@Suite("The language of a page") struct ReaderLanguageTests {
  private let gatehouse: TestInstallation
  private let browser: TestBrowser

  init() async throws {
    gatehouse = try await TestInstallation()
    _ = try await gatehouse.local("root", role: .administrator)
    browser = TestBrowser(gatehouse)
  }

  @Test(
    "is the one that the browser likes best of those we have",
    arguments: [
      ("de", "de"), ("de-AT, en;q=0.5", "de"), ("it, fr;q=0.8, en;q=0.3", "fr"), ("ar-EG-u-nu-latn", "ar"),
      ("ES", "es"),
      ("fr;q=0.2, es;q=0.9", "es"), ("de;q=0, en", "en"), ("it", "en"), ("*", "en"), ("", "en"), ("en-GB, de", "en"),
      ("\u{FF}", "en"), ("-, --, d", "en"),
    ])
  func accepted(field: String, language: String) async throws {
    browser.headers.set("accept-language", try #require(FieldValue(field)))
    let page = await browser.get("/signin")
    #expect(page.headers["content-language"] == language)
    #expect(page.text.contains("<html lang=\"\(language)\" dir=\"\(language == "ar" ? "rtl" : "ltr")\">"))
  }

  @Test("is the first that an app asks for and we have, for the browser session, also where the browser wants another")
  func askedByApp() async throws {
    browser.headers = ["accept-language": "fr"]
    let client = try await gatehouse.client(scope: "")
    let answer = await browser.get(asking("it de-CH en", client))
    #expect(answer.status == .seeOther)
    #expect(browser.cookies["gh_l"] == "de")
    #expect(await browser.get("/signin").headers["content-language"] == "de")
    _ = await browser.get(asking("it xx", client))
    #expect(browser.cookies["gh_l"] == "de", "what we do not have changes nothing")
  }

  private func asking(_ locales: String, _ client: TestClient) -> String {
    var fields = gatehouse.authorization(client)
    fields.append("ui_locales", locales)
    return fields.appended(to: "/oauth2/authorize")
  }

  @Test("is none that a cookie makes up")
  func inventedCookie() async {
    let browser = TestBrowser(gatehouse, cookies: ["gh_l": "../../etc"])
    #expect(await browser.get("/signin").headers["content-language"] == "en")
  }

  @Test("is told by messages from the code as well")
  func codeMessages() async throws {
    browser.headers = ["accept-language": "de"]
    let answer = try await browser.submit(["username": "root", "password": "wrong"], on: "/signin")
    #expect(answer.status.code == 422)
    #expect(!answer.text.contains("User name and password do not match"))
    #expect(await browser.get("/nothing").text.contains("lang=\"de\""))
    #expect(!(await browser.get("/nothing")).text.contains("There is nothing at this path."))
  }
}
