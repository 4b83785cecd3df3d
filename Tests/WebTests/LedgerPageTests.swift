import Domain
import Flows
import HTTP
import Storage
import Testing

@testable import Web

@Suite("The pages of the ledger")
struct LedgerPageTests {
  private func rows(_ page: Response) -> Int {
    page.text.split(separator: "<tr><th scope=\"row\" class=\"when\">").count - 1
  }

  /// The path of the next page.
  private func next(in page: Response) -> String? {
    guard let mark = page.text.firstRange(of: "\" rel=\"next\"") else { return nil }
    return page.text[..<mark.lowerBound].split(separator: "href=\"").last.map {
      String($0).replacing("&amp;", with: "&")
    }
  }

  @Test("show a person what each app took of theirs, also after they took the permission back, and nobody else")
  func personal() async throws {
    let stage = try await VendStage()
    #expect(try await stage.get("/v1/token", ["resource": stage.resource + "?f=json&secret=1"]).status == .ok)
    #expect(try await stage.get("/v1/token", ["resource": "https://elsewhere.example/x"]).status == .badRequest)
    let (browser, path) = (TestBrowser(stage.gatehouse, stage.person), "/account/apps/\(stage.client.id)/ledger")
    #expect(await browser.get("/account/apps").text.contains("href=\"\(path)\""))
    let page = await browser.get(path)
    #expect(page.status == .ok && rows(page) == 2)
    #expect(page.text.contains("<bdi>\(stage.resource)</bdi>") && !page.text.contains("secret=1"))
    #expect(page.text.contains("Token for 30 minutes"))
    #expect(page.text.contains("The app may use nothing that covers this address."))
    let other = try await stage.gatehouse.client()
    #expect(await browser.get("/account/apps/\(other.id)/ledger").status == .notFound)
    let ben = TestBrowser(stage.gatehouse, try await stage.gatehouse.person("Ben"))
    #expect(await ben.get(path).status == .notFound)
    #expect(await TestBrowser(stage.gatehouse).get(path).location == "/signin")
    _ = try await browser.submit([:], on: "/account/apps/\(stage.client.id)")
    let after = await browser.get(path)
    #expect(rows(after) == 2 && after.text.contains("You allow this app nothing any more."))
  }

  @Test("go on where the page before ended, and take no cursor but their own")
  func paged() async throws {
    let stage = try await VendStage()
    let event = AuditEvent(
      .vended, at: stage.gatehouse.time.now, origin: .system, account: stage.person.account.id,
      client: stage.client.client.id, connection: stage.connection.id, resource: stage.resource)
    try await stage.gatehouse.store.write { tx in for _ in 0..<120 { try tx.insert(event) } }
    let root = try await stage.gatehouse.administrator()
    for (browser, start) in [
      (TestBrowser(stage.gatehouse, stage.person), "/account/apps/\(stage.client.id)/ledger"),
      (TestBrowser(stage.gatehouse, root), "/admin/ledger?client=Field%20app"),
      (TestBrowser(stage.gatehouse, root), "/admin/ledger?account=\(stage.person.account.id)"),
    ] {
      var (path, counts): (String?, [Int]) = (start, [])
      while let current = path, counts.count < 5 {
        let page = await browser.get(current)
        counts.append(rows(page))
        path = next(in: page)
      }
      #expect(counts == [50, 50, 20], "\(start)")
      let foreign = start + (start.contains("?") ? "&" : "?") + "after=x"
      #expect(await browser.get(foreign).status == .badRequest)
    }
  }

  @Test(
    "show an administrator what a filter means",
    arguments: [
      ("", 2), ("client=Field+app", 2), ("account=Ana", 2), ("connection=Demo", 1), ("outcome=granted", 1),
      ("outcome=refused", 1), ("from=2000-01-01", 2), ("until=2000-01-01", 0), ("account=Root&outcome=granted", 0),
    ])
  func filter(query: String, expected: Int) async throws {
    let stage = try await VendStage()
    _ = try await stage.get()
    _ = try await stage.get("/v1/token", ["resource": "https://elsewhere.example/x"])
    let browser = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let page = await browser.get("/admin/ledger?\(query)")
    #expect(page.status == .ok && rows(page) == expected)
  }

  @Test("say what is wrong with a filter", arguments: ["client", "account", "connection", "outcome", "from", "until"])
  func mistakes(field: String) async throws {
    let world = try await AdminWorld()
    let page = await TestBrowser(world.installation, world.root).get("/admin/ledger?\(field)=nonsense")
    #expect(page.status == 422 && page.text.contains("id=\"\(field)-error\""))
  }

  @Test("lead from each row to why, which says it step by step and shows no token")
  func why() async throws {
    let stage = try await VendStage()
    _ = try await stage.get()
    let browser = TestBrowser(stage.gatehouse, try await stage.gatehouse.administrator())
    let ledger = await browser.get("/admin/ledger")
    let link = try #require(ledger.text.firstRange(of: "/admin/why?client="))
    let path = String(ledger.text[link.lowerBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
    let granted = await browser.get(path)
    #expect(granted.status == .ok && granted.text.contains("It would get something."))
    for words in [
      "Ana allowed Field app to use Demo.", "This decides", "Demo (demo) covers it by \(stage.portal.origin)",
    ] {
      #expect(granted.text.contains(words), "\(words)")
    }
    _ = try await TestBrowser(stage.gatehouse, stage.person).submit([:], on: "/account/apps/\(stage.client.id)")
    let refused = await browser.get(path)
    #expect(refused.text.contains("<code>interaction_required</code>, <code>not_connected</code>"))
    #expect(refused.text.contains("Ana has not allowed Field app to use Demo."))
  }

  @Test(
    "ask for what is missing before they say why",
    arguments: [("url=https://a.example", "client"), ("client=x", "url"), ("client=x&url=y&min_ttl=z", "min_ttl")])
  func incomplete(query: String, field: String) async throws {
    let world = try await AdminWorld()
    let page = await TestBrowser(world.installation, world.root).get("/admin/why?\(query)")
    #expect(page.status == 422 && page.text.contains("id=\"\(field)-error\""))
  }
}
