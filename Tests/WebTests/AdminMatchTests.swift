import Domain
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The administration: would this URL match?")
struct AdminMatchTests {
  private let installation: TestInstallation
  private let browser: TestBrowser

  init() async throws {
    installation = try await TestInstallation()
    browser = TestBrowser(installation, try await installation.administrator())
    for (id, patterns) in [
      ("wide", ["https://h.example", "*.h.example"]), ("narrow", ["https://h.example/server"]),
      ("twin", ["*.h.example"]),
    ] {
      var connection = Connection(
        id: try #require(ConnectionID(id)), name: id.uppercased(), kind: .oauthUser, origin: "https://\(id).example",
        clientID: "us", createdAt: installation.time.now)
      connection.resources = try patterns.map { try #require(ResourcePattern($0)) }
      let made = connection
      try await installation.store.write { try $0.insert(made, clientSecret: nil) }
    }
  }

  private func ask(_ id: String, _ url: String) async -> Response {
    await browser.get((["match_url": url] as QueryItems).appended(to: "/admin/connections/\(id)"))
  }

  @Test(
    "the page of a connection names the pattern, how specific it is, and who wins",
    arguments: [
      ("wide", "https://h.example/portal", "Yes: https://h.example covers it."),
      (
        "wide", "https://h.example/server/x",
        "No: https://h.example covers it, but NARROW (https://h.example/server) is chosen"
      ),
      ("narrow", "https://h.example/server/x", "Yes: https://h.example/server covers it."),
      ("narrow", "https://h.example/server2", "No: no pattern of this connection covers it. It belongs to WIDE ("),
      ("narrow", "https://i.example/", "covers it, nor does any other connection."),
      ("narrow", "https://x.h.example/", "Several others cover it equally well"),
      (
        "wide", "https://x.h.example/",
        "Undecided: *.h.example covers it, and so does TWIN (*.h.example)."
      ),
    ])
  func page(id: String, url: String, words: String) async {
    let page = await ask(id, url)
    #expect(page.status == .ok && page.text.contains(words), "\(page.text)")
    #expect(page.text.contains("value=\"\(url)\""))
  }

  @Test("what is no URL is said at the field, and nothing typed can be markup")
  func refused() async {
    let page = await ask("wide", "h.example/\"><b>")
    #expect(page.status == 422 && page.text.contains("Enter a whole http or https URL"))
    #expect(!page.text.contains("<b>\"") && !page.text.contains("\"><b>"))
    #expect(!(await browser.get("/admin/connections/wide")).text.contains("match-answer"))
  }

  @Test("the form of a new connection answers before anything is added, and keeps what was typed")
  func draft() async throws {
    let fields: QueryItems = [
      "kind": "oauthUser", "name": "New", "portal_url": "https://new.example/portal", "check": "1",
      "resources": "https://h.example/server/rest\n", "match_url": "https://h.example/server/rest/info",
    ]
    let page = try await browser.submit(fields, on: "/admin/connections/new")
    #expect(page.status == .ok, "\(page.text)")
    #expect(page.text.contains("Yes: https://h.example/server/rest covers it."))
    #expect(
      page.text.contains("value=\"https://new.example/portal\"") && page.text.contains("https://h.example/server/rest"))
    #expect(try await installation.count("connection") == 3)
    let empty: QueryItems = [
      "kind": "oauthUser", "name": "New", "portal_url": "https://new.example/portal", "check": "1",
      "match_url": "https://new.example/portal/sharing",
    ]
    let own = try await browser.submit(empty, on: "/admin/connections/new")
    #expect(own.text.contains("Yes: https://new.example/portal covers it"))
    let wrong: QueryItems = [
      "kind": "oauthUser", "check": "1", "resources": "no pattern", "match_url": "https://h.example",
    ]
    #expect(try await browser.submit(wrong, on: "/admin/connections/new").status == 422)
  }
}
