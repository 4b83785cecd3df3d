import Domain
import Flows
import HTTP
import JSON
import Storage
import Testing

@testable import Web

@Suite("The page of the usage")
struct UsagePageTests {
  private let world: AdminWorld
  private let browser: TestBrowser

  init() async throws {
    world = try await AdminWorld()
    browser = TestBrowser(world.installation, world.root)
    let today = VendUse.day(of: world.installation.time.now)
    let (client, connection, person) = (world.client.client.id, world.connection.id, world.person.account.id)
    var counted: [CountedVends] = []
    for number: Int64 in 0..<60 {
      let use = VendUse(
        client: client, key: nil, connection: connection, account: number == 0 ? person : Account.service,
        resource: "https://maps.example/\(number)")
      counted.append(
        CountedVends(id: number, use: use, day: today - number, calls: 100 - number, refusals: number == 3 ? 7 : 0))
    }
    let all = counted
    try await world.installation.store.add(all)
  }

  @Test(
    "shows sums of what is chosen",
    arguments: [
      ("", "<td class=\"num\" data-label=\"Calls\">2,565</td>"), ("days=7", ">679</td>"),
      ("days=90&by=account", ">4,130</td>"),
      ("account=Gatehouse", "No account has this name"), ("resource=https://maps.example/7", ">93</td>"),
      ("by=resource&days=365", "All others"), ("by=connection", "<bdi>Maps</bdi>"),
      ("client=Field+app&account=Ana&days=7", ">100</td>"), ("by=key", "Without an API key"),
    ])
  func sums(query: String, words: String) async throws {
    let page = await browser.get("/admin/usage?\(query)")
    #expect(page.text.contains(words), "\(page.text)")
  }

  @Test("draws a bar for each day, and for each week of a year")
  func bars() async throws {
    for (days, bars) in [(7, 7), (30, 30), (90, 90), (365, 53)] {
      let page = await browser.get("/admin/usage?days=\(days)")
      #expect(page.text.split(separator: "<g><title>").count - 1 == 2 * bars, "\(days)")
      #expect(page.text.contains("viewBox=\"0 0 \(bars * 100) 1000\""))
    }
  }

  @Test(
    "says what is wrong with a choice", arguments: ["by", "days", "client", "key", "connection", "account", "resource"])
  func mistakes(field: String) async throws {
    let page = await browser.get("/admin/usage?\(field)=nonsense")
    #expect(page.status == 422 && page.text.contains("id=\"\(field)-error\""))
    #expect(await browser.get("/admin/usage.csv?\(field)=nonsense").status == .badRequest)
  }

  @Test("gives the same figures as files, which the browser keeps under a name")
  func files() async throws {
    let csv = await browser.get("/admin/usage.csv?by=client&days=7")
    #expect(csv.headers["content-type"] == "text/csv; charset=utf-8; header=present")
    #expect(csv.headers["content-disposition"]?.contains("gatehouse-usage-by-client-") == true)
    #expect(csv.headers["cache-control"] == "no-store" && csv.headers["x-content-type-options"] == "nosniff")
    #expect(csv.text.split(separator: "\r\n").count == 8)
    let json = await browser.get("/admin/usage.json?by=client&days=7")
    #expect(try json.json["total"]?.integer("calls") == 679)
  }

  @Test(
    "measures its bars by a round number",
    arguments: [(0, 2), (1, 2), (3, 4), (10, 10), (11, 20), (99, 100), (1234, 2000)])
  func scale(most: Int64, top: Int64) { #expect(UsageChart.scale(for: most) == top) }
}
