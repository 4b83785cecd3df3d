import Domain
import JSON
import Storage
import Testing

@testable import Flows

@Suite("Counting what is vended")
struct VendTallyTests {
  private let test: TestInstallation
  private let client = ClientID(random: "app")
  private let connection: ConnectionID

  init() async throws {
    test = try await TestInstallation()
    connection = try #require(ConnectionID("maps"))
  }

  private func use(_ resource: String, _ account: String = "ana") -> VendUse {
    VendUse(
      client: client, key: nil, connection: connection, account: AccountID(random: account), resource: resource)
  }

  private func report(_ dimension: UsageDimension, days: Int64 = 2) async throws -> UsageReport {
    try await test.here.usage(by: dimension, UsageFilter(days: test.here.lastDays(days)))
  }

  @Test("adds up what came on each day, once however often it is written down")
  func adds() async throws {
    let (tallies, here) = (test.here.vendTallies, test.here)
    for _ in 0..<3 { tallies.count(use("a"), .success, at: test.time.now) }
    tallies.count(use("b"), .failure, at: test.time.now)
    #expect(try await report(.client).entries.isEmpty, "nothing is written down yet")
    try await tallies.write(here)
    try await tallies.write(here)
    test.time.advance(by: 86_400)
    tallies.count(use("a"), .success, at: test.time.now)
    try await tallies.write(here)
    let told = try await report(.resource)
    #expect(told.entries.map(\.subject) == ["a", "b"] && told.others == nil)
    #expect(told.entries[0].days == [UsageCount(calls: 3), UsageCount(calls: 1)])
    #expect(told.total == UsageCount(calls: 4, refusals: 1))
    #expect(try await report(.resource, days: 1).total == UsageCount(calls: 1))
  }

  @Test("tells resources, and then accounts, not apart any more where there are too many on one day")
  func bounded() async throws {
    for number in 0..<12_000 { test.here.vendTallies.count(use("r\(number)"), .success, at: test.time.now) }
    for number in 0..<6_000 { test.here.vendTallies.count(use("r", "p\(number)"), .success, at: test.time.now) }
    try await test.here.vendTallies.write(test.here)
    let told = try await report(.resource)
    #expect(told.entries.count == UsageReport.mostEntries && told.entries[0].subject.isEmpty)
    #expect(told.entries[0].total.calls == 13_000)
    #expect(told.total.calls == 18_000, "none is left out of the sums")
    let accounts = try await report(.account)
    #expect(accounts.entries.contains { $0.subject.isEmpty && $0.total.calls > 500 })
    #expect(try await report(.client).entries.map(\.total.calls) == [18_000])
    test.time.advance(by: 86_400)
    test.here.vendTallies.count(use("new"), .success, at: test.time.now)
    try await test.here.vendTallies.write(test.here)
    #expect(try await report(.resource, days: 1).entries.map(\.subject) == ["new"])
  }

  @Test("the files hold what a report holds, and nothing that a spreadsheet would compute")
  func files() async throws {
    let tallies = test.here.vendTallies
    for name in ["=1+1", "@x", "a\"b", "https://a.example/\u{FF1D}"] {
      tallies.count(use(name), .success, at: test.time.now)
    }
    try await tallies.write(test.here)
    let told = try await report(.resource)
    let day = Timestamp.text(ofDay: VendUse.day(of: test.time.now))
    let lines = told.csv.split(separator: "\r\n").map(String.init)
    #expect(lines.first == "day,by,id,name,calls,refusals" && lines.count == 5)
    #expect(lines.contains("\(day),\"resource\",\"'=1+1\",\"'=1+1\",1,0"))
    #expect(lines.contains("\(day),\"resource\",\"'@x\",\"'@x\",1,0"))
    #expect(lines.contains("\(day),\"resource\",\"a\"\"b\",\"a\"\"b\",1,0"))
    #expect(told.json["total"]?.integer("calls") == 4)
    #expect(told.json["entries"]?.array?.count == 4 && told.json["others"] == .null)
    #expect(told.json["until"]?.string == day)
  }
}
